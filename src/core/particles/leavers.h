// SPDX-License-Identifier: BSD-3-Clause
// Who leaves the parts of this rank in a run, and where they go: sections of particles from one part to another, by rank, target and source. All
// lists keep their memory from run to run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "particles/columns.h"
#include "topology/locator.h"
#include "topology/topology.h"

namespace halo {

// The caller's arrays.
struct ParticleArrays {
    std::span<const int64_t> counts; // of each local part
    void *const *data;               // by part, then column
    const int64_t *const *targets;   // by part, or null
    ColumnPointers of(size_t part, size_t n_columns) const { return reinterpret_cast<ColumnPointers>(data + part * n_columns); }
};

// Particles of one part that go to another.
struct ParticleSection {
    int64_t target;
    int64_t source;
    int64_t n;
    int32_t rank;
    size_t begins = 0;         // in the message to that rank
    std::byte *data = nullptr; // there
    int64_t n_packed = 0;
};

class Leavers {
public:
    Leavers(const Topology &topology, const ParticleColumns &columns);

    // HALO_ERR_ARGUMENT, HALO_ERR_NOT_FOUND, with part and place.
    void find(const ParticleArrays &arrays);

    // In the order of messages.
    std::span<const uint32_t> order() const { return order_; }
    std::vector<ParticleSection> &sections() { return sections_; }
    const std::vector<ParticleSection> &sections() const { return sections_; }
    // Places of a local part that become free, ascending.
    std::span<const int64_t> places(size_t part) const;
    std::span<const halo_particle_place> left() const { return left_; }
    int64_t n(size_t part) const { return counts_[part]; }
    // Copies them all to where their sections' data are to be.
    void pack(const ParticleArrays &arrays);

private:
    static constexpr uint32_t nowhere = UINT32_MAX;
    struct Leaver {
        uint32_t section;
        AxisMap map;
        std::array<double, 3> position; // in the target
    };

    void find_in(size_t part, const ParticleArrays &arrays);
    void find_by_position(size_t part, const ParticleArrays &arrays);
    void find_by_target(size_t part, const ParticleArrays &arrays);
    void leave(size_t part, int64_t place, const Landing &landing);
    uint32_t section_of(size_t part, int64_t target);
    void make_room_for_sections();
    int32_t rank_of(int64_t gid, size_t part, int64_t place) const;
    void sort_sections();
    void pack_one(ColumnPointers from, int64_t place, const Leaver &leaver, ParticleSection &section) const;
    int64_t gid(size_t part) const { return topology_.local_parts()[part]; }

    const Topology &topology_;
    const ParticleColumns &columns_;
    std::unique_ptr<Locator> locator_;
    std::vector<int64_t> counts_; // by part
    std::vector<size_t> begins_;  // by part, in the two lists that follow
    std::vector<int64_t> places_;
    std::vector<Leaver> leavers_;
    std::vector<halo_particle_place> left_;
    std::vector<ParticleSection> sections_;
    size_t first_section_ = 0;    // of the present part
    std::vector<uint32_t> table_; // its sections by hash of the target; half of it is empty
    std::vector<uint32_t> order_;
};

} // namespace halo
