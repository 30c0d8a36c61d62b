// SPDX-License-Identifier: BSD-3-Clause
// Who is in a call of a context. One thread at a time may be. Mostly the program sees to that, and nothing is done here. Calls take turns where the
// context lets several threads in (setting threads), or has one of its own (setting progress_thread). In check mode a call is refused that comes
// while another thread is in one, though the program promises that none does.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace halo {

class CallLock {
public:
    // Before the first call. `several`: of the program's threads; `own`: a thread of the context besides; `checks`: the program's promise is looked
    // at.
    void arrange(bool several, bool own, bool checks) {
        several_ = several;
        takes_turns_ = several || own;
        checks_ = checks && !several;
        active_ = takes_turns_ || checks_;
    }

    // A call of the program, or one from inside a function that it calls back.
    class Call {
    public:
        Call() = default;
        Call(Call &&other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
        ~Call() { end(); }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;
        Call &operator=(Call &&) = delete;

        // `in_call`: of the object, where a wait in the call lets others in: set while the call lasts. HALO_ERR_STATE: another thread is in one.
        void begin(CallLock &lock, bool *in_call = nullptr) {
            if (!lock.active_) [[likely]]
                return;
            lock.enter(in_call);
            lock_ = &lock;
        }
        void end() noexcept {
            if (lock_) [[unlikely]]
                std::exchange(lock_, nullptr)->leave();
        }

    private:
        CallLock *lock_ = nullptr;
    };

    // Whether a thread of the program waits for its turn: then a wait should not spin.
    bool is_wanted() const { return n_wanting_.load(std::memory_order_relaxed) > 0; }
    // Whether a wait in the present call lets others in: the call is one that bears it, and is not called back.
    bool gives_way() const { return in_call_ && depth_ <= 1; }
    // Whether a call rests in the middle, and has let the present one in.
    bool any_rests() const { return n_resting_ > 0; }
    // Of a wait in the present call: `rest` lasts a moment, in which others may come in, if it gives way.
    template <class Rest>
    void let_others_in(Rest &&rest) {
        if (!gives_way()) [[likely]]
            return rest();
        bool *const in_call = begin_rest();
        rest();
        end_rest(in_call);
    }

    // The context's own thread, which never waits for its turn. False: a call is under way.
    bool try_enter() { return mutex_.try_lock(); }
    void leave_own() { mutex_.unlock(); }

private:
    void enter(bool *in_call);
    void leave() noexcept;
    void take_turn();
    void claim();
    bool *begin_rest() noexcept;
    void end_rest(bool *in_call) noexcept;

    std::mutex mutex_;
    std::atomic<uintptr_t> owner_{ 0 }; // thread of the program that is in a call; 0: none
    std::atomic<int32_t> n_wanting_{ 0 };
    int32_t depth_ = 0; // calls within calls, of the owner
    int32_t n_resting_ = 0;
    bool *in_call_ = nullptr; // of the present call, if its waits let others in
    bool active_ = false;
    bool several_ = false;
    bool takes_turns_ = false;
    bool checks_ = false;
};

} // namespace halo
