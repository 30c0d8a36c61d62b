// SPDX-License-Identifier: BSD-3-Clause
// Vectors with an entry for each point: entries that are not given a value have none, so that new memory is touched once.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace halo {

template <class T>
struct NotSet : std::allocator<T> {
    template <class Other>
    struct rebind {
        using other = NotSet<Other>;
    };

    NotSet() = default;
    template <class Other>
    NotSet(const NotSet<Other> &) {} // NOLINT(google-explicit-constructor): as allocators must

    template <class U, class... Arguments>
    void construct(U *at, Arguments &&...arguments) {
        if constexpr (sizeof...(Arguments) == 0)
            ::new (static_cast<void *>(at)) U;
        else
            ::new (static_cast<void *>(at)) U(std::forward<Arguments>(arguments)...);
    }
};

template <class T>
using LargeVector = std::vector<T, NotSet<T>>;

} // namespace halo
