// SPDX-License-Identifier: BSD-3-Clause
// Who may call a context now. With some transports only the thread that made it; while a function of the program is called back, only what that
// function is for. What only reads is always allowed.
#pragma once

#include <cstdint>
#include <thread>

namespace halo {

// What is being called back. An arrival may bind storage; the others (log, allocators, combining) may only read.
enum class Inside : uint8_t { nothing, arrival, callback };

class CallRules {
public:
    void allow_this_thread_only() {
        one_thread_ = true;
        thread_ = std::this_thread::get_id();
    }

    // HALO_ERR_STATE unless a call that may be made inside `most` may be made now.
    void require(Inside most) const {
        if (inside_ > most || (one_thread_ && std::this_thread::get_id() != thread_)) [[unlikely]]
            refuse();
    }

    bool in_callback() const { return inside_ != Inside::nothing; }

    // While it lives, a function of the program runs.
    class Callback {
    public:
        Callback(CallRules &rules, Inside inside, const char *name) : rules_(rules), inside_(rules.inside_), name_(rules.name_) {
            rules.inside_ = inside > inside_ ? inside : inside_;
            rules.name_ = name;
        }
        ~Callback() {
            rules_.inside_ = inside_;
            rules_.name_ = name_;
        }
        Callback(const Callback &) = delete;
        Callback &operator=(const Callback &) = delete;

    private:
        CallRules &rules_;
        Inside inside_; // as before
        const char *name_;
    };

private:
    [[noreturn]] void refuse() const;

    std::thread::id thread_;
    const char *name_ = "";
    Inside inside_ = Inside::nothing;
    bool one_thread_ = false;
};

} // namespace halo
