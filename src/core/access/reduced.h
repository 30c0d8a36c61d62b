// SPDX-License-Identifier: BSD-3-Clause
// What a reduction combines: items of values, each of its own type and operation, where they lie in the program's memory and in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "comm/call_rules.h"
#include "halo_access.h"

namespace halo {

// What all ranks must give alike of an item, as it travels.
struct Reduced {
    int64_t n;
    int64_t element_bytes;
    halo_type type;
    halo_op op;

    bool operator==(const Reduced &) const = default;
    size_t bytes() const { return static_cast<size_t>(n * element_bytes); }
    std::string text() const; // "3 values of float64 by sum"
};
static_assert(sizeof(Reduced) == 24, "it is part of the wire format");

class ReducedItems {
public:
    static constexpr size_t head_bytes = 32; // of a message, in front of the values

    explicit ReducedItems(std::span<const halo_reduction_item> items);

    const std::vector<Reduced> &described() const { return described_; }
    int64_t n() const { return std::ssize(described_); }
    size_t described_bytes() const { return described_.size() * sizeof(Reduced); }
    uint64_t checksum() const { return checksum_; } // of their description
    size_t end() const { return end_; }             // of the values in a message
    bool has_values() const { return !blocks_.empty(); }
    std::string text() const; // of the one item, or "3 items"

    // Between the program's memory and a message.
    void read(const void *in, std::byte *message) const;
    void write(const std::byte *message, void *out) const;
    // Values of an item in a message by those in another, of the ranks that follow. Returns what the program's function does, else success.
    halo_status combine(int64_t item, std::byte *message, const std::byte *more, CallRules &rules) const;

private:
    struct Item {
        size_t values; // place in a message
        size_t indices;
        halo_combine_fn combine;
        void *user;
    };
    struct Block {
        int64_t offset; // in the program's memory
        size_t at;      // in a message
        size_t bytes;
        size_t item;
    };

    void add(const halo_reduction_item &given, const std::string &name);
    size_t place(int64_t offset, size_t bytes, size_t alignment, const std::string &name);
    void require_apart();

    std::vector<Reduced> described_;
    std::vector<Item> items_;
    std::vector<Block> blocks_; // ascending by offset; none of no bytes
    size_t end_ = head_bytes;
    uint64_t checksum_ = 0;
};

} // namespace halo
