// SPDX-License-Identifier: BSD-3-Clause
// Particles whose numbers do not grow: the library allocates nothing.
#include <gtest/gtest.h>

#include <vector>

#include "halo_particles.h"
#include "heap_of_library.h"
#include "ranks.h"

namespace conformance {

namespace {

constexpr int64_t n_each = 200;
constexpr int n_warm = 8, n_counted = 40, n_windows = 8;

struct One {
    double x[2];
    int64_t id;
};

// Half of the particles of each block of a periodic square go on in each step, to the next one or across its corner.
class Square {
public:
    explicit Square(const Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 3, blocks.n_cells[d] = 4, blocks.periodic[d] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        const int64_t bytes = sizeof(One);
        const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 8, 0 } };
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.column_bytes = &bytes, desc.position = &position;
        OK(halo_particles_create(topology_, &desc, &particles_));
        const int64_t *gids = nullptr;
        int64_t n_parts = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n_parts));
        storage_.resize(static_cast<size_t>(n_parts));
        for (auto &part : storage_) {
            part.resize(4 * n_each);
            data_.push_back(part.data());
            counts_.push_back(n_each);
            room_.push_back(4 * n_each);
        }
        for (size_t part = 0; part < storage_.size(); ++part)
            for (int64_t i = 0; i < n_each; ++i) storage_[part][static_cast<size_t>(i)] = { { 1.5, 2.5 }, gids[part] * n_each + i };
    }
    ~Square() {
        halo_particles_destroy(&particles_);
        halo_topology_destroy(&topology_);
    }
    Square(const Square &) = delete;
    Square &operator=(const Square &) = delete;

    void run(int step) {
        for (size_t part = 0; part < storage_.size(); ++part)
            for (int64_t i = 0; i < counts_[part]; ++i) {
                One &one = storage_[part][static_cast<size_t>(i)];
                if (one.id % 2 == 0) one.x[0] += 4;
                if (one.id % 4 == 0 && step % 3 == 0) one.x[1] -= 4;
            }
        halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
        arrays.n_parts = arrays.n_data = std::ssize(data_), arrays.data = data_.data(), arrays.counts = counts_.data();
        OK(halo_particles_start(particles_, &arrays));
        int64_t n = 0;
        OK(halo_particles_counts(particles_, counts_.data(), std::ssize(counts_), &n));
        arrays.counts = room_.data();
        OK(halo_particles_finish(particles_, &arrays));
        for (const int64_t count : counts_)
            if (count != n_each)
                stop("step %d: %lld particles in a block, wanted %lld", step, static_cast<long long>(count), static_cast<long long>(n_each));
    }

private:
    halo_topology *topology_ = nullptr;
    halo_particles *particles_ = nullptr;
    std::vector<std::vector<One>> storage_;
    std::vector<void *> data_;
    std::vector<int64_t> counts_, room_;
};

TEST(SteadyParticles, AllocateNothing) {
    run(3, {}, [](Rank &rank) {
        Square square(rank);
        int step = 0;
        for (; step < n_warm; ++step) square.run(step);
        int64_t anywhere = 1, here = 0;
        std::string caller;
        for (int number = 0; number < n_windows && anywhere > 0; ++number) { // a second buffer may come to be needed late
            const int64_t before = heap::pool_allocations(rank.context);
            heap::start_counting();
            for (int i = 0; i < n_counted; ++i) square.run(step++);
            const heap::Calls calls = heap::stop_counting();
            caller = heap::first_caller();
            here = calls.library + heap::pool_allocations(rank.context) - before;
            OK(halo_context_allreduce(rank.context, &here, &anywhere, 1, HALO_INT64, HALO_MAX));
        }
        if (anywhere != 0)
            stop("in each of %d windows of %d runs there were allocations; here %lld in the last, first at %s", n_windows, n_counted,
                 static_cast<long long>(here), caller.c_str());
    });
}

} // namespace

} // namespace conformance
