// SPDX-License-Identifier: BSD-3-Clause
// Messages that wait for a device: they leave in whatever call of the rank comes after it has made them ready.
#pragma once

#include <utility>

namespace halo {

class Departing {
public:
    virtual ~Departing() = default;
    // Polls. True: all has left, or never will.
    virtual bool depart() noexcept = 0;

private:
    friend class Departures;
    Departing *next_ = nullptr;
    bool waits_ = false;
};

// Those of a context. To add one cannot fail.
class Departures {
public:
    bool empty() const { return first_ == nullptr; }
    void add(Departing &one) noexcept {
        if (std::exchange(one.waits_, true)) return;
        one.next_ = std::exchange(first_, &one);
    }
    void remove(Departing &one) noexcept {
        if (!std::exchange(one.waits_, false)) return;
        Departing **place = &first_;
        while (*place != &one) place = &(*place)->next_;
        *place = one.next_;
    }
    void let_go() noexcept {
        for (Departing **place = &first_; *place;) {
            Departing &one = **place;
            if (!one.depart()) {
                place = &one.next_;
                continue;
            }
            *place = one.next_;
            one.waits_ = false;
        }
    }

private:
    Departing *first_ = nullptr;
};

} // namespace halo
