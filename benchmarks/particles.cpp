// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "halo_particles.hpp"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int64_t n_cells = 64; // of a rank's block, per direction

struct Particle {
    double x[3], v[3];
    int64_t id;
};

// A block for each rank in a ring; of its particles some go on to the next block in each step, and as many back to the one before.
class Ring {
public:
    Ring(const Session &session, int64_t n, double moving) : session_(session), n_ranks_(session.n_ranks()), step_(moving * n_cells) {
        std::mt19937_64 random(static_cast<uint64_t>(session.rank()));
        std::uniform_real_distribution<double> inside(0, n_cells);
        for (int64_t i = 0; i < n; ++i)
            start_.push_back({ { inside(random), inside(random), inside(random) }, { i % 2 == 0 ? step_ : -step_, 0, 0 }, session.rank() * n + i });
    }

    const std::vector<Particle> &begin() const { return start_; }
    static void move(std::vector<Particle> &particles) {
        for (Particle &one : particles) one.x[0] += one.v[0];
    }

    // Particles for each rank, told by MPI_Alltoall, sent by MPI_Alltoallv.
    void by_hand(std::vector<Particle> &particles) {
        for (auto &list : leaving_) list.clear();
        leaving_.resize(static_cast<size_t>(n_ranks_));
        size_t kept = 0;
        for (const Particle &one : particles) {
            if (one.x[0] >= 0 && one.x[0] < n_cells) {
                particles[kept++] = one;
                continue;
            }
            const int32_t side = one.x[0] < 0 ? -1 : 1;
            auto &list = leaving_[static_cast<size_t>((session_.rank() + side + n_ranks_) % n_ranks_)];
            list.push_back(one);
            list.back().x[0] -= side * n_cells;
        }
        particles.resize(kept);
        out_.clear();
        counts_.clear();
        for (const auto &list : leaving_) {
            counts_.push_back(static_cast<int64_t>(list.size() * sizeof(Particle)));
            const auto *bytes = reinterpret_cast<const std::byte *>(list.data());
            out_.insert(out_.end(), bytes, bytes + counts_.back());
        }
        session_.mpi()->alltoallv(counts_, out_, in_);
        particles.resize(kept + in_.size() / sizeof(Particle));
        if (!in_.empty()) std::memcpy(&particles[kept], in_.data(), in_.size());
    }

private:
    const Session &session_;
    int32_t n_ranks_;
    double step_;
    std::vector<Particle> start_;
    std::vector<std::vector<Particle>> leaving_;
    std::vector<int64_t> counts_;
    std::vector<std::byte> out_, in_;
};

halo::Topology ring_of_blocks(const Session &session) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_blocks[0] = session.n_ranks();
    std::fill_n(desc.n_cells, 3, n_cells);
    desc.periodic[0] = 1;
    return { session.context(), desc };
}

halo::Particles of_topology(const halo::Topology &topology) {
    const int64_t bytes = sizeof(Particle);
    const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 8, 16 } }, velocity{ { 0, 0, 0 }, 0, { 24, 32, 40 } };
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    desc.column_bytes = &bytes, desc.position = &position, desc.vectors = &velocity, desc.n_vectors = 1;
    return { topology, desc };
}

bool same(const std::vector<Particle> &a, const std::vector<Particle> &b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const Particle &one, const Particle &other) { return one.id == other.id; });
}

} // namespace

void run_particles(const Session &session, const Options &options, Report &report) {
    report.begin("migration of particles",
                 "structs of 56 bytes in a block for each rank, in a ring; against MPI_Alltoall and MPI_Alltoallv by hand; us");
    if (!session.mpi()) throw std::runtime_error("particles: wants an MPI, whose launcher started the ranks");
    const halo::Topology topology = ring_of_blocks(session);
    for (const double moving : { 0.01, 0.1 }) {
        halo::Particles particles = of_topology(topology);
        Ring ring(session, options.points, moving);
        std::vector<std::vector<Particle>> ours{ ring.begin() };
        std::vector<Particle> theirs = ring.begin();
        std::vector<double> by_library, by_hand, ratios;
        for (int pair = -3; pair < options.pairs; ++pair) { // the first make room
            Ring::move(ours[0]);
            Ring::move(theirs);
            double library = 0, hand = 0;
            const auto run_library = [&] {
                library = timed(session, [&] {
                    particles.start(std::span(ours));
                    particles.finish(std::span(ours));
                });
            };
            const auto run_hand = [&] { hand = timed(session, [&] { ring.by_hand(theirs); }); };
            if (pair % 2 == 0)
                run_library(), run_hand();
            else
                run_hand(), run_library();
            if (!same(ours[0], theirs)) throw std::runtime_error("particles: others than by hand, or in another order");
            if (pair < 0) continue;
            by_library.push_back(library * microseconds);
            by_hand.push_back(hand * microseconds);
            ratios.push_back(library / hand);
        }
        const Estimate ratio = estimate(ratios);
        report.row(Row()
                       .add("particles", options.points)
                       .add("moving", moving)
                       .add("libhalo us", median_of(by_library))
                       .add("by hand us", median_of(by_hand))
                       .add("ratio", ratio));
    }
}

} // namespace bench
