// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include <fcntl.h>
#include <unistd.h>

namespace {

template <class Visit>
void for_each_cell(const Block &block, Visit &&visit) {
    for (int64_t k = 0; k < block.n[2]; ++k)
        for (int64_t j = 0; j < block.n[1]; ++j)
            for (int64_t i = 0; i < block.n[0]; ++i) visit(i, j, k);
}

int64_t place_in_domain(const Block &block, int64_t i, int64_t j, int64_t k) {
    return block.low[0] + i + domain[0] * (block.low[1] + j + domain[1] * (block.low[2] + k));
}

// The mean over a cell and its 26 neighbours, near ones with more weight.
double smoothed(const Block &block, const double *field, int64_t i, int64_t j, int64_t k) {
    static constexpr double weight[] = { 8.0 / 64, 4.0 / 64, 2.0 / 64, 1.0 / 64 };
    double sum = 0;
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x) sum += weight[x * x + y * y + z * z] * field[block.index(i + x, j + y, k + z)];
    return sum;
}

} // namespace

Fields start_values(const Block &block) {
    Fields fields;
    for (int f = 0; f < n_fields; ++f) {
        fields[f].assign(block.size(), 0.0);
        for_each_cell(block, [&](int64_t i, int64_t j, int64_t k) {
            const uint64_t mixed = static_cast<uint64_t>(place_in_domain(block, i, j, k) * n_fields + f + 1) * 0x9e3779b97f4a7c15u;
            fields[f][block.index(i, j, k)] = static_cast<double>(mixed >> 40) / (1 << 24);
        });
    }
    return fields;
}

void step(const Block &block, const Fields &now, Fields &next) {
    static constexpr double rate = 0.25;
    for_each_cell(block, [&](int64_t i, int64_t j, int64_t k) {
        std::array<double, n_fields> spread;
        for (int f = 0; f < n_fields; ++f) spread[f] = smoothed(block, now[f].data(), i, j, k);
        for (int f = 0; f < n_fields; ++f) // each feeds on the one before it
            next[f][block.index(i, j, k)] = spread[f] + rate * spread[f] * (spread[(f + 2) % n_fields] - spread[(f + 1) % n_fields]);
    });
}

bool write_cells(const Block &block, const Fields &fields, const char *path) {
    const int file = open(path, O_WRONLY | O_CREAT, 0644);
    if (file < 0) return false;
    const int64_t line = block.n[0] * static_cast<int64_t>(sizeof(double));
    bool good = true;
    for (int f = 0; f < n_fields; ++f)
        for (int64_t k = 0; k < block.n[2]; ++k)
            for (int64_t j = 0; j < block.n[1]; ++j) {
                const int64_t place = place_in_domain(block, 0, j, k) + f * domain[0] * domain[1] * domain[2];
                good = pwrite(file, &fields[f][block.index(0, j, k)], line, place * static_cast<int64_t>(sizeof(double))) == line && good;
            }
    return close(file) == 0 && good;
}
