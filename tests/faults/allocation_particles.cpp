// SPDX-License-Identifier: BSD-3-Clause
// Particles in a row of blocks: to the next one, and over others. A rank without memory says so to all, or asks again; where that comes to nothing
// all make their particles again.
#include "allocation_scenarios.h"
#include "halo_particles.h"

namespace allocations {

namespace {

struct One {
    double x;
    int64_t id;
};

class Row {
public:
    Row(Member &member, bool by_position) : member_(member), by_position_(by_position) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 2 * member.size, blocks.n_cells[0] = 4;
        TOGETHER(halo_topology_create_blocks(member.context, &blocks, &topology_), [&] { ALONE(halo_topology_destroy(&topology_)); });
        TALK(make());
    }
    ~Row() {
        halo_particles_destroy(&particles_);
        halo_topology_destroy(&topology_);
    }
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    void run(int64_t cells) {
        bool anew = false;
        member_.together(
            "run",
            [&] {
                halo_status status = anew ? make_again() : HALO_SUCCESS;
                if (status == HALO_SUCCESS) status = step(cells);
                anew = status != HALO_SUCCESS;
                return status;
            },
            [&] { anew = true; });
        for (int part = 0; part < 2; ++part) member_.keep(storage_[part], static_cast<size_t>(after_[part]) * sizeof(One));
    }

private:
    halo_status make() {
        const int64_t bytes = sizeof(One);
        const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 0, 0 } };
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.column_bytes = &bytes;
        if (by_position_) desc.position = &position;
        return halo_particles_create(topology_, &desc, &particles_);
    }
    // What is in flight is nothing to those that have failed.
    halo_status make_again() {
        if (particles_ && halo_particles_destroy(&particles_) == HALO_BUSY) {
            halo_particles_abandon(particles_);
            halo_particles_destroy(&particles_);
        }
        return make();
    }
    halo_status step(int64_t cells) {
        Member &member = member_;
        const int64_t n_parts = 2 * member.size;
        int64_t counts[2] = { 4, 4 }, targets[2][4], n = 0;
        const int64_t *lists[2] = { targets[0], targets[1] };
        for (int64_t part = 0; part < 2; ++part)
            for (int64_t i = 0; i < 4; ++i) {
                const int64_t gid = 2 * member_.rank + part;
                storage_[part][i] = { static_cast<double>(i) + 0.5 + static_cast<double>(i % 2 * cells), 4 * gid + i };
                targets[part][i] = (gid + i % 2 * cells) % n_parts;
            }
        void *data[2] = { storage_[0], storage_[1] };
        halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
        arrays.n_parts = arrays.n_data = 2, arrays.counts = counts, arrays.data = data;
        if (!by_position_) arrays.targets = lists;
        halo_status status = halo_particles_start(particles_, &arrays);
        if (status != HALO_SUCCESS) return status;
        int32_t done = 0;
        status = halo_particles_test(particles_, &done);
        if (status != HALO_SUCCESS && status != HALO_ERR_MEMORY) return status; // counts asks again
        status = halo_particles_counts(particles_, after_, 2, &n);
        if (status == HALO_ERR_MEMORY) {
            status = halo_particles_counts(particles_, after_, 2, &n);
            if (status == HALO_ERR_STATE) status = HALO_ERR_MEMORY; // it has failed for good
        }
        if (status != HALO_SUCCESS) return status;
        halo_particle_place left[8];
        ALONE(halo_particles_left(particles_, left, 8, &n));
        counts[0] = counts[1] = std::ssize(storage_[0]);
        status = halo_particles_finish(particles_, &arrays);
        return status == HALO_ERR_MEMORY ? halo_particles_finish(particles_, &arrays) : status;
    }

    Member &member_;
    bool by_position_;
    halo_topology *topology_ = nullptr;
    halo_particles *particles_ = nullptr;
    One storage_[2][32] = {};
    int64_t after_[2] = {};
};

void particles(Member &member, bool by_position) {
    Row row(member, by_position);
    for (const int64_t cells : { 3, 3, 11 }) row.run(cells);
}

} // namespace

std::vector<Scenario> particle_scenarios() {
    std::vector<Scenario> all;
    add_for_ranks(all, "particles by position", [](Member &member) { particles(member, true); });
    add_for_ranks(all, "particles by target", [](Member &member) { particles(member, false); });
    return all;
}

} // namespace allocations
