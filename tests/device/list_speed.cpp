// SPDX-License-Identifier: BSD-3-Clause
// Times gathers and scatters through lists of points against plain loops, in alternating pairs. `device_list_speed [repetitions]`
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "host.h"

namespace {

constexpr int64_t n_points = 1000000, n_listed = 200000;

template <int values>
[[gnu::noinline]] void gather(double *to, const double *from, const uint32_t *list, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        for (int v = 0; v < values; ++v) to[i * values + v] = from[int64_t{ list[i] } * values + v];
}

template <int values>
[[gnu::noinline]] void add_scattered(double *to, const double *from, const uint32_t *list, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        for (int v = 0; v < values; ++v) to[int64_t{ list[i] } * values + v] += from[i * values + v];
}

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double seconds_of(Work &&work) {
    const double start = seconds_now();
    work();
    return seconds_now() - start;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <int values>
void compare(const char *order, const std::vector<uint32_t> &list, bool add, int repetitions) {
    const halo_device_ops &ops = *halo_device_host.ops;
    halo_device *device = nullptr;
    ops.open(nullptr, 0, &device);
    std::vector<double> points(n_points * values, 1.0), message(n_listed * values, 1.0);
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = 8;
    shape.n[0] = shape.n[1] = 1;
    shape.n[2] = values;
    shape.run[0] = n_listed;
    shape.dst_step = shape.src_step[0] = 8 * values;
    shape.dst_stride[2] = shape.src_stride[0][2] = 8;
    shape.lists = add ? HALO_LIST_DESTINATION : HALO_LIST_SOURCE;
    halo_copy_row row{};
    row.dst_base = add ? 0 : 1;
    row.src_base[0] = add ? 1 : 0;
    const halo_copy_program program{ sizeof program, &shape, 1, &row, 1, list.data(), n_listed };
    halo_copy_table *table = nullptr;
    ops.table_create(device, &program, &table);
    void *const bases[] = { points.data(), message.data() };
    std::vector<double> mine, plain;
    for (int r = 0; r < repetitions; ++r) {
        mine.push_back(seconds_of([&] { ops.table_run(device, table, 0, 1, bases, 2, add ? HALO_SUM : HALO_COPY_MOVE, HALO_FLOAT64, nullptr); }));
        plain.push_back(seconds_of([&] {
            add ? add_scattered<values>(points.data(), message.data(), list.data(), n_listed)
                : gather<values>(message.data(), points.data(), list.data(), n_listed);
        }));
    }
    std::printf("%-7s %-7s %d doubles: device %6.0f us, plain loop %6.0f us, ratio %.2f\n", add ? "add" : "gather", order, values, median(mine) * 1e6,
                median(plain) * 1e6, median(plain) / median(mine));
    ops.table_destroy(device, table);
    ops.close(device);
}

} // namespace

int main(int argc, char **argv) {
    const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
    std::vector<uint32_t> all(n_points), random(n_listed), sorted;
    std::iota(all.begin(), all.end(), 0U);
    std::mt19937 generator(1);
    std::shuffle(all.begin(), all.end(), generator);
    std::copy_n(all.begin(), n_listed, random.begin());
    sorted = random;
    std::sort(sorted.begin(), sorted.end());
    for (const bool add : { false, true }) {
        compare<1>("random", random, add, repetitions);
        compare<4>("random", random, add, repetitions);
        compare<8>("random", random, add, repetitions);
        compare<1>("sorted", sorted, add, repetitions);
        compare<4>("sorted", sorted, add, repetitions);
    }
}
