// SPDX-License-Identifier: BSD-3-Clause
// Runs in flight, which go on besides the call that the program has made last: by the context's own thread while the program computes (setting
// progress_thread), and in its calls for something else.
#pragma once

#include <optional>
#include <utility>

#include "base/error.h"

namespace halo {

class Progressing {
public:
    virtual ~Progressing() = default;

protected:
    // Polls operations of the transport. Nothing happens that the program must know of before it asks: no memory is taken, nothing of it is called,
    // and what has come is not looked at. True: something is under way.
    virtual bool progress_alone() = 0;
    // The same in a call of the program's: takes what has come for the present run, and the memory for that. Whose part has failed is left alone.
    virtual void take_what_has_come() = 0;

    // What has failed in one of these, to be told by the program's next call on the object, once.
    void raise_failed_progress() {
        if (failed_) [[unlikely]]
            throw Error(*std::exchange(failed_, std::nullopt));
    }

    void forget_failed_progress() noexcept { failed_.reset(); }

    // While it lives, a call on the object is at work, which sees to all this itself: others leave it alone.
    class AtWork {
    public:
        explicit AtWork(Progressing &one) : one_(one), before_(std::exchange(one.at_work_, true)) {}
        ~AtWork() { one_.at_work_ = before_; }
        AtWork(const AtWork &) = delete;
        AtWork &operator=(const AtWork &) = delete;

    private:
        Progressing &one_;
        bool before_;
    };

private:
    friend class ProgressingList;

    // The first failure is kept.
    template <class Step>
    bool unless_at_work(Step &&step) noexcept {
        if (at_work_) return false;
        try {
            return step();
        } catch (...) {
            if (!failed_) failed_ = present_error();
            return false;
        }
    }
    // An operation that has failed has ended, and would not fail again.
    bool progress() noexcept {
        return !failed_ && unless_at_work([&] { return progress_alone(); });
    }
    void take() noexcept {
        unless_at_work([&] {
            take_what_has_come();
            return false;
        });
    }

    std::optional<Error> failed_;
    bool at_work_ = false;
    Progressing *next_ = nullptr;
    Progressing **place_ = nullptr; // what points here; null: in no list
};

// All of a context. To add one cannot fail.
class ProgressingList {
public:
    void add(Progressing &one) noexcept {
        one.next_ = first_;
        if (first_) first_->place_ = &one.next_;
        one.place_ = &first_;
        first_ = &one;
    }
    void remove(Progressing &one) noexcept {
        if (!one.place_) return;
        *one.place_ = one.next_;
        if (one.next_) one.next_->place_ = one.place_;
        one.place_ = nullptr;
    }
    // True: something is under way.
    bool progress() noexcept {
        bool under_way = false;
        for (Progressing *one = first_; one; one = one->next_) under_way = one->progress() || under_way;
        return under_way;
    }
    void take_what_has_come() noexcept {
        for (Progressing *one = first_; one; one = one->next_) one->take();
    }

private:
    Progressing *first_ = nullptr;
};

} // namespace halo
