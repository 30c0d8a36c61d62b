// SPDX-License-Identifier: BSD-3-Clause
// Particles that migrate. A run: those that leave their parts are found and packed, a message goes to each rank that shares a border, and a reduction
// tells all ranks whether somebody could not begin, and whether any particle goes farther. Those few then travel by discovery. So a run fails on all
// ranks or on none before anything is changed; what fails later for want of memory or time is done again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "access/reduction.h"
#include "particles/sections.h"
#include "stream/stream.h"
#include "topology/discovery.h"

namespace halo {

class Particles final : public Described, private Progressing {
public:
    // Collective; blocks.
    Particles(Topology &topology, Reductions &reductions, const halo_particles_desc &desc);
    ~Particles() override;
    Particles(const Particles &) = delete;
    Particles &operator=(const Particles &) = delete;

    std::string what() const override;
    Terms terms() const override { return columns_->terms(); }
    std::vector<int32_t> awaited() const override;
    uint32_t serial() const { return id_.serial(); }
    const Topology &topology() const { return topology_; }
    const ParticleColumns &columns() const { return *columns_; }
    bool in_flight() const { return phase_ == Phase::sent || phase_ == Phase::here; }

    void start(const ParticleArrays &arrays);
    // A start whose arguments cannot be used.
    void refuse(const Error &error);
    bool test();
    // Of each local part, after the run.
    const std::vector<int64_t> &counts();
    std::span<const halo_particle_place> left() const { return leavers_->left(); }
    void finish(const ParticleArrays &arrays);
    void abandon();

private:
    enum class Phase : uint8_t { idle, sent, here, dead };
    // A peer, and what it gets in this run.
    struct Link {
        std::unique_ptr<Stream> stream;
        size_t bytes = 0;
    };
    // What all ranks learn of each: the greatest counts.
    struct Outcome {
        int64_t goes_far;
        int64_t failure; // status, then rank; 0: none
    };

    double timeout() const { return context_.timeout(timeout_seconds_); }
    bool progress_alone() override;
    void take_what_has_come() override;
    void make_links();
    std::unique_ptr<Stream> make_stream(int32_t peer) const;
    std::span<const uint32_t> sections_to(int32_t rank) const;
    void require(Phase phase, const char *call) const;
    void settle();
    void begin_run();
    void refuse_run(const Error &error);
    void make_room();
    void wait_until_writable();
    void send(const ParticleArrays &arrays);
    void begin_reduction(const Outcome &outcome);
    bool all_have_begun();
    void end_failed_run() noexcept;
    void look_at(Link &link);
    bool look();
    [[noreturn]] void fail_run();
    void wait_until_here();
    void fetch_far();
    void collect();
    void collect_from(int32_t rank, std::span<const std::byte> payload);
    void check_room(const ParticleArrays &arrays) const;
    void close_gaps(const ParticleArrays &arrays, size_t part) const;
    void append(const ParticleArrays &arrays) const;
    std::string missing() const;
    void die(const Error &error) noexcept;
    // What fails in it for good, so that no later run can work.
    template <class Work>
    auto for_good(Work &&work);

    Context &context_;
    Topology &topology_;
    double timeout_seconds_;
    std::optional<ParticleColumns> columns_;
    std::optional<Leavers> leavers_;
    std::unique_ptr<Reduction> reduction_;
    RunId id_;
    std::vector<Link> links_; // by distance above this rank, so that not all begin with rank 0
    Phase phase_ = Phase::idle;
    uint32_t run_ = 0;
    bool reducing_ = false;      // the reduction of this run, or of one that failed, is under way
    bool far_fetched_ = false;   // in this run
    Outcome outcome_{};          // of all ranks
    std::optional<Error> told_;  // by a peer, in this run
    std::optional<Error> error_; // why it is dead
    std::vector<int32_t> peers_; // ascending
    Buffer local_;               // from part to part of this rank
    size_t local_bytes_ = 0;     // 0: nothing goes there
    std::vector<Delivery> far_;  // to ranks that share no border
    std::vector<Delivery> came_far_;
    std::vector<ArrivedSection> arrived_; // by part, then source
    std::vector<int64_t> counts_;         // after this run
};

} // namespace halo
