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

// What the ranks of one round share: a round is one meeting, or the k-th open outside of meetings of every rank. Owned by its endpoints and, until
// all ranks have joined, by the group.
class Round {
public:
    explicit Round(int32_t n_ranks, bool in_use = true) : mailboxes_(static_cast<size_t>(n_ranks)), in_use_(in_use) {}
    ~Round();
    Round(const Round &) = delete;
    Round &operator=(const Round &) = delete;

    int32_t size() const { return static_cast<int32_t>(mailboxes_.size()); }

    // A pipe from `source` to `destination`, made by the source's thread. The round owns it.
    Pipe &add_pipe(int32_t source, int32_t destination);
    // Head of the list of all pipes to a rank; the list grows at its head only. Acquire: after the release of `add_pipe`, which hands over the pipe.
    Pipe *pipes_to(int32_t rank) const { return mailbox(rank).pipes.load(std::memory_order_acquire); }

    // After this the rank's thread touches nobody's buffers any more, which release and acquire hand to the senders. Before the round is in use the
    // rank may join it once more; who has met knows that it is, by the group's lock.
    void set_closed(int32_t rank) {
        if (in_use_.load(std::memory_order_acquire)) mailbox(rank).closed.store(true, std::memory_order_release);
    }
    bool closed(int32_t rank) const { return mailbox(rank).closed.load(std::memory_order_acquire); }
    // All ranks have met.
    void use() { in_use_.store(true, std::memory_order_release); }

private:
    struct alignas(64) Mailbox {
        std::atomic<Pipe *> pipes{ nullptr };
        std::atomic<bool> closed{ false };
    };
    Mailbox &mailbox(int32_t rank) { return mailboxes_[static_cast<size_t>(rank)]; }
    const Mailbox &mailbox(int32_t rank) const { return mailboxes_[static_cast<size_t>(rank)]; }

    std::vector<Mailbox> mailboxes_;
    std::atomic<bool> in_use_;
};

} // namespace halo::inproc

struct halo_inproc_group {
public:
    explicit halo_inproc_group(int32_t n_ranks) : opens_(static_cast<size_t>(n_ranks), 0), places_(static_cast<size_t>(n_ranks)) {}

    int32_t size() const { return static_cast<int32_t>(opens_.size()); }
    int32_t open_endpoints() const { return open_endpoints_.load(std::memory_order_acquire); }

    // See inproc.h.
    halo_status enter(int32_t rank, halo_inproc_arrival &arrival);
    halo_status meet(int32_t rank, halo_inproc_arrival &arrival);
    bool withdraw(int32_t rank, halo_inproc_arrival &arrival);
    void fail(int32_t rank, halo_inproc_arrival &arrival);
    int32_t absent();

    // That of the meeting which the rank has entered, if it has.
    std::shared_ptr<halo::inproc::Round> join(int32_t rank);
    // Release: all that the endpoint has done, to who destroys the group.
    void leave() { open_endpoints_.fetch_sub(1, std::memory_order_release); }

private:
    struct Joining {
        std::shared_ptr<halo::inproc::Round> round;
        int32_t joined = 0;
    };
    // At the next meeting.
    struct Place {
        std::shared_ptr<halo::inproc::Round> round; // of who has entered
        bool is_present = false;
        bool must_hear = false; // of the last failure
    };
    Place &place(int32_t rank) { return places_[static_cast<size_t>(rank)]; }
    bool has_met(const halo_inproc_arrival &arrival) const { return arrival.entered != 0 && arrival.meeting < n_meetings_; }
    void leave_place(int32_t rank, halo_inproc_arrival &arrival);
    bool hear(int32_t rank, halo_inproc_arrival &arrival);
    void use_round();

    std::mutex mutex_;
    std::vector<int64_t> opens_;  // per rank, outside of meetings
    std::deque<Joining> joining_; // rounds that some ranks have not joined yet
    int64_t first_joining_ = 0;   // number of joining_[0]
    std::vector<Place> places_;
    std::shared_ptr<halo::inproc::Round> next_round_; // of the next meeting; null until a rank enters
    int32_t n_present_ = 0;
    int32_t n_must_hear_ = 0;
    int32_t failed_ = -1;    // the last rank that has
    int64_t n_meetings_ = 0; // that were complete
    int64_t n_failures_ = 0;
    std::atomic<int32_t> open_endpoints_{ 0 };
};
