// SPDX-License-Identifier: BSD-3-Clause
#include "store.h"

#include <algorithm>
#include <new>

namespace halo::shm {

Stored *Store::take(size_t bytes) {
    uint32_t size_class = 0;
    while (least << size_class < bytes) ++size_class;
    if (free_[size_class] == nullptr) [[unlikely]]
        add_slab(size_class);
    Link *link = free_[size_class];
    free_[size_class] = link->next;
    auto *stored = new (static_cast<void *>(link)) Stored;
    stored->size_class = size_class;
    return stored;
}

void Store::give_back(Stored *stored) {
    Link *link = stored;
    link->next = free_[stored->size_class];
    free_[stored->size_class] = link;
}

// Grows fast, so that who has seen the usual traffic allocates no more.
void Store::add_slab(uint32_t size_class) {
    constexpr size_t most_bytes = 1 << 18;
    size_t each = sizeof(Stored) + (least << size_class);
    size_t n = std::clamp<size_t>(n_made_[size_class], 1, std::max<size_t>(1, most_bytes / each));
    if (each < 4096) n = std::max<size_t>(n, 16);
    slabs_.reserve(slabs_.size() + 1);
    auto slab = std::make_unique<std::max_align_t[]>(n * each / sizeof(std::max_align_t));
    auto *begin = reinterpret_cast<unsigned char *>(slab.get());
    slabs_.push_back(std::move(slab));
    n_made_[size_class] += n;
    for (size_t i = 0; i < n; ++i) {
        auto *stored = new (static_cast<void *>(begin + i * each)) Stored;
        stored->size_class = size_class;
        give_back(stored);
    }
}

} // namespace halo::shm
