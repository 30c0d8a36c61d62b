// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wait.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/schedule_point.h"

namespace halo {

namespace {

constexpr double seconds_per_look = 1e-3;
constexpr int64_t turns_per_taking = 8;
constexpr double last_question = 0.9; // of the time limit: peers that began to wait when this rank did give up when it does, and say so

#if defined(HALO_SIMULATION)
void take_break(double waited, bool) { simulation::sleep(std::clamp(waited / 8, 5e-5, 1e-2)); }
#else
constexpr std::chrono::microseconds nap{ 50 };

void take_break(double, bool is_short) {
    if (is_short)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(nap);
}
#endif

} // namespace

Patience::Patience(Context &context, double timeout_seconds, uint32_t serial) : context_(context), timeout_(timeout_seconds), serial_(serial) {}

void Patience::begin() {
    const double after = context_.waiting().ask_after;
    next_look_ = 0;
    next_question_ = timeout_ > 0 && std::isfinite(after) ? std::min(after, timeout_ / 4) : after;
}

void Patience::waited(double seconds) {
    if (seconds < next_look_) return;
    next_look_ = seconds + seconds_per_look;
    Inquiries &inquiries = context_.inquiries();
    inquiries.wait_in(serial_);
    inquiries.read();
    if (serial_ == 0) return;
    inquiries.refuse();
    if (seconds < next_question_ || (timeout_ > 0 && seconds > last_question * timeout_)) return;
    next_question_ = 2 * seconds;
    inquiries.ask(serial_);
}

double Waiter::seconds() const { return begin_ < 0 ? 0.0 : context_.clock() - begin_; }

void Waiter::let_others_go_on() {
    context_.fabric().progress();
    context_.let_depart();
    if (turns_ % turns_per_taking == turns_per_taking - 1) context_.take_what_has_come();
    if (begin_ >= 0) patience_.waited(seconds());
}

double Waiter::back_off() {
    if (begin_ < 0) {
        begin_ = context_.clock();
        patience_.begin();
        next_warning_ = context_.waiting().warn_seconds > 0 ? context_.waiting().warn_seconds : 1e300;
    }
    const double waited = seconds();
    const bool is_short = waited < context_.waiting().sleep_after && !is_in_the_way();
    const auto rest = [&] { take_break(waited, is_short); };
    lets_others_in_ ? context_.call_lock().let_others_in(rest) : rest();
    return waited;
}

} // namespace halo
