// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of fields on the host and of their twins on a device, whose results are to be the same bit by bit. With CONFORMANCE_STORAGE=device.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

#include "stored.h"

namespace levels {

inline int64_t bytes_of_number(halo_type type) { return type == HALO_FLOAT32 || type == HALO_COMPLEX64 ? 4 : 8; }
inline int64_t bytes_of(halo_type type) { return bytes_of_number(type) * (type == HALO_COMPLEX64 || type == HALO_COMPLEX128 ? 2 : 1); }

// A number of any size: small ones and zeros too.
inline void write_number(std::byte *at, int64_t bytes, Random &random) {
    const double plain = std::uniform_real_distribution<double>(-1, 1)(random);
    const uint64_t chance = random() % 16;
    const double value = chance == 0 ? 0.0 : chance == 1 ? -0.0 : std::ldexp(plain, chance < 8 ? 0 : static_cast<int>(random() % 40) - 20);
    const auto small = static_cast<float>(chance == 2 ? plain * 1e-40 : value);
    if (bytes == 4)
        std::memcpy(at, &small, sizeof small);
    else
        std::memcpy(at, &value, sizeof value);
}

// The same exchange of both.
class Exchanges {
public:
    template <class Create>
    explicit Exchanges(Create &&create) {
        for (size_t side = 0; side < 2; ++side) create(side, &all_[side]);
    }
    ~Exchanges() {
        for (halo_exchange *&exchange : all_) halo_exchange_destroy(&exchange);
    }
    Exchanges(const Exchanges &) = delete;
    Exchanges &operator=(const Exchanges &) = delete;

    halo_exchange *on(size_t side) const { return all_[side]; }
    // `between`: when all has come, before it is unpacked; by phases alone.
    void run(
        const halo_run &how, bool by_phases, const std::function<void(size_t side)> &between = [](size_t) {}) const {
        for (size_t side = 0; side < 2; ++side) run(side, how, by_phases, between);
        conformance::follow_finish();
    }
    int64_t launches() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(all_[1], &stats));
        return stats.device_launches;
    }

private:
    void run(size_t side, const halo_run &how, bool by_phases, const std::function<void(size_t side)> &between) const {
        const halo_stream first = side == 1 ? conformance::stream() : HALO_STREAM_NONE,
                          last = side == 1 ? conformance::finish_stream() : HALO_STREAM_NONE;
        if (!by_phases) {
            OK(halo_exchange_start(all_[side], &how, first));
            OK(halo_exchange_finish(all_[side], last));
            return;
        }
        OK(halo_exchange_post(all_[side], &how));
        halo_status sent = HALO_BUSY;
        while ((sent = halo_exchange_send(all_[side], first)) == HALO_BUSY) {}
        OK(sent);
        for (int32_t done = 0; done == 0;) OK(halo_exchange_test(all_[side], &done));
        between(side);
        OK(halo_exchange_unpack(all_[side], last));
        OK(halo_exchange_refine(all_[side], last));
    }

    halo_exchange *all_[2] = {};
};

// Of a file's own Twins, which have one field on each side.
template <class Twins>
Exchanges exchanges_of(std::initializer_list<const Twins *> twins, const halo_exchange_desc *how = nullptr) {
    return Exchanges([&](size_t side, halo_exchange **made) {
        std::vector<halo_field *> fields;
        for (const Twins *one : twins) fields.push_back(one->on(side));
        OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), how, made));
    });
}
template <class Twins>
Exchanges transfers_of(const Twins &from, const Twins &to) {
    return Exchanges([&](size_t side, halo_exchange **made) {
        halo_field *source = from.on(side), *destination = to.on(side);
        OK(halo_exchange_create_transfer(&source, &destination, 1, nullptr, made));
    });
}

class OnDevices : public testing::TestWithParam<int32_t> {
protected:
    void SetUp() override {
        if (!conformance::storage_is_on_device()) GTEST_SKIP() << "CONFORMANCE_STORAGE is not device";
    }
    // Of each number on all ranks.
    static void for_each_case(int64_t n, const std::function<void(uint64_t number, Rank &rank)> &body) {
        for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", n)); ++number) {
            conformance::run(GetParam(), {}, [&](Rank &rank) {
                conformance::begin_case(number);
                body(number, rank);
            });
            if (HasFailure()) return;
        }
    }
};
inline auto numbers_of_ranks() { return testing::ValuesIn(conformance::threads() ? std::vector<int32_t>{ 1, 2, 3 } : std::vector<int32_t>{ 0 }); }

inline Shape shape_of(Random &random) {
    const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
    Shape shape;
    shape.n_dims = 1 + below(3);
    shape.turned = below(3) == 0;
    shape.n_trees = shape.turned ? 2 : 1 + below(2);
    shape.n_cells = shape.n_dims == 3 ? 6 : 8;
    shape.deepest = 1 + below(shape.n_dims == 3 ? 1 : 2);
    for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
        shape.n_roots[d] = 1 + below(2);
        shape.periodic[d] = below(2) == 0;
    }
    return shape;
}

inline halo_field_desc desc_of(Random &random, const char *name, int32_t n_dims, int32_t centring, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    const halo_type types[] = { HALO_FLOAT64, HALO_FLOAT32, HALO_COMPLEX64, HALO_COMPLEX128 };
    desc.name = name, desc.centring = centring, desc.n_components = 1 + static_cast<int32_t>(random() % 2), desc.type = types[random() % 4];
    for (int d = 0; d < n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

} // namespace levels
