// SPDX-License-Identifier: BSD-3-Clause
// Storage of this rank that a peer was using when the run in which it was let to ended here. The peer may be stopped, and go on at any time: until it
// has ended too, nobody else may use the storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/pool.h"
#include "memory/process.h"
#include "memory/shared_arena.h"
#include "memory/storage_gate.h"

namespace halo {

using Storage = std::span<const std::byte>;

struct Lease {
    SharedBlock block; // with the gate
    int32_t peer = -1;
    Process process{}; // the peer's
    std::string object{};
    uint32_t epoch = 0; // of the run
    std::vector<Storage> storage{};
    std::vector<Buffer> memory{};         // what it lies in, once nobody else wants that
    std::shared_ptr<const void> beside{}; // what else the peer uses

    std::string text() const;
    bool holds(Storage other) const;
};

class OutstandingLeases {
public:
    bool empty() const { return leases_.empty(); }
    void take_over(std::list<Lease> &lease) noexcept { leases_.splice(leases_.end(), lease); }
    // HALO_BUSY: "what: rank 3 ...".
    void require_free(const void *data, size_t bytes, const std::string &what);
    // Memory that is not wanted any more stays until nobody holds any of it.
    void keep(Buffer memory) noexcept;
    // A rank that will never go on.
    void forget(int32_t peer) noexcept;
    // Ends those whose peers have ended.
    void reap() noexcept;
    const Lease &oldest() const { return leases_.front(); }

    // Where blocks go back to.
    SharedArena *arena = nullptr;

private:
    template <class IsOver>
    void end_if(IsOver &&is_over) noexcept;

    std::list<Lease> leases_;
};

} // namespace halo
