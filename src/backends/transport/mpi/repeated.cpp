// SPDX-License-Identifier: BSD-3-Clause
#include "repeated.h"

#include <algorithm>
#include <span>

namespace halo::mpi {

namespace {

size_t hash_of(const Repeated::Operation &operation) {
    uint64_t hash = operation.sends ? 1 : 0;
    const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
    mix(static_cast<uint64_t>(operation.address.peer));
    mix(static_cast<uint64_t>(operation.address.tag) << 32 | static_cast<uint32_t>(operation.address.lane));
    mix(reinterpret_cast<uintptr_t>(operation.data));
    mix(operation.bytes);
    return static_cast<size_t>(hash >> 32);
}

void free_request(Kept &kept) {
    if (kept.request != MPI_REQUEST_NULL) MPI_Request_free(&kept.request);
}

} // namespace

Kept *Repeated::find(const Operation &operation) {
    if (places_.empty()) return nullptr;
    const std::span<Place> set(&places_[hash_of(operation) % n_sets * n_ways], n_ways);
    Place *oldest = nullptr;
    for (Place &place : set) {
        if (place.operation == operation) {
            place.last_used = ++clock_;
            return place.in_flight ? nullptr : &place;
        }
        if (!place.in_flight && (!oldest || place.last_used < oldest->last_used)) oldest = &place;
    }
    if (!oldest) return nullptr;
    free_request(*oldest);
    oldest->operation = operation;
    oldest->last_used = ++clock_;
    return nullptr;
}

void Repeated::free_all() {
    for (Place &place : places_)
        if (!place.in_flight) free_request(place);
    places_.clear();
}

int64_t Repeated::n_kept() const {
    return std::count_if(places_.begin(), places_.end(), [](const Place &place) { return place.request != MPI_REQUEST_NULL; });
}

} // namespace halo::mpi
