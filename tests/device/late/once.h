// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace late {

// One of many, after so many others, or none. Set by any thread, asked by one.
class Once {
public:
    explicit Once(int64_t after) : after_(after) {}
    void set(int64_t after) { after_ = after; }
    bool is_now() { return after_ >= 0 && after_-- == 0; }

private:
    std::atomic<int64_t> after_;
};

} // namespace late
