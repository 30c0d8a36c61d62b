// SPDX-License-Identifier: BSD-3-Clause
// Who belongs together. Locks are taken by opening and closing only.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "inproc.h"
#include "pipe.h"

namespace halo::inproc {

// What the ranks of one round share: a round is the k-th open of every rank. Owned by its endpoints and, until all ranks have joined,
// by the group.
class Round {
public:
    explicit Round(int32_t n_ranks) : mailboxes_(static_cast<size_t>(n_ranks)) {}
    ~Round();
    Round(const Round &) = delete;
    Round &operator=(const Round &) = delete;

    int32_t size() const { return static_cast<int32_t>(mailboxes_.size()); }

    // A pipe from `source` to `destination`, made by the source's thread. The round owns it.
    Pipe &add_pipe(int32_t source, int32_t destination);
    // Head of the list of all pipes to a rank; the list grows at its head only.
    Pipe *pipes_to(int32_t rank) const { return mailbox(rank).pipes.load(std::memory_order_acquire); }

    // After this the rank's thread touches nobody's buffers any more.
    void set_closed(int32_t rank) { mailbox(rank).closed.store(true, std::memory_order_release); }
    bool closed(int32_t rank) const { return mailbox(rank).closed.load(std::memory_order_acquire); }

private:
    struct alignas(64) Mailbox {
        std::atomic<Pipe *> pipes{ nullptr };
        std::atomic<bool> closed{ false };
    };
    Mailbox &mailbox(int32_t rank) { return mailboxes_[static_cast<size_t>(rank)]; }
    const Mailbox &mailbox(int32_t rank) const { return mailboxes_[static_cast<size_t>(rank)]; }

    std::vector<Mailbox> mailboxes_;
};

} // namespace halo::inproc

struct halo_inproc_group {
public:
    explicit halo_inproc_group(int32_t n_ranks) : opens_(static_cast<size_t>(n_ranks), 0), present_(static_cast<size_t>(n_ranks), false) {}

    int32_t size() const { return static_cast<int32_t>(opens_.size()); }
    int32_t open_endpoints() const { return open_endpoints_.load(std::memory_order_acquire); }

    // Ranks meet before they join, so that all do or none does. False: some are missing. `meeting` is -1 until the rank has been counted.
    bool meet(int32_t rank, int64_t &meeting);
    // False: all have come.
    bool withdraw(int32_t rank, int64_t meeting);
    // The lowest rank that the next meeting lacks.
    int32_t absent();

    std::shared_ptr<halo::inproc::Round> join(int32_t rank);
    void leave() { open_endpoints_.fetch_sub(1, std::memory_order_release); }

private:
    struct Joining {
        std::shared_ptr<halo::inproc::Round> round;
        int32_t joined = 0;
    };
    std::mutex mutex_;
    std::vector<int64_t> opens_;  // per rank
    std::deque<Joining> joining_; // rounds that some ranks have not joined yet
    int64_t first_joining_ = 0;   // number of joining_[0]
    std::vector<bool> present_;   // at the next meeting
    int32_t n_present_ = 0;
    std::atomic<int64_t> n_meetings_{ 0 }; // that were complete
    std::atomic<int32_t> open_endpoints_{ 0 };
};
