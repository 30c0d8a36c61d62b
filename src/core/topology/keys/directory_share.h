// SPDX-License-Identifier: BSD-3-Clause
// What a rank's share of the directory knows, kept beyond the making of a topology so that keys can come and go.
#pragma once

#include <map>

#include "topology/keys/directory.h"

namespace halo {

// Submissions with memory of their own, by rank.
class OwnedSubmissions {
public:
    void add(int32_t rank, uint64_t key, uint32_t note, int64_t weight);
    std::vector<Submission> spans() const;

private:
    struct Lists {
        std::vector<uint64_t> keys;
        std::vector<uint32_t> notes;
        std::vector<int64_t> weights;
    };
    std::map<int32_t, Lists> ranks_;
};

class DirectoryShare {
public:
    // What ranks say of some keys takes the place of what they have said of them. A note without copies: the rank has the key no more.
    void update(std::span<const Submission> said);
    // What all ranks have said of these keys, ascending.
    OwnedSubmissions about(std::span<const uint64_t> keys) const;

private:
    struct Entry {
        uint64_t key;
        int32_t rank;
        uint32_t note;
        int64_t weight;
    };
    std::vector<Entry> entries_; // by key, then rank, of which one may give and another only receive
};

} // namespace halo
