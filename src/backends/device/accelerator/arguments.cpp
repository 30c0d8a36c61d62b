// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace halo::accelerator {

namespace {

// FNV-1a over words; what is left over counts by its length, which is compared too.
uint64_t hash_of(std::span<const std::byte> bytes) {
    uint64_t hash = 14695981039346656037U;
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        hash = (hash ^ word) * 1099511628211U;
    }
    return hash;
}

} // namespace

char *Arguments::address(Placed &placed) { return placed.on_device_.data(); }

Arguments::Placed &Arguments::place(std::span<const std::byte> bytes, halo_stream stream) {
    const uint64_t hash = hash_of(bytes);
    for (auto one = all_.begin(); one != all_.end(); ++one) {
        if (one->hash_ != hash || one->stream_ != stream || one->n_ != bytes.size() ||
            std::memcmp(one->pinned_.data(), bytes.data(), bytes.size()) != 0)
            continue;
        all_.splice(all_.begin(), all_, one);
        if (!one->is_there_ && !(one->is_there_ = one->sent_.has_fired())) one->sent_.hold(stream); // another stream may have had the same name
        return *one;
    }
    Placed &placed = take(bytes.size());
    std::memcpy(placed.pinned_.data(), bytes.data(), bytes.size());
    placed.in_doubt_ = true;
    runtime_.copy_pinned(placed.on_device_.data(), placed.pinned_.data(), bytes.size(), stream);
    placed.sent_.record(stream);
    placed.in_doubt_ = false;
    placed.n_ = bytes.size();
    placed.hash_ = hash;
    placed.stream_ = stream;
    placed.is_there_ = false;
    return placed;
}

void Arguments::used(Placed &placed, halo_stream stream) {
    placed.in_doubt_ = true;
    placed.last_use_.record(stream);
    placed.in_doubt_ = false;
}

Arguments::~Arguments() {
    try {
        for (const Placed &placed : all_)
            while (!is_free(placed)) std::this_thread::yield();
    } catch (const Failure &) { // nothing of the device works any more
    }
}

bool Arguments::is_free(const Placed &placed) { return placed.in_doubt_ || (placed.sent_.has_fired() && placed.last_use_.has_fired()); }

// Of many, the one used longest ago that has the room and that no launch uses any more; else a new one.
Arguments::Placed &Arguments::take(size_t n) {
    for (auto one = all_.end(); all_.size() >= most_kept && one != all_.begin();) {
        --one;
        if (one->in_doubt_ || one->on_device_.bytes() < n || !is_free(*one)) continue;
        one->n_ = 0;
        all_.splice(all_.begin(), all_, one);
        return all_.front();
    }
    constexpr size_t least = 1024;
    all_.push_front(Placed(runtime_, std::max(least, n + n / 2)));
    return all_.front();
}

} // namespace halo::accelerator
