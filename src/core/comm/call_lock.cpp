// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call_lock.h"

#include "base/error.h"

namespace halo {

namespace {

// Another number in each thread that lives.
uintptr_t this_thread() noexcept {
    thread_local char mark = 0;
    return reinterpret_cast<uintptr_t>(&mark);
}

} // namespace

void CallLock::enter(bool *in_call) {
    if (owner_.load(std::memory_order_relaxed) == this_thread()) {
        ++depth_;
        return;
    }
    takes_turns_ ? take_turn() : claim();
    depth_ = 1;
    if (!several_ || !in_call) return;
    if (*in_call) {
        leave();
        fail(HALO_ERR_STATE, "another thread is in a call on the same exchange, and waits there");
    }
    *in_call = true;
    in_call_ = in_call;
}

void CallLock::take_turn() {
    if (checks_) claim(); // then it is the context's own thread alone that may be waited for
    n_wanting_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    n_wanting_.fetch_sub(1, std::memory_order_relaxed);
    owner_.store(this_thread(), std::memory_order_relaxed);
}

void CallLock::claim() {
    uintptr_t nobody = 0;
    if (!owner_.compare_exchange_strong(nobody, this_thread(), std::memory_order_relaxed))
        fail(HALO_ERR_STATE,
             "called while another thread is in a call of the same context: the program must order the two, or set threads = multiple");
}

void CallLock::leave() noexcept {
    if (--depth_ > 0) return;
    if (in_call_) *std::exchange(in_call_, nullptr) = false;
    owner_.store(0, std::memory_order_relaxed);
    if (takes_turns_) mutex_.unlock();
}

bool *CallLock::begin_rest() noexcept {
    ++n_resting_;
    bool *const in_call = std::exchange(in_call_, nullptr);
    depth_ = 0;
    owner_.store(0, std::memory_order_relaxed);
    mutex_.unlock();
    return in_call;
}

void CallLock::end_rest(bool *in_call) noexcept {
    take_turn();
    depth_ = 1;
    in_call_ = in_call;
    --n_resting_;
}

} // namespace halo
