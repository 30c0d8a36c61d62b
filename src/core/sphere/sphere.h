// SPDX-License-Identifier: BSD-3-Clause
// A grid on the sphere, cut into parts: what this rank stores of it.
#pragma once

#include <memory>
#include <vector>

#include "sphere/part_halo.h"
#include "topology/topology.h"

namespace halo {

class Sphere {
public:
    // Collective.
    Sphere(Context &context, const halo_sphere_desc &desc);
    ~Sphere() { --context_.children; }
    Sphere(const Sphere &) = delete;
    Sphere &operator=(const Sphere &) = delete;

    Context &context() const { return context_; }
    uint64_t id() const { return id_; }
    const std::vector<int64_t> &local_parts() const { return gids_; }
    halo_sphere_part part(int64_t gid) const;
    const SpherePartHalo &halo(int64_t gid, int32_t kind) const;
    // Rows of all local entities of a part, each of the table's width.
    std::vector<uint32_t> table(int64_t gid, int32_t from, int32_t to) const;
    // Collective.
    std::unique_ptr<Topology> topology(int32_t kind) const;

private:
    struct Part {
        int64_t number; // of the split
        std::vector<SpherePartHalo> halos;
    };
    const Part &local(int64_t gid) const;

    Context &context_;
    uint64_t id_;
    std::unique_ptr<SphereSplit> split_;
    std::vector<int64_t> gids_;
    std::vector<Part> parts_;
};

} // namespace halo
