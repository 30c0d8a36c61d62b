// SPDX-License-Identifier: BSD-3-Clause
#include "memory/leases.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"

namespace halo {

std::string Lease::text() const {
    return format("rank %d may still use it: it was at it when run %u of %s ended here, and has not ended", peer, epoch, object.c_str());
}

bool Lease::holds(Storage other) const {
    const std::less<const std::byte *> before;
    return std::any_of(storage.begin(), storage.end(), [&](const Storage &own) {
        return before(own.data(), other.data() + other.size()) && before(other.data(), own.data() + own.size());
    });
}

template <class IsOver>
void OutstandingLeases::end_if(IsOver &&is_over) noexcept {
    for (auto lease = leases_.begin(); lease != leases_.end();) {
        if (!is_over(*lease)) {
            ++lease;
            continue;
        }
        std::vector<Buffer> memory = std::move(lease->memory);
        try {
            if (lease->block) arena->release(lease->block, 0);
        } catch (...) { // a page that is not used again
        }
        lease = leases_.erase(lease);
        for (Buffer &one : memory) keep(std::move(one));
    }
}

void OutstandingLeases::reap() noexcept {
    end_if([](const Lease &lease) { return StorageGate(lease.block).close() || has_ended(lease.process); });
}

void OutstandingLeases::forget(int32_t peer) noexcept {
    end_if([&](Lease &lease) {
        if (lease.peer != peer) return false;
        lease.block = {}; // not used again: should the peer go on after all, it writes there
        return true;
    });
}

void OutstandingLeases::require_free(const void *data, size_t bytes, const std::string &what) {
    if (!data || bytes == 0) return;
    const Storage wanted(static_cast<const std::byte *>(data), bytes);
    const auto holder = [&] { return std::find_if(leases_.begin(), leases_.end(), [&](const Lease &lease) { return lease.holds(wanted); }); };
    if (holder() == leases_.end()) return;
    reap();
    if (const auto lease = holder(); lease != leases_.end()) fail(HALO_BUSY, "%s: %s", what.c_str(), lease->text().c_str());
}

// Each lease has room for the memory of all its storage.
void OutstandingLeases::keep(Buffer memory) noexcept {
    if (leases_.empty() || !memory) return;
    const Storage all(memory.data(), memory.bytes());
    const auto lease = std::find_if(leases_.begin(), leases_.end(), [&](const Lease &one) { return one.holds(all); });
    if (lease == leases_.end()) return;
    const auto is_there = [&](const Buffer &one) { return one.data() == memory.data(); }; // fields may share it
    if (std::none_of(lease->memory.begin(), lease->memory.end(), is_there)) lease->memory.push_back(std::move(memory));
}

} // namespace halo
