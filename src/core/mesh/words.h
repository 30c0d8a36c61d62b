// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks, word by word. They are written and read where they lie: those of rows are large.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "topology/discovery.h"

namespace halo {

// As many as are added.
class WordsOut {
public:
    explicit WordsOut(size_t n_words) : bytes_(n_words * sizeof(uint64_t)) {}

    void add(uint64_t word) {
        std::memcpy(bytes_.data() + at_, &word, sizeof word);
        at_ += sizeof word;
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
    size_t at_ = 0;
};

// HALO_ERR_WIRE where there are too few or too many, or one names what there is not. What came outlives them.
class Words {
public:
    Words(const Delivery &came, int32_t n_ranks) : bytes_(came.bytes), from_(came.rank), n_ranks_(n_ranks) {
        if (bytes_.size() % sizeof(uint64_t) != 0) fail(HALO_ERR_WIRE, "mesh: %zu bytes of rank %d are no whole words", bytes_.size(), from_);
    }
    Words(Delivery &&came, int32_t n_ranks) = delete;

    int32_t from() const { return from_; }
    uint64_t next() {
        if (at_ == n_words()) fail(HALO_ERR_WIRE, "mesh: a message of rank %d ends after %zu words", from_, at_);
        uint64_t word = 0;
        std::memcpy(&word, bytes_.data() + at_++ * sizeof word, sizeof word);
        return word;
    }
    // Of records of so many words each.
    uint64_t next_count(size_t record) {
        const uint64_t n = next();
        if (n > (n_words() - at_) / record)
            fail(HALO_ERR_WIRE, "mesh: %zu words of rank %d cannot hold %llu records", n_words(), from_, static_cast<unsigned long long>(n));
        return n;
    }
    int32_t rank(uint64_t word) const {
        if (word >= static_cast<uint64_t>(n_ranks_))
            fail(HALO_ERR_WIRE, "mesh: a message of rank %d names rank %llu", from_, static_cast<unsigned long long>(word));
        return static_cast<int32_t>(word);
    }
    void end() const {
        if (at_ < n_words()) fail(HALO_ERR_WIRE, "mesh: a message of rank %d goes on after %zu words", from_, at_);
    }

private:
    size_t n_words() const { return bytes_.size() / sizeof(uint64_t); }

    std::span<const std::byte> bytes_;
    size_t at_ = 0; // in words
    int32_t from_;
    int32_t n_ranks_;
};

} // namespace halo
