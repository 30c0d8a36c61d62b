// SPDX-License-Identifier: BSD-3-Clause
// Memory that other processes of the same host can reach: what a message carries need not be copied on its way to them.
//
// A rank makes files without a name (memfd_create) and hands out parts of them; another rank opens them through the first one's
// entry in /proc. Nothing is left behind when a process ends, and a mapping stays valid when the process that made it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memory/shared_block.h"
#include "memory/shared_file.h"

namespace halo {

// Memory of this rank, and mappings of that of others.
class SharedArena {
public:
    SharedArena() = default;
    ~SharedArena();
    SharedArena(const SharedArena &) = delete;
    SharedArena &operator=(const SharedArena &) = delete;

    // `bytes` after the front; an empty block where the system has no such memory.
    SharedBlock allocate(size_t bytes);
    // The block is used again once its reader has read `epoch`.
    void release(const SharedBlock &block, uint32_t epoch) noexcept;
    // Another rank's block; an empty one if it cannot be reached.
    SharedBlock map(const SharedOffer &offer);

    // Plain memory, aligned to 64 bytes; nullptr where the system has none that can be shared.
    std::byte *allocate_plain(size_t bytes);
    void release_plain(std::byte *data, size_t bytes) noexcept;
    // What an address in this arena is to others; nothing is offered if it lies outside.
    SharedOffer locate(const void *address) const;
    // An address in another rank's arena; nullptr if it cannot be reached.
    std::byte *reach(const SharedOffer &offer);
    // Why memory could not be shared when that was last tried in vain; empty: it always could.
    const std::string &trouble() const { return trouble_; }
    // Called at the first trouble of each kind: no memory can be made, or none of a peer's be reached.
    void on_first_trouble(std::function<void()> tell) { tell_ = std::move(tell); }

private:
    struct File {
        SharedFile file;
        size_t used = 0;
    };
    struct Released {
        SharedBlock block;
        uint32_t epoch;
    };
    void note(std::string trouble, bool &told);
    bool add_file(size_t bytes);
    std::byte *take(size_t bytes, size_t alignment);
    SharedBlock reused(size_t bytes);
    static SharedBlock fresh(std::byte *data, SharedOffer offer);

    std::vector<File> files_;
    using FreePlain = std::multimap<size_t, std::byte *>;              // by size
    using Mapped = std::map<uint64_t, std::pair<std::byte *, size_t>>; // by nonce

    std::vector<Released> released_; // with room for all blocks: to release one must not fail
    size_t n_blocks_ = 0;
    FreePlain free_plain_;
    std::vector<FreePlain::node_type> nodes_in_use_; // one for each piece of plain memory that is in use
    Mapped mapped_;
    std::string trouble_;
    std::function<void()> tell_;
    bool told_of_own_ = false;
    bool told_of_peers_ = false;
};

} // namespace halo
