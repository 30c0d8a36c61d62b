// SPDX-License-Identifier: BSD-3-Clause
// Memory for storage, and for messages as an expert would take it: large ones on huge pages, where the system has them.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

namespace bench {

using Values = std::unique_ptr<double, std::function<void(double *)>>;

// Storage of so many zeros, that all contenders work on.
using Storage = std::function<Values(int64_t n)>;

// Zeroed, so that the pages are there.
inline Values allocate_values(int64_t n, bool huge) {
    constexpr size_t small_page = 4096, huge_page = size_t{ 1 } << 21;
    const size_t page = huge && static_cast<size_t>(n) * sizeof(double) >= huge_page / 4 ? huge_page : small_page;
    const size_t bytes = (static_cast<size_t>(n) * sizeof(double) / page + 1) * page;
    Values values(static_cast<double *>(std::aligned_alloc(page, bytes)), [](double *memory) { std::free(memory); });
    if (!values) throw std::bad_alloc();
    if (page == huge_page) madvise(values.get(), bytes, MADV_HUGEPAGE);
    for (int64_t i = 0; i < n; ++i) values.get()[i] = 0.0;
    return values;
}

// As most solvers have theirs.
inline Values own_storage(int64_t n) { return allocate_values(n, false); }

} // namespace bench
