// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_block.h"

#include "memory/shared_word.h"

namespace halo {

uint32_t SharedBlock::read_epoch() const {
    const uint64_t told = SharedWord(word(0)).load(std::memory_order_acquire);
    return told >> 32 == tag() ? static_cast<uint32_t>(told) : 0;
}

void SharedBlock::tell_read(uint32_t epoch) const { SharedWord(word(0)).store(tag() << 32 | epoch, std::memory_order_release); }

void SharedBlock::tell_written(uint32_t epoch) const { SharedWord(written(epoch)).store(tag() << 32 | epoch, std::memory_order_release); }

bool SharedBlock::is_written(uint32_t epoch) const { return SharedWord(written(epoch)).load(std::memory_order_acquire) == (tag() << 32 | epoch); }

bool SharedBlock::is_same() const { return SharedWord(word(2)).load(std::memory_order_acquire) == offer_.word; }

void SharedBlock::begin() const {
    tell_read(0);
    SharedWord(state()).store(0, std::memory_order_relaxed);
    SharedWord(word(2)).store(offer_.word, std::memory_order_release);
}

} // namespace halo
