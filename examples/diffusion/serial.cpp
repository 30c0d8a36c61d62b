// SPDX-License-Identifier: BSD-3-Clause
#include "serial.h"

namespace diffusion {

namespace {

constexpr std::int64_t ghosts = 1;

class Whole {
public:
    explicit Whole(const Grid &grid) : n_{ grid.cells(0), grid.cells(1) } {
        const std::int64_t row = n_[0] + 2 * ghosts, plane = row * (n_[1] + 2 * ghosts);
        for (std::size_t number = 0; number < n_fields; ++number) {
            memory_[number].resize(static_cast<std::size_t>(plane * n_levels));
            fields_[number] = { memory_[number].data() + ghosts * (row + 1), { 1, row, plane } };
        }
        each([&](auto x, auto y, auto z) {
            fields_[u](x, y, z) = initial_u(x, y, z);
            fields_[wind](x, y, z) = initial_wind(x, y, z);
        });
    }
    void step() {
        for (std::int32_t stage = 0; stage < n_stages; ++stage) {
            for (const View &field : fields_) fill(field);
            const bool below = stage == find_flux_x || stage == find_flux_y;
            run(static_cast<Stage>(stage), fields_, { { 0, 0, 0 }, { n_[0], n_[1], below ? splitter : n_levels } });
        }
    }
    std::vector<double> values() const {
        std::vector<double> all;
        each([&](auto x, auto y, auto z) { all.push_back(fields_[u](x, y, z)); });
        return all;
    }

private:
    template <class At>
    void each(At &&at) const {
        for (std::int64_t z = 0; z < n_levels; ++z)
            for (std::int64_t y = 0; y < n_[1]; ++y)
                for (std::int64_t x = 0; x < n_[0]; ++x) at(x, y, z);
    }
    void fill(const View &field) const {
        for (std::int64_t z = 0; z < n_levels; ++z)
            for (std::int64_t y = -ghosts; y < n_[1] + ghosts; ++y)
                for (std::int64_t x = -ghosts; x < n_[0] + ghosts; ++x) field(x, y, z) = field((x + n_[0]) % n_[0], (y + n_[1]) % n_[1], z);
    }

    std::int64_t n_[2];
    std::vector<double> memory_[n_fields];
    Views fields_;
};

} // namespace

std::vector<double> run_serially(const Grid &grid, int n_steps) {
    Whole whole(grid);
    for (int step = 0; step < n_steps; ++step) whole.step();
    return whole.values();
}

} // namespace diffusion
