// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

namespace halo {

// Erases what `is_done`. If that throws, what it has not been asked about stays. Changes the order.
template <class T, class IsDone>
void erase_unordered(std::vector<T> &all, IsDone &&is_done) {
    for (size_t i = 0; i < all.size();) {
        if (!is_done(all[i])) {
            ++i;
            continue;
        }
        std::swap(all[i], all.back());
        all.pop_back();
    }
}

} // namespace halo
