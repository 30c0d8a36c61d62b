// SPDX-License-Identifier: BSD-3-Clause
// Memory for messages, as an expert would take it: large ones on huge pages, where the system has them.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace bench {

struct Free {
    void operator()(void *memory) const { std::free(memory); }
};
using Values = std::unique_ptr<double, Free>;

// Zeroed, so that the pages are there.
inline Values allocate_values(int64_t n, bool huge) {
    constexpr size_t small_page = 4096, huge_page = size_t{ 1 } << 21;
    const size_t page = huge && static_cast<size_t>(n) * sizeof(double) >= huge_page / 4 ? huge_page : small_page;
    const size_t bytes = (static_cast<size_t>(n) * sizeof(double) / page + 1) * page;
    Values values(static_cast<double *>(std::aligned_alloc(page, bytes)));
    if (!values) throw std::bad_alloc();
    if (page == huge_page) madvise(values.get(), bytes, MADV_HUGEPAGE);
    for (int64_t i = 0; i < n; ++i) values.get()[i] = 0.0;
    return values;
}

} // namespace bench
