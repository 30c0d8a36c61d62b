// SPDX-License-Identifier: BSD-3-Clause
// Waiting for others: spin, then yield, then sleep (ranks may share cores), with a warning time and a time limit.
#pragma once

#include <utility>

#include "comm/context.h"

namespace halo {

// Answers other ranks while this one waits, and asks them why they do not come when that takes long.
class Patience {
public:
    // `serial`: the object with runs that waits; 0: none, then nobody is asked, and differences are left to those.
    Patience(Context &context, double timeout_seconds, uint32_t serial);
    // A wait begins.
    void begin();
    void waited(double seconds);
    void end() { context_.inquiries().end_wait(serial_); }

private:
    Context &context_;
    double timeout_;
    uint32_t serial_;
    double next_look_ = 0;
    double next_question_ = 0;
};

class Waiter {
public:
    // `timeout_seconds` 0: none. `serial`: the object with runs that waits, if it is one. Between two of its turns nothing is half done.
    Waiter(Context &context, double timeout_seconds, uint32_t serial = 0)
        : context_(context),
          timeout_(timeout_seconds),
          lets_others_in_(serial != 0),
          patience_(context, timeout_seconds, serial) {}

    ~Waiter() {
        if (begin_ >= 0) patience_.end();
    }
    Waiter(const Waiter &) = delete;
    Waiter &operator=(const Waiter &) = delete;

    // One turn of waiting: progresses the transport. False: the time limit has passed. `describe` returns the text of what is
    // missing; it is called when the warning time is reached (and logged), never before.
    template <class Describe>
    bool pause(Describe &&describe) {
        let_others_go_on();
        return turn(describe);
    }

    // The same where there is no transport yet.
    template <class Describe>
    bool turn(Describe &&describe) {
        if (++turns_ <= context_.waiting().spins && !is_in_the_way()) [[likely]]
            return true;
        const double waited = back_off();
        if (waited >= next_warning_) {
            context_.log().warn("waiting for %.1f s: %s", waited, describe().c_str());
            next_warning_ = 2 * waited;
        }
        // Who was held up for longer than the limit himself looks once more before he blames others.
        return timeout_ <= 0 || waited < timeout_ || !std::exchange(expired_, true);
    }

    double seconds() const;

private:
    void let_others_go_on();
    // Of a thread that could go on meanwhile.
    bool is_in_the_way() const {
        const CallLock &lock = context_.call_lock();
        return lets_others_in_ && lock.is_wanted() && lock.gives_way();
    }
    double back_off(); // yields or sleeps; returns the seconds waited so far

    Context &context_;
    double timeout_;
    bool lets_others_in_; // threads, into the context
    Patience patience_;
    double next_warning_ = 0;
    int64_t turns_ = 0;
    bool expired_ = false;
    double begin_ = -1; // -1: not yet
};

} // namespace halo
