// SPDX-License-Identifier: BSD-3-Clause
// Vectors with an entry for each point: large ones lie on huge pages where the system gives them to those who ask, since new small pages cost more
// than what is written to them. Entries that are not given a value have none.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace halo {

template <class T>
struct LargePages {
    using value_type = T;
    static constexpr size_t huge_page = size_t{ 2 } << 20;

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other> &) {} // NOLINT(google-explicit-constructor): as allocators must

    static std::align_val_t boundary(size_t n) { return std::align_val_t{ n >= huge_page / sizeof(T) ? huge_page : alignof(T) }; }
    T *allocate(size_t n) {
        if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
        void *const found = ::operator new(n * sizeof(T), boundary(n));
#ifdef MADV_HUGEPAGE
        if (const size_t whole = n * sizeof(T) / huge_page * huge_page; whole > 0) madvise(found, whole, MADV_HUGEPAGE);
#endif
        return static_cast<T *>(found);
    }
    void deallocate(T *data, size_t n) { ::operator delete(data, boundary(n)); }

    template <class U, class... Arguments>
    void construct(U *at, Arguments &&...arguments) {
        if constexpr (sizeof...(Arguments) == 0)
            ::new (static_cast<void *>(at)) U;
        else
            ::new (static_cast<void *>(at)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const LargePages &) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

} // namespace halo
