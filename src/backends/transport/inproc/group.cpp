// SPDX-License-Identifier: BSD-3-Clause
#include "group.h"

#include <algorithm>
#include <new>
#include <utility>

namespace halo::inproc {

Round::~Round() {
    for (Mailbox &box : mailboxes_) {
        Pipe *pipe = box.pipes.load(std::memory_order_relaxed); // the last owner is alone, by the count of shared_ptr
        while (pipe != nullptr) {
            std::unique_ptr<Pipe> owned(pipe);
            pipe = pipe->next_of_receiver;
        }
    }
}

Pipe &Round::add_pipe(int32_t source, int32_t destination) {
    auto *pipe = new Pipe(source);
    std::atomic<Pipe *> &head = mailbox(destination).pipes;
    pipe->next_of_receiver = head.load(std::memory_order_relaxed); // it is not followed here
    while (!head.compare_exchange_weak(pipe->next_of_receiver, pipe, std::memory_order_release, std::memory_order_relaxed)) {}
    return *pipe;
}

} // namespace halo::inproc

using halo::inproc::Round;

halo_status halo_inproc_group::enter(int32_t rank, halo_inproc_arrival &arrival) {
    std::lock_guard lock(mutex_);
    arrival.failure = n_failures_;
    if (place(rank).must_hear) return hear(rank, arrival), HALO_ERR_PEER;
    if (place(rank).round) return HALO_BUSY;
    if (!next_round_) next_round_ = std::make_shared<Round>(size(), false);
    place(rank).round = next_round_;
    arrival.meeting = n_meetings_;
    arrival.entered = 1;
    return HALO_SUCCESS;
}

halo_status halo_inproc_group::meet(int32_t rank, halo_inproc_arrival &arrival) {
    std::lock_guard lock(mutex_);
    if (has_met(arrival)) return HALO_SUCCESS;
    if (hear(rank, arrival)) return HALO_ERR_PEER;
    n_present_ += !std::exchange(place(rank).is_present, true);
    if (n_present_ < size()) return HALO_BUSY;
    use_round();
    return HALO_SUCCESS;
}

void halo_inproc_group::use_round() {
    next_round_->use();
    next_round_.reset();
    for (Place &place : places_) place = {};
    n_present_ = 0;
    ++n_meetings_;
}

bool halo_inproc_group::withdraw(int32_t rank, halo_inproc_arrival &arrival) {
    std::lock_guard lock(mutex_);
    if (has_met(arrival)) return false;
    if (arrival.entered == 0) return true;
    if (!hear(rank, arrival)) leave_place(rank, arrival);
    return true;
}

void halo_inproc_group::leave_place(int32_t rank, halo_inproc_arrival &arrival) {
    if (!std::exchange(arrival.entered, 0)) return;
    n_present_ -= std::exchange(place(rank).is_present, false);
    place(rank).round.reset();
}

// A rank that fails before it has heard of another's failure has ended the same attempt. Those who try again while others have yet to hear wait for
// them.
void halo_inproc_group::fail(int32_t rank, halo_inproc_arrival &arrival) {
    std::lock_guard lock(mutex_);
    if (has_met(arrival)) return;
    leave_place(rank, arrival);
    if (n_must_hear_ > 0) {
        n_must_hear_ -= std::exchange(place(rank).must_hear, false);
        return;
    }
    failed_ = rank;
    ++n_failures_;
    for (Place &other : places_) other.is_present = false, other.must_hear = &other != &place(rank);
    n_must_hear_ = size() - 1;
    n_present_ = 0;
    next_round_.reset();
}

// Whether a rank has failed since this one entered, or before and it has not heard.
bool halo_inproc_group::hear(int32_t rank, halo_inproc_arrival &arrival) {
    if (arrival.failure == n_failures_ && !place(rank).must_hear) return false;
    arrival.failed = failed_;
    leave_place(rank, arrival);
    n_must_hear_ -= std::exchange(place(rank).must_hear, false);
    return true;
}

int32_t halo_inproc_group::absent() {
    std::lock_guard lock(mutex_);
    return static_cast<int32_t>(std::find_if(places_.begin(), places_.end(), [](const Place &one) { return !one.is_present; }) - places_.begin());
}

std::shared_ptr<Round> halo_inproc_group::join(int32_t rank) {
    std::lock_guard lock(mutex_);
    if (place(rank).round) {
        open_endpoints_.fetch_add(1, std::memory_order_relaxed); // hands nothing over
        return place(rank).round;
    }
    int64_t &number = opens_[static_cast<size_t>(rank)];
    auto place = static_cast<size_t>(number - first_joining_);
    if (place == joining_.size()) joining_.push_back({ std::make_shared<Round>(size()), 0 });
    Joining &joining = joining_[place];
    auto round = joining.round;
    ++joining.joined;
    ++number;
    open_endpoints_.fetch_add(1, std::memory_order_relaxed);
    while (!joining_.empty() && joining_.front().joined == size()) {
        joining_.pop_front();
        ++first_joining_;
    }
    return round;
}

halo_status halo_inproc_group_create(int32_t n_ranks, halo_inproc_group **group) {
    if (group == nullptr || n_ranks < 1 || n_ranks > HALO_INPROC_MAX_RANKS) return HALO_ERR_ARGUMENT;
    try {
        *group = new halo_inproc_group(n_ranks);
    } catch (const std::bad_alloc &) {
        return HALO_ERR_MEMORY;
    }
    return HALO_SUCCESS;
}

int32_t halo_inproc_group_size(const halo_inproc_group *group) { return group->size(); }

int32_t halo_inproc_group_open_endpoints(const halo_inproc_group *group) { return group->open_endpoints(); }

halo_status halo_inproc_group_enter(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival) {
    try {
        return group->enter(rank, *arrival);
    } catch (const std::bad_alloc &) {
        return HALO_ERR_MEMORY;
    }
}

halo_status halo_inproc_group_meet(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival) { return group->meet(rank, *arrival); }

int32_t halo_inproc_group_withdraw(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival) {
    return group->withdraw(rank, *arrival) ? 1 : 0;
}

void halo_inproc_group_fail(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival) { group->fail(rank, *arrival); }

int32_t halo_inproc_group_absent(halo_inproc_group *group) { return group->absent(); }

halo_status halo_inproc_group_destroy(halo_inproc_group *group) {
    if (group->open_endpoints() != 0) return HALO_BUSY;
    delete group;
    return HALO_SUCCESS;
}
