// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_particles.hpp
 * The C interface of halo_particles.h with an owner and exceptions, as halo.hpp is that of halo.h.
 *
 *     halo::Particles tracers(topology, desc);      // of one column: an array of structs
 *     std::vector<std::vector<Tracer>> parts(n_parts);
 *     tracers.start(std::span(parts));
 *     tracers.finish(std::span(parts));             // each part has its own again
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halo.hpp"
#include "halo_particles.h"

namespace halo {

/// Particles of one kind on a topology, and their migration. A run in flight is given up when they go.
class Particles : public Handle<halo_particles, detail::destroy_in_flight<halo_particles, halo_particles_destroy, halo_particles_abandon>> {
public:
    /// Collective.
    Particles(const Topology &topology, const halo_particles_desc &desc) { check(halo_particles_create(topology, &desc, &handle_)); }

    void start(const halo_particles_arrays &arrays) { check(halo_particles_start(handle_, &arrays)); }
    bool test() {
        std::int32_t done = 0;
        check(halo_particles_test(handle_, &done));
        return done != 0;
    }
    /// Of each local part after the run.
    std::vector<std::int64_t> counts() {
        return detail::all_of<std::int64_t>([&](auto... list) { return halo_particles_counts(handle_, list...); });
    }
    /// Those that the run takes out of the domain.
    std::vector<halo_particle_place> left() const {
        return detail::all_of<halo_particle_place>([&](auto... list) { return halo_particles_left(handle_, list...); });
    }
    void finish(const halo_particles_arrays &arrays) { check(halo_particles_finish(handle_, &arrays)); }
    void abandon() { check(halo_particles_abandon(handle_)); }

    /// Of one column: a vector of structs for each local part.
    template <class T>
    void start(std::span<std::vector<T>> parts) {
        start(Arrays(parts).get());
    }
    /// The vectors are as at start; afterwards each has what its part has.
    template <class T>
    void finish(std::span<std::vector<T>> parts) {
        const std::vector<std::int64_t> after = counts();
        for (std::size_t part = 0; part < parts.size(); ++part)
            parts[part].resize(std::max(parts[part].size(), static_cast<std::size_t>(after.at(part))));
        finish(Arrays(parts).get());
        for (std::size_t part = 0; part < parts.size(); ++part) parts[part].resize(static_cast<std::size_t>(after[part]));
    }

private:
    class Arrays {
    public:
        template <class T>
        explicit Arrays(std::span<std::vector<T>> parts) {
            for (std::vector<T> &part : parts) {
                counts_.push_back(static_cast<std::int64_t>(part.size()));
                data_.push_back(part.data());
            }
        }
        halo_particles_arrays get() const {
            halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
            arrays.n_parts = arrays.n_data = static_cast<std::int64_t>(counts_.size());
            arrays.counts = counts_.data();
            arrays.data = data_.data();
            return arrays;
        }

    private:
        std::vector<std::int64_t> counts_;
        std::vector<void *> data_;
    };
};

} // namespace halo
