// SPDX-License-Identifier: BSD-3-Clause
// Words of a message of another rank, one after the other. HALO_ERR_WIRE where it has too few or too many, or names what there is not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "topology/discovery.h"

namespace halo {

class Words {
public:
    Words(const Delivery &came, int32_t n_ranks) : words_(from_bytes<uint64_t>(came.bytes)), from_(came.rank), n_ranks_(n_ranks) {}

    int32_t from() const { return from_; }
    uint64_t next() {
        if (at_ == words_.size()) fail(HALO_ERR_WIRE, "mesh: a message of rank %d ends after %zu words", from_, words_.size());
        return words_[at_++];
    }
    // Of records of so many words each.
    uint64_t next_count(size_t record) {
        const uint64_t n = next();
        if (n > (words_.size() - at_) / record)
            fail(HALO_ERR_WIRE, "mesh: %zu words of rank %d cannot hold %llu records", words_.size(), from_, static_cast<unsigned long long>(n));
        return n;
    }
    int32_t rank(uint64_t word) const {
        if (word >= static_cast<uint64_t>(n_ranks_))
            fail(HALO_ERR_WIRE, "mesh: a message of rank %d names rank %llu", from_, static_cast<unsigned long long>(word));
        return static_cast<int32_t>(word);
    }
    void end() const {
        if (at_ < words_.size()) fail(HALO_ERR_WIRE, "mesh: a message of rank %d goes on after %zu words", from_, at_);
    }

private:
    std::vector<uint64_t> words_;
    size_t at_ = 0;
    int32_t from_;
    int32_t n_ranks_;
};

} // namespace halo
