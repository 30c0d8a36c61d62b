// SPDX-License-Identifier: BSD-3-Clause
// Particles of a rank as the library sees them: in one column of structs, in a column for each member, or without a position.
#pragma once

#include <cstring>

#include "halo_particles.h"
#include "world.h"

namespace particles {

enum class Form { structs, columns, targets };

class Store {
public:
    Store(const World &world, Form form, halo_topology *topology) : world_(world), form_(form) {
        OK(halo_topology_local_parts(topology, &gids_, &n_parts_));
        const halo_particle_vector in_struct[] = { { { 0, 0, 0 }, 0, { 8, 16, 24 } }, { { 0, 0, 0 }, 0, { 32, 40, 48 } } };
        const halo_particle_vector in_columns[] = { { { 1, 2, 3 }, 0, { 0, 0, 0 } }, { { 4, 4, 4 }, 0, { 0, 8, 16 } } };
        bytes_ = form == Form::structs   ? std::vector<int64_t>{ 61 }
                 : form == Form::columns ? std::vector<int64_t>{ 8, 8, 8, 8, 24, 1 }
                                         : std::vector<int64_t>{ 8, 5 };
        const halo_particle_vector *vectors = form == Form::structs ? in_struct : in_columns;
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.n_columns = static_cast<int32_t>(bytes_.size());
        desc.column_bytes = bytes_.data();
        if (form != Form::targets) desc.position = vectors, desc.vectors = vectors + 1, desc.n_vectors = 1;
        OK(halo_particles_create(topology, &desc, &particles_));
        columns_.resize(static_cast<size_t>(n_parts_) * bytes_.size());
        counts_.resize(static_cast<size_t>(n_parts_));
        targets_.resize(static_cast<size_t>(n_parts_));
    }
    ~Store() { halo_particles_destroy(&particles_); }
    Store(const Store &) = delete;
    Store &operator=(const Store &) = delete;

    halo_particles *get() const { return particles_; }
    int64_t n_parts() const { return n_parts_; }
    int64_t gid(int64_t part) const { return gids_[part]; }

    // Writes all particles; their number is that of the arrays.
    void fill(const Serial &serial) {
        for (int64_t part = 0; part < n_parts_; ++part) {
            const std::vector<Particle> &list = serial.part(gids_[part]);
            resize(part, std::ssize(list));
            for (size_t i = 0; i < list.size(); ++i) write(part, i, list[i]);
        }
    }
    void set_targets(const Serial &serial, const std::function<int64_t(int64_t gid, const Particle &particle)> &target) {
        for (int64_t part = 0; part < n_parts_; ++part) {
            auto &list = targets_[static_cast<size_t>(part)];
            list.clear();
            for (const Particle &particle : serial.part(gids_[part])) list.push_back(target(gids_[part], particle));
        }
    }
    const halo_particles_arrays *arrays() {
        pointers_.clear();
        target_lists_.clear();
        for (auto &column : columns_) pointers_.push_back(column.empty() ? nullptr : column.data());
        for (auto &list : targets_) target_lists_.push_back(list.empty() ? nullptr : list.data());
        known_ = HALO_PARTICLES_ARRAYS_INIT;
        known_.n_parts = n_parts_;
        known_.counts = counts_.data();
        known_.data = pointers_.data();
        known_.n_data = std::ssize(pointers_);
        if (form_ == Form::targets) known_.targets = target_lists_.data();
        return &known_;
    }
    // Makes room, and finishes.
    void finish() {
        std::vector<int64_t> after(static_cast<size_t>(n_parts_));
        int64_t n = 0;
        OK(halo_particles_counts(particles_, after.data(), n_parts_, &n));
        const std::vector<int64_t> before = counts_;
        for (int64_t part = 0; part < n_parts_; ++part) resize(part, std::max(after[static_cast<size_t>(part)], before[static_cast<size_t>(part)]));
        halo_particles_arrays with_room = *arrays();
        with_room.targets = nullptr;
        OK(halo_particles_finish(particles_, &with_room));
        for (int64_t part = 0; part < n_parts_; ++part) resize(part, after[static_cast<size_t>(part)]);
    }
    // Every byte, and who has left.
    void check(const Serial &serial, uint64_t number) const {
        std::vector<halo_particle_place> left;
        for (int64_t part = 0; part < n_parts_; ++part) {
            const int64_t gid = gids_[part];
            const std::vector<Particle> &list = serial.part(gid);
            if (counts_[static_cast<size_t>(part)] != std::ssize(list))
                conformance::stop("case %llu, %s: part %lld has %lld particles, wanted %zu", static_cast<unsigned long long>(number),
                                  world_.text().c_str(), static_cast<long long>(gid), static_cast<long long>(counts_[static_cast<size_t>(part)]),
                                  list.size());
            for (size_t i = 0; i < list.size(); ++i) check_one(part, i, list[i], number);
            for (const int64_t place : serial.left(gid)) left.push_back({ gid, place });
        }
        int64_t n = 0;
        OK(halo_particles_left(particles_, nullptr, 0, &n));
        std::vector<halo_particle_place> told(static_cast<size_t>(n));
        OK(halo_particles_left(particles_, told.data(), n, &n));
        const auto same = [](const halo_particle_place &a, const halo_particle_place &b) { return a.gid == b.gid && a.place == b.place; };
        if (!std::equal(told.begin(), told.end(), left.begin(), left.end(), same))
            conformance::stop("case %llu, %s: %zu have left the domain, wanted %zu, or others", static_cast<unsigned long long>(number),
                              world_.text().c_str(), told.size(), left.size());
    }

private:
    std::vector<std::byte> &column(int64_t part, size_t c) { return columns_[static_cast<size_t>(part) * bytes_.size() + c]; }
    void resize(int64_t part, int64_t n) {
        counts_[static_cast<size_t>(part)] = n;
        for (size_t c = 0; c < bytes_.size(); ++c) column(part, c).resize(static_cast<size_t>(n * bytes_[c]));
    }
    // All bytes of a particle, column after column.
    std::vector<std::byte> record(int64_t gid, const Particle &particle) const {
        std::vector<std::byte> bytes;
        const auto add = [&](const auto &value) {
            bytes.insert(bytes.end(), reinterpret_cast<const std::byte *>(&value), reinterpret_cast<const std::byte *>(&value) + sizeof value);
        };
        const Part &part = world_.parts()[static_cast<size_t>(gid)];
        add(particle.id);
        if (form_ != Form::targets) {
            for (size_t d = 0; d < 3; ++d)
                add(static_cast<int32_t>(d) < world_.n_dims() ? (static_cast<double>(particle.grain[d]) + 0.5) / static_cast<double>(part.per_cell)
                                                              : 7.5);
            for (size_t d = 0; d < 3; ++d) add(static_cast<double>(static_cast<int32_t>(d) < world_.n_dims() ? particle.speed[d] : 77));
        }
        for (int64_t i = 0, n = form_ == Form::columns ? 1 : 5; i < n; ++i) bytes.push_back(static_cast<std::byte>(particle.id * 37 + i));
        return bytes;
    }
    void write(int64_t part, size_t i, const Particle &particle) {
        const std::vector<std::byte> bytes = record(gids_[part], particle);
        size_t at = 0;
        for (size_t c = 0; c < bytes_.size(); ++c) {
            const auto n = static_cast<size_t>(bytes_[c]);
            std::memcpy(column(part, c).data() + i * n, bytes.data() + at, n);
            at += n;
        }
    }
    void check_one(int64_t part, size_t i, const Particle &particle, uint64_t number) const {
        const std::vector<std::byte> bytes = record(gids_[part], particle);
        size_t at = 0;
        for (size_t c = 0; c < bytes_.size(); ++c) {
            const auto n = static_cast<size_t>(bytes_[c]);
            const std::byte *is = columns_[static_cast<size_t>(part) * bytes_.size() + c].data() + i * n;
            if (std::memcmp(is, bytes.data() + at, n) != 0) {
                int64_t id = -1;
                std::memcpy(&id, columns_[static_cast<size_t>(part) * bytes_.size()].data() + i * static_cast<size_t>(bytes_[0]), sizeof id);
                conformance::stop("case %llu, %s: part %lld, particle %zu, column %zu: that of %lld, wanted that of %lld",
                                  static_cast<unsigned long long>(number), world_.text().c_str(), static_cast<long long>(gids_[part]), i, c,
                                  static_cast<long long>(id), static_cast<long long>(particle.id));
            }
            at += n;
        }
    }

    const World &world_;
    Form form_;
    halo_particles *particles_ = nullptr;
    const int64_t *gids_ = nullptr;
    int64_t n_parts_ = 0;
    std::vector<int64_t> bytes_; // of each column
    std::vector<std::vector<std::byte>> columns_;
    std::vector<int64_t> counts_;
    std::vector<std::vector<int64_t>> targets_;
    std::vector<void *> pointers_;
    std::vector<const int64_t *> target_lists_;
    halo_particles_arrays known_ = HALO_PARTICLES_ARRAYS_INIT;
};

} // namespace particles
