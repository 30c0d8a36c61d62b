// SPDX-License-Identifier: BSD-3-Clause
#include "channel/long_waits.h"

#include "channel/mailbox.h"

namespace halo {

bool PolledWait::is_of(uint32_t epoch, uint32_t state) const { return began_ >= 0 && epoch == epoch_ && state == state_; }

bool PolledWait::lasts(const Context &context, uint32_t epoch, uint32_t state) {
    const double limit = context.waiting().warn_seconds;
    if (limit <= 0) return false;
    const double now = context.clock();
    if (!is_of(epoch, state)) {
        *this = PolledWait();
        began_ = now;
        epoch_ = epoch;
        state_ = state;
    }
    seconds_ = now - began_;
    if (told_ || seconds_ < limit) return false;
    told_ = true;
    return true;
}

bool LongWaits::look(const Context &context, const Mailbox &box) {
    Watched *const place = place_of(box);
    if (!place || !place->wait.lasts(context, box.epoch(), static_cast<uint32_t>(box.state()))) return false;
    context.log().warn("waiting for %.1f s: %s", place->wait.seconds(), box.awaited().c_str());
    *place = {};
    return true;
}

void LongWaits::forget(const Mailbox &box) noexcept {
    for (Watched &one : watched_)
        if (one.box == &box) one = {};
}

// Its own, or one whose wait is over; nullptr: there is none.
LongWaits::Watched *LongWaits::place_of(const Mailbox &box) {
    Watched *unused = nullptr;
    for (Watched &one : watched_) {
        if (one.box == &box) return &one;
        if (!one.box || !one.wait.is_of(one.box->epoch(), static_cast<uint32_t>(one.box->state()))) unused = &one;
    }
    if (unused) *unused = { &box, {} };
    return unused;
}

} // namespace halo
