// SPDX-License-Identifier: BSD-3-Clause
// What the context's own thread lets go on while the program computes (setting progress_thread).
#pragma once

namespace halo {

class Progressing {
public:
    virtual ~Progressing() = default;
    // Polls operations of the transport. Nothing happens that the program must know of before it asks: no memory is taken, nothing of it is called,
    // and what has come is not looked at. An error is kept for the program's next call. True: something is under way.
    virtual bool progress_alone() noexcept = 0;

private:
    friend class ProgressingList;
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
        for (Progressing *one = first_; one; one = one->next_) under_way = one->progress_alone() || under_way;
        return under_way;
    }

private:
    Progressing *first_ = nullptr;
};

} // namespace halo
