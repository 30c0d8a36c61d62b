// SPDX-License-Identifier: BSD-3-Clause
// Seeded random numbers, and what a channel must carry in an epoch: both ends can compute it.
#pragma once

#include <cstdint>
#include <cstring>

#include "halo_channel.h"

namespace test {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545f4914f6cdd1du;
    }
    int64_t below(int64_t n) { return static_cast<int64_t>((next() >> 11) % static_cast<uint64_t>(n)); }
    bool once_in(int64_t n) { return below(n) == 0; }

private:
    uint64_t state_;
};

// One channel as all ranks of a schedule know it.
struct Model {
    halo_channel_key key{};
    int32_t send_rank = 0;
    int32_t receive_rank = 0;
    int64_t send_count = 0; // bytes
    int64_t recv_count = 0;
    int32_t sparse = 0;
    int32_t send_kind = HALO_BUFFER_POOL;
    int32_t recv_kind = HALO_BUFFER_POOL;
    uint64_t salt = 0;

    bool null_in(int64_t epoch) const { return Random(salt ^ static_cast<uint64_t>(epoch)).once_in(3); }
    unsigned char value(int64_t epoch, int64_t i) const {
        return static_cast<unsigned char>((salt + static_cast<uint64_t>(epoch) * 31 + static_cast<uint64_t>(i) * 7) >> (i % 5));
    }
    void write(void *data, int64_t epoch) const {
        for (int64_t i = 0; i < send_count; ++i) static_cast<unsigned char *>(data)[i] = value(epoch, i);
    }
    bool holds(const void *data, int64_t epoch) const {
        for (int64_t i = 0; i < send_count; ++i)
            if (static_cast<const unsigned char *>(data)[i] != value(epoch, i)) return false;
        return true;
    }
};

inline Model random_model(Random &random, int64_t i, int32_t n_ranks) {
    static constexpr int64_t counts[] = { 0, 1, 8, 24, 31, 32, 33, 400, 5000, 70000 };
    Model model;
    model.key = { random.below(4), random.below(4), 0, static_cast<int32_t>(random.below(27)), i };
    model.send_rank = static_cast<int32_t>(random.below(n_ranks));
    model.receive_rank = static_cast<int32_t>(random.below(n_ranks));
    const bool local = model.send_rank == model.receive_rank;
    model.send_count = counts[random.below(random.once_in(8) ? 10 : 8)];
    model.recv_count = model.send_count + (local || random.once_in(2) ? 0 : random.below(40));
    model.sparse = static_cast<int32_t>(random.below(2));
    model.send_kind = static_cast<int32_t>(random.below(3));
    model.recv_kind = local ? model.send_kind : static_cast<int32_t>(random.below(3));
    model.salt = random.next();
    return model;
}

} // namespace test
