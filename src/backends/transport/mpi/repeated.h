// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: of sends and receives that come again with the same peer, tag, memory and size. Setting mpi.requests.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halo::mpi {

struct Address {
    int32_t peer;
    int32_t lane;
    int32_t tag;
    bool operator==(const Address &) const = default;
};

// A request that is started again and again.
struct Kept {
    MPI_Request request = MPI_REQUEST_NULL;
    bool in_flight = false;
};

// What has come once is remembered, and gets a request when it comes again: in one of so many places, or none if all of those it may have are in
// flight. What has not come for longest makes room.
class Repeated {
public:
    struct Operation {
        Address address{ -1, 0, 0 };
        bool sends = false;
        const void *data = nullptr;
        size_t bytes = 0;
        bool operator==(const Operation &) const = default;
    };

    Repeated() : places_(n_sets * n_ways) {}

    // That of an operation which has come before, perhaps without a request so far; null: it is to go without one.
    Kept *find(const Operation &operation);
    // Those that are not in flight; none is found any more.
    void free_all();

    int64_t n_kept() const;
    int64_t n_started = 0;

private:
    struct Place : Kept {
        Operation operation;
        uint64_t last_used = 0;
    };
    static constexpr size_t n_sets = 256;
    static constexpr size_t n_ways = 4;

    std::vector<Place> places_; // a set's lie side by side
    uint64_t clock_ = 0;
};

} // namespace halo::mpi
