// SPDX-License-Identifier: BSD-3-Clause
// Sums over all ranks, in two halves and at once.
#include "halo_access.h"
#include "objects.h"

namespace programs {

using conformance::stop;

namespace {

double brought(int32_t rank, int64_t time, int64_t i) { return static_cast<double>((rank + 1) * (time + 3) + i); }

void compare_sums(const std::vector<double> &sums, int32_t n_ranks, int64_t time) {
    for (int64_t i = 0; i < std::ssize(sums); ++i) {
        double right = 0;
        for (int32_t rank = 0; rank < n_ranks; ++rank) right += brought(rank, time, i);
        if (sums[static_cast<size_t>(i)] != right) stop("sum %d is %g, not %g", static_cast<int>(i), sums[static_cast<size_t>(i)], right);
    }
}

class Reduction final : public Object {
public:
    Reduction(Calls &calls, const ObjectCase &made, int32_t n_ranks) : calls_(calls), made_(made), n_ranks_(n_ranks) {}

    void create() override {
        calls_.together(
            "reduction", [&] { return halo_reduction_create(calls_.context, made_.n_values, HALO_FLOAT64, HALO_SUM, &reduction_); },
            [&] { destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        std::vector<double> values;
        for (int64_t i = 0; i < made_.n_values; ++i) values.push_back(brought(calls_.rank, time, i));
        return calls_.works("begin", [&] { return halo_reduction_begin(reduction_, values.data()); });
    }
    bool finish() override {
        std::vector<double> sums(static_cast<size_t>(made_.n_values));
        if (!calls_.works("end", [&] { return halo_reduction_end(reduction_, sums.data()); })) return false;
        compare_sums(sums, n_ranks_, time_);
        return true;
    }
    void destroy() override {
        if (reduction_) calls_.free("reduction", [&] { return halo_reduction_destroy(&reduction_); });
    }

private:
    Calls &calls_;
    const ObjectCase &made_;
    int32_t n_ranks_;
    halo_reduction *reduction_ = nullptr;
    int64_t time_ = 0;
};

class Sums final : public Object {
public:
    Sums(Calls &calls, const ObjectCase &made, int32_t n_ranks) : calls_(calls), made_(made), n_ranks_(n_ranks) {}

    void create() override {}
    bool start(int64_t time) override {
        std::vector<double> values, sums(static_cast<size_t>(made_.n_values));
        for (int64_t i = 0; i < made_.n_values; ++i) values.push_back(brought(calls_.rank, time, i));
        calls_.talk("barrier", [&] { return halo_context_barrier(calls_.context); });
        calls_.talk("allreduce",
                    [&] { return halo_context_allreduce(calls_.context, values.data(), sums.data(), made_.n_values, HALO_FLOAT64, HALO_SUM); });
        compare_sums(sums, n_ranks_, time);
        return true;
    }
    bool finish() override { return true; }
    void destroy() override {}

private:
    Calls &calls_;
    const ObjectCase &made_;
    int32_t n_ranks_;
};

} // namespace

std::unique_ptr<Object> make_reduction(Calls &calls, const ObjectCase &made, int32_t n_ranks) {
    return std::make_unique<Reduction>(calls, made, n_ranks);
}
std::unique_ptr<Object> make_sums(Calls &calls, const ObjectCase &made, int32_t n_ranks) { return std::make_unique<Sums>(calls, made, n_ranks); }

} // namespace programs
