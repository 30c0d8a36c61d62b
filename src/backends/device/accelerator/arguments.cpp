// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

namespace halo::accelerator {

// What is left over counts by its length, which is compared too.
uint64_t Arguments::hash_of(std::span<const std::byte> bytes) {
    Hash hash;
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        hash.mix(word);
    }
    return hash.value();
}

bool Arguments::is_told(const Placed &placed, std::span<const std::byte> bytes, uint64_t hash) {
    return placed.hash_ == hash && placed.n_ == bytes.size() && std::memcmp(placed.pinned_, bytes.data(), bytes.size()) == 0;
}

Arguments::Placed &Arguments::place(std::span<const std::byte> bytes, halo_stream stream) {
    const uint64_t hash = hash_of(bytes);
    for (auto one = all_.begin(); one != all_.end(); ++one) {
        if (one->stream_ != stream || !is_told(*one, bytes, hash)) continue;
        all_.splice(all_.begin(), all_, one);
        use(*one, stream);
        return *one;
    }
    Placed &placed = take(bytes.size());
    write(placed, bytes, hash, stream);
    return placed;
}

// Nothing is known to lie there if the copy fails.
void Arguments::write(Placed &placed, std::span<const std::byte> bytes, uint64_t hash, halo_stream stream) {
    placed.n_ = 0;
    std::memcpy(placed.pinned_, bytes.data(), bytes.size());
    runtime_.copy_pinned(placed.on_device_, placed.pinned_, bytes.size(), stream);
    placed.n_ = bytes.size();
    placed.hash_ = hash;
    placed.stream_ = stream;
    placed.is_there_ = false;
    placed.in_use_ = true;
}

void Arguments::use(Placed &placed, halo_stream stream) {
    if (!placed.is_there_ && !(placed.is_there_ = placed.last_use_.has_fired()))
        placed.last_use_.hold(stream); // another stream may have had the same name
    placed.stream_ = stream;
    placed.in_use_ = true;
}

std::list<Arguments::Placed> Arguments::lend(size_t bytes) {
    take(bytes);
    std::list<Placed> one;
    one.splice(one.begin(), all_, all_.begin());
    return one;
}

void Arguments::used(Placed &placed) {
    placed.last_use_.record(placed.stream_);
    placed.in_use_ = false;
}

Arguments::~Arguments() { wait_for(all_); }

void Arguments::wait_for(const std::list<Placed> &places) noexcept {
    try {
        for (const Placed &placed : places)
            while (!placed.last_use_.has_fired()) std::this_thread::yield();
    } catch (const Failure &) { // nothing of the device works any more
    }
}

// The one used longest ago that has the room and that no launch uses any more.
Arguments::Placed &Arguments::take(size_t n) {
    for (;;) {
        for (auto one = all_.end(); one != all_.begin();) {
            --one;
            if (one->in_use_ || one->capacity_ < n || !one->last_use_.has_fired()) continue;
            one->n_ = 0;
            all_.splice(all_.begin(), all_, one);
            return all_.front();
        }
        constexpr size_t least = 4096; // few sizes, so that most of them have the room for any
        add(std::max(least, std::bit_ceil(n)));
    }
}

void Arguments::add(size_t capacity) {
    constexpr size_t at_once = 16;
    memory_.emplace_back(runtime_, HALO_MEMORY_PINNED, at_once * capacity);
    char *const pinned = memory_.back().data();
    memory_.emplace_back(runtime_, HALO_MEMORY_DEVICE, at_once * capacity);
    char *const on_device = memory_.back().data();
    for (size_t i = 0; i < at_once; ++i) all_.push_back(Placed(runtime_, pinned + i * capacity, on_device + i * capacity, capacity));
}

} // namespace halo::accelerator
