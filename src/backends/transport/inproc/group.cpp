// SPDX-License-Identifier: BSD-3-Clause
#include "group.h"

#include <algorithm>
#include <new>

namespace halo::inproc {

Round::~Round() {
    for (Mailbox &box : mailboxes_) {
        Pipe *pipe = box.pipes.load(std::memory_order_relaxed);
        while (pipe != nullptr) {
            std::unique_ptr<Pipe> owned(pipe);
            pipe = pipe->next_of_receiver;
        }
    }
}

Pipe &Round::add_pipe(int32_t source, int32_t destination) {
    auto *pipe = new Pipe(source);
    std::atomic<Pipe *> &head = mailbox(destination).pipes;
    pipe->next_of_receiver = head.load(std::memory_order_relaxed);
    while (!head.compare_exchange_weak(pipe->next_of_receiver, pipe, std::memory_order_release, std::memory_order_relaxed)) {}
    return *pipe;
}

} // namespace halo::inproc

bool halo_inproc_group::meet(int32_t rank, int64_t &meeting) {
    if (meeting >= 0) return meeting < n_meetings_.load(std::memory_order_acquire);
    std::lock_guard lock(mutex_);
    const auto place = static_cast<size_t>(rank);
    if (present_[place]) return false; // another thread is
    meeting = n_meetings_;
    present_[place] = true;
    if (++n_present_ < size()) return false;
    std::fill(present_.begin(), present_.end(), false);
    n_present_ = 0;
    ++n_meetings_;
    return true;
}

bool halo_inproc_group::withdraw(int32_t rank, int64_t meeting) {
    std::lock_guard lock(mutex_);
    if (meeting < 0) return true;
    if (meeting < n_meetings_) return false;
    present_[static_cast<size_t>(rank)] = false;
    --n_present_;
    return true;
}

int32_t halo_inproc_group::absent() {
    std::lock_guard lock(mutex_);
    return static_cast<int32_t>(std::find(present_.begin(), present_.end(), false) - present_.begin());
}

std::shared_ptr<halo::inproc::Round> halo_inproc_group::join(int32_t rank) {
    std::lock_guard lock(mutex_);
    int64_t &number = opens_[static_cast<size_t>(rank)];
    auto place = static_cast<size_t>(number - first_joining_);
    if (place == joining_.size()) joining_.push_back({ std::make_shared<halo::inproc::Round>(size()), 0 });
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

int32_t halo_inproc_group_meet(halo_inproc_group *group, int32_t rank, int64_t *meeting) { return group->meet(rank, *meeting) ? 1 : 0; }

int32_t halo_inproc_group_withdraw(halo_inproc_group *group, int32_t rank, int64_t meeting) { return group->withdraw(rank, meeting) ? 1 : 0; }

int32_t halo_inproc_group_absent(halo_inproc_group *group) { return group->absent(); }

halo_status halo_inproc_group_destroy(halo_inproc_group *group) {
    if (group->open_endpoints() != 0) return HALO_BUSY;
    delete group;
    return HALO_SUCCESS;
}
