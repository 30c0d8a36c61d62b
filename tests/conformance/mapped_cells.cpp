// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose cells lie in an order of their own. That exchanges over them are right the random cases show, in which maps are one of the layouts;
// here is what they may leave out, and what they are told of.
#include <gtest/gtest.h>

#include <cstring>

#include "ranks.h"

namespace conformance {

namespace {

constexpr int64_t cells = 4;
constexpr int64_t width = cells + 2;

// A ring of blocks in 2-D with one ghost around each; cells from the last to the first, ghosts behind them, corners nowhere.
class Mapped {
public:
    explicit Mapped(const Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2, blocks.n_blocks[0] = 2 * rank.size, blocks.n_blocks[1] = 1;
        for (int d = 0; d < 2; ++d) blocks.n_cells[d] = cells, blocks.periodic[d] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        OK(halo_field_create(topology_, &desc, &u));
        int64_t n_ghosts = 0;
        for (int64_t y = -1; y <= cells; ++y)
            for (int64_t x = -1; x <= cells; ++x) {
                const bool in_x = x >= 0 && x < cells, in_y = y >= 0 && y < cells;
                positions_.push_back(in_x && in_y ? cells * cells - 1 - (cells * y + x) : in_x || in_y ? cells * cells + n_ghosts++ : -1);
            }
        OK(halo_topology_local_parts(topology_, &gids, &n));
        for (int64_t i = 0; i < n; ++i) OK(halo_field_map_points(u, gids[i], positions_.data(), std::ssize(positions_)));
        OK(halo_field_allocate(u, -1));
        for (int64_t i = 0; i < n; ++i)
            for (int64_t cell = 0; cell < cells * cells; ++cell) at(gids[i], cell % cells, cell / cells) = value(gids[i], cell % cells, cell / cells);
    }
    ~Mapped() {
        OK(halo_field_destroy(&u));
        OK(halo_topology_destroy(&topology_));
    }
    Mapped(const Mapped &) = delete;
    Mapped &operator=(const Mapped &) = delete;

    double &at(int64_t gid, int64_t x, int64_t y) const {
        void *data = nullptr;
        OK(halo_field_data(u, gid, 0, &data));
        return static_cast<double *>(data)[positions_[static_cast<size_t>(width * (y + 1) + x + 1)]];
    }
    static double value(int64_t gid, int64_t x, int64_t y) { return static_cast<double>(100 * gid + 10 * y + x); }

    halo_field *u = nullptr;
    const int64_t *gids = nullptr;
    int64_t n = 0;

private:
    halo_topology *topology_ = nullptr;
    std::vector<int64_t> positions_;
};

halo_status try_exchange_over(halo_field *field, int32_t stencil, halo_exchange **exchange) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = stencil;
    return halo_exchange_create(&field, 1, &desc, exchange);
}
halo_exchange *exchange_over(halo_field *field, int32_t stencil) {
    halo_exchange *exchange = nullptr;
    OK(try_exchange_over(field, stencil, &exchange));
    return exchange;
}

TEST(MappedCells, MayLeaveOutGhostsThatNoExchangeFills) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(2, {}, [](Rank &rank) {
        const Mapped blocks(rank);
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(blocks.u, blocks.gids[0], &layout));
        if (layout.elements != cells * cells + 4 * cells || layout.first_owned != 0 || layout.stride[0] != 1)
            stop("%lld elements from %lld on", static_cast<long long>(layout.elements), static_cast<long long>(layout.first_owned));
        halo_exchange *full = nullptr;
        const halo_status status = try_exchange_over(blocks.u, HALO_STENCIL_FULL, &full);
        if (status != HALO_ERR_MISMATCH || !std::strstr(halo_last_error(), "its map leaves out point (") ||
            !std::strstr(halo_last_error(), "field u, part "))
            stop("status %d: %s", status, halo_last_error());
        halo_exchange *faces = exchange_over(blocks.u, HALO_STENCIL_FACES);
        OK(halo_exchange_start(faces, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(faces, HALO_STREAM_NONE));
        const int64_t n_blocks = 2 * rank.size;
        for (int64_t i = 0; i < blocks.n; ++i)
            for (int64_t y = 0; y < cells; ++y) {
                const int64_t gid = blocks.gids[i];
                const double wanted = Mapped::value((gid + n_blocks - 1) % n_blocks, cells - 1, y);
                if (const double got = blocks.at(gid, -1, y); got != wanted)
                    stop("block %lld: %g instead of %g", static_cast<long long>(gid), got, wanted);
            }
        OK(halo_exchange_destroy(&faces));
    });
}

// By its cell, not by where that lies.
TEST(MappedCells, AreNamedByCheckMode) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(1, { { "check", "yes" } }, [](Rank &rank) {
        const Mapped blocks(rank);
        halo_exchange *faces = exchange_over(blocks.u, HALO_STENCIL_FACES);
        const auto refused = [&](const char *text) {
            const halo_status status = halo_exchange_start(faces, nullptr, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) blocks.at(1, cells, 2) = 1; // a ghost
            const halo_status found = status == HALO_SUCCESS ? halo_exchange_finish(faces, HALO_STREAM_NONE) : status;
            if (found != HALO_ERR_CHECK || !std::strstr(halo_last_error(), text)) stop("status %d: %s", found, halo_last_error());
        };
        refused("field u, part 1, cell (4, 2, 0), in all (8, 2, 0), which part 0 on rank 0 fills");
        OK(halo_exchange_start(faces, nullptr, HALO_STREAM_NONE));
        const double poison = blocks.at(1, cells, 2);
        OK(halo_exchange_finish(faces, HALO_STREAM_NONE));
        blocks.at(0, 3, 1) = poison;
        refused("field u, part 0, cell (3, 1, 0), in all (3, 1, 0), component 0, was computed from field u, part 1, cell (4, 2, 0), in all (8, 2, "
                "0), component 0, which part 0 on rank 0 fills");
        OK(halo_exchange_destroy(&faces));
    });
}

} // namespace

} // namespace conformance
