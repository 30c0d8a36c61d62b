// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wait.h"

#include <chrono>
#include <thread>

namespace halo {

namespace {

constexpr std::chrono::microseconds nap{ 50 };

} // namespace

double Waiter::seconds() const { return begin_ < 0 ? 0.0 : context_.clock() - begin_; }

double Waiter::back_off() {
    if (begin_ < 0) {
        begin_ = context_.clock();
        next_warning_ = context_.waiting().warn_seconds > 0 ? context_.waiting().warn_seconds : 1e300;
    }
    const double waited = seconds();
    if (waited < context_.waiting().sleep_after)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(nap);
    return waited;
}

} // namespace halo
