// SPDX-License-Identifier: BSD-3-Clause
// What was in vain is left out in the next run; in vain again, in the next two, 4, ... 64.
#pragma once

#include <algorithm>
#include <cstdint>

namespace halo {

class Pause {
public:
    // Asked once in each run.
    bool lasts() {
        if (left_ == 0) return false;
        --left_;
        return true;
    }
    void was_in_vain() {
        constexpr uint32_t longest = 6;
        left_ = 1u << std::min(in_vain_++, longest);
    }
    void was_of_use() { in_vain_ = 0; }

private:
    uint32_t in_vain_ = 0; // times in a row
    uint32_t left_ = 0;    // runs
};

} // namespace halo
