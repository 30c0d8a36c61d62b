// SPDX-License-Identifier: BSD-3-Clause
// Messages that have come before a receive for them: the message itself, or word of one that waits at its sender. Memory is kept for the next ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "match_table.h"

namespace halo::shm {

using transport::Key;
using transport::Keyed;
using transport::Link;
using transport::MatchTable;

// A message that waits at its sender.
struct Offer {
    void *request = nullptr;             // there
    const unsigned char *data = nullptr; // the message, there; nullptr: it is not to be read there
};

struct Stored;
struct FromAny : Keyed { // by (lane, tag)
    Stored *message;
};

struct alignas(std::max_align_t) Stored : Keyed { // by (peer, lane, tag)
    FromAny from_any;
    size_t bytes; // of the message
    size_t got;   // of them here
    Offer offer;  // without a request: the message comes, or has come, by itself
    uint32_t size_class;
    unsigned char *data() { return reinterpret_cast<unsigned char *>(this + 1); }
    bool complete() const { return offer.request == nullptr && got == bytes; }
};

class Store {
public:
    // With room for `bytes` of data. Throws std::bad_alloc.
    Stored *take(size_t bytes);
    void give_back(Stored *stored);

private:
    static constexpr uint32_t n_classes = 24; // from 64 bytes on, doubling
    static constexpr size_t least = 64;

    void add_slab(uint32_t size_class);

    std::array<Link *, n_classes> free_{}; // chained by `next`
    std::array<size_t, n_classes> n_made_{};
    std::vector<std::unique_ptr<std::max_align_t[]>> slabs_;
};

} // namespace halo::shm
