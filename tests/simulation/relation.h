// SPDX-License-Identifier: BSD-3-Clause
// Which points each rank has, and who owns each, of an object over points: the same in the forms in which it is told to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "program.h"

namespace programs {

class Relation {
public:
    explicit Relation(const ObjectCase &made) : made_(made) {}

    int32_t n_ranks() const { return static_cast<int32_t>(made_.keys.size()); }
    bool has(int32_t rank, uint64_t key) const;
    int32_t owner(uint64_t key) const;
    // Keys by local index. Of a star own ones come first; of a graph the library numbers them.
    std::vector<uint64_t> points(int32_t rank) const;

    struct Star {
        std::vector<int32_t> ranks; // of each of the last points
        std::vector<uint32_t> indices;
    };
    Star star(int32_t rank) const;

    struct Lists {
        std::vector<int32_t> peers;
        std::vector<int64_t> send_offsets{ 0 }, receive_offsets{ 0 };
        std::vector<uint32_t> send, receive;
    };
    Lists lists(int32_t rank) const;

    struct Graph {
        std::vector<uint64_t> own, neighbours;
        std::vector<int64_t> offsets{ 0 };
    };
    Graph graph(int32_t rank) const;

private:
    const std::vector<uint64_t> &keys_of(int32_t rank) const { return made_.keys[static_cast<size_t>(rank)]; }

    const ObjectCase &made_;
};

} // namespace programs
