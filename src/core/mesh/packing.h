// SPDX-License-Identifier: BSD-3-Clause
// A message of another rank, value by value. It is read where it lies: those of rows are large.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/error.h"
#include "topology/discovery.h"

namespace halo {

// HALO_ERR_WIRE where there are too few or too many, or one names what there is not. What came outlives it.
class Unpacker {
public:
    Unpacker(const Delivery &came, int32_t n_ranks) : bytes_(came.bytes), from_(came.rank), n_ranks_(n_ranks) {}
    Unpacker(Delivery &&came, int32_t n_ranks) = delete;

    int32_t from() const { return from_; }
    template <class T>
    T next() {
        if (bytes_.size() - at_ < sizeof(T)) fail(HALO_ERR_WIRE, "mesh: a message of rank %d ends after %zu bytes", from_, bytes_.size());
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    // Of records of so many bytes each.
    uint64_t next_count(size_t record) {
        const auto n = next<uint64_t>();
        if (n > (bytes_.size() - at_) / record)
            fail(HALO_ERR_WIRE, "mesh: %zu bytes of rank %d cannot hold %llu records", bytes_.size(), from_, static_cast<unsigned long long>(n));
        return n;
    }
    int32_t next_rank() {
        const auto rank = next<int32_t>();
        if (rank < 0 || rank >= n_ranks_) fail(HALO_ERR_WIRE, "mesh: a message of rank %d names rank %d", from_, rank);
        return rank;
    }
    // One of so many, or this.
    uint32_t next_place(size_t n, std::optional<uint32_t> none = std::nullopt) {
        const auto place = next<uint32_t>();
        if (place >= n && place != none) fail(HALO_ERR_WIRE, "mesh: a message of rank %d names entity %u of %zu", from_, place, n);
        return place;
    }
    void end() const {
        if (at_ < bytes_.size()) fail(HALO_ERR_WIRE, "mesh: a message of rank %d goes on after %zu bytes", from_, at_);
    }

private:
    std::span<const std::byte> bytes_;
    size_t at_ = 0;
    int32_t from_;
    int32_t n_ranks_;
};

} // namespace halo
