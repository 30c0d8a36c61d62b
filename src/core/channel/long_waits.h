// SPDX-License-Identifier: BSD-3-Clause
// Waits of those who poll channels. One that lasts for the warning time is logged, once. The clock is read at one of 256 polls in vain.
#pragma once

#include <cstdint>

#include "comm/context.h"

namespace halo {

class Mailbox;

inline constexpr uint32_t polls_per_look = 256;

// A wait begins with the first look at it, and ends when epoch or state have changed.
class PolledWait {
public:
    bool is_of(uint32_t epoch, uint32_t state) const;
    // True, once: it lasts for the warning time.
    bool lasts(const Context &context, uint32_t epoch, uint32_t state);
    double seconds() const { return seconds_; } // of the last look

private:
    double began_ = -1;
    double seconds_ = 0;
    uint32_t epoch_ = 0;
    uint32_t state_ = 0;
    bool told_ = false;
};

// Those of mailboxes. A few at a time: where very many wait, the log has some of them, then others.
class LongWaits {
public:
    // Of the polls in vain of all channels, about one in 256: at random, so that channels polled in turn all come to it.
    bool is_due() {
        if (--until_due_ > 0) [[likely]]
            return false;
        random_ = random_ * 1664525u + 1013904223u; // Numerical Recipes' generator; its high bits are the good ones
        until_due_ = polls_per_look / 2 + (random_ >> 24);
        return true;
    }
    // True: the wait of this one has been logged.
    bool look(const Context &context, const Mailbox &box);
    void forget(const Mailbox &box) noexcept;

private:
    struct Watched {
        const Mailbox *box = nullptr; // nullptr: free
        PolledWait wait;
    };
    Watched *place_of(const Mailbox &box);

    Watched watched_[16];
    uint32_t random_ = 1;
    uint32_t until_due_ = polls_per_look;
};

} // namespace halo
