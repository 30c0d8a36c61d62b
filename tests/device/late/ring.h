// SPDX-License-Identifier: BSD-3-Clause
// A ring of blocks along x, `n_blocks` on each rank, whose cells have their number in the ring as values. Storage of one block is one array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "on_device.h"

namespace late {

class Ring {
public:
    static constexpr int64_t n_cells = 16; // of a block
    static constexpr int32_t ghosts = 2;
    static constexpr size_t size = n_cells + 2 * ghosts; // of a block's storage
    static constexpr double unset = -1;

    Ring(conformance::Rank &rank, int64_t n_blocks) : Ring(rank, n_blocks, blocks_of(rank, n_blocks)) {}
    // Which goes with it: the same blocks, however they were described.
    Ring(conformance::Rank &rank, int64_t n_blocks, halo_topology *topology) : rank_(rank), n_blocks_(n_blocks), topology_(topology) {}
    ~Ring() { halo_topology_destroy(&topology_); }
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    static halo_topology *blocks_of(const conformance::Rank &rank, int64_t n_blocks) {
        halo_topology *topology = nullptr;
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1;
        desc.n_blocks[0] = n_blocks * rank.size;
        desc.n_cells[0] = n_cells;
        desc.periodic[0] = 1;
        desc.order = HALO_ORDER_ROWS;
        OK(halo_topology_create_blocks(rank.context, &desc, &topology));
        return topology;
    }
    conformance::Rank &rank() const { return rank_; }
    halo_topology *topology() const { return topology_; }
    int64_t n_blocks() const { return n_blocks_; }
    int64_t first_gid() const { return rank_.rank * n_blocks_; }
    // Owned cells of a block; its ghosts are unset.
    std::vector<double> owned(int64_t gid, double shift) const {
        std::vector<double> values = filled(gid, shift);
        for (size_t i = 0; i < size; ++i)
            if (i < ghosts || i >= ghosts + n_cells) values[i] = unset;
        return values;
    }
    // With ghosts, as an exchange leaves them.
    std::vector<double> filled(int64_t gid, double shift) const {
        const int64_t all = n_cells * n_blocks_ * rank_.size;
        std::vector<double> values(size);
        for (size_t i = 0; i < size; ++i) values[i] = shift + static_cast<double>((gid * n_cells + static_cast<int64_t>(i) - ghosts + all) % all);
        return values;
    }

private:
    conformance::Rank &rank_;
    int64_t n_blocks_;
    halo_topology *topology_;
};

inline void bind(halo_field *field, int64_t gid, void *data, int32_t memory, int32_t device, int32_t set = 0) {
    halo_binding binding = HALO_BINDING_INIT;
    binding.set = set;
    binding.data = data;
    binding.memory = memory;
    binding.device = device;
    OK(halo_field_bind(field, gid, &binding));
}

// With the ring's ghosts, to be bound.
inline halo_field *make_field(const Ring &ring, int32_t n_components = 1) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.n_components = n_components;
    desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
    halo_field *field = nullptr;
    OK(halo_field_create(ring.topology(), &desc, &field));
    return field;
}

// A field on a ring, on a device.
class RingField {
public:
    RingField(const Ring &ring, const char *name, int32_t ordinal = 0, bool sparse = false) : ring_(ring) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_FLOAT64;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        desc.sparse = sparse;
        desc.fill = -7;
        OK(halo_field_create(ring.topology(), &desc, &handle_));
        for (int64_t b = 0; b < ring.n_blocks(); ++b) {
            arrays_.emplace_back(ring.rank().context, Ring::size, ordinal);
            if (!sparse) bind(handle_, ring.first_gid() + b, arrays_.back().data(), HALO_MEMORY_DEVICE, ordinal);
        }
    }
    ~RingField() { halo_field_destroy(&handle_); }
    RingField(const RingField &) = delete;
    RingField &operator=(const RingField &) = delete;

    halo_field *handle() const { return handle_; }
    halo_device *device() const { return arrays_.front().device(); }
    const Array<double> &array(int64_t block) const { return arrays_[static_cast<size_t>(block)]; }
    void write(double shift, halo_stream stream) const {
        for (int64_t b = 0; b < ring_.n_blocks(); ++b) array(b).write(ring_.owned(ring_.first_gid() + b, shift), stream);
    }
    void write_with_ghosts(double shift, halo_stream stream) const {
        for (int64_t b = 0; b < ring_.n_blocks(); ++b) array(b).write(ring_.filled(ring_.first_gid() + b, shift), stream);
    }
    // Waits for the stream.
    void expect(double shift, halo_stream stream, const char *when) const {
        for (int64_t b = 0; b < ring_.n_blocks(); ++b) expect_block(b, ring_.filled(ring_.first_gid() + b, shift), stream, when);
    }
    // Ghosts have been added to the cells they stand for. Waits for the stream.
    void expect_sums(double shift, halo_stream stream, const char *when) const {
        for (int64_t b = 0; b < ring_.n_blocks(); ++b) {
            std::vector<double> wanted = ring_.filled(ring_.first_gid() + b, shift);
            for (size_t i = 0; i < Ring::ghosts; ++i) wanted[Ring::ghosts + i] *= 2, wanted[Ring::n_cells + i] *= 2;
            expect_block(b, wanted, stream, when);
        }
    }

private:
    void expect_block(int64_t block, const std::vector<double> &wanted, halo_stream stream, const char *when) const {
        if (array(block).read(stream) != wanted) conformance::stop("%s: block %lld differs", when, static_cast<long long>(ring_.first_gid() + block));
    }

    const Ring &ring_;
    halo_field *handle_ = nullptr;
    std::deque<Array<double>> arrays_;
};

// The same on the host.
class HostRingField {
public:
    HostRingField(const Ring &ring, const char *name) : ring_(ring), arrays_(static_cast<size_t>(ring.n_blocks()), std::vector<double>(Ring::size)) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        OK(halo_field_create(ring.topology(), &desc, &handle_));
        for (size_t b = 0; b < arrays_.size(); ++b) bind(handle_, gid(b), arrays_[b].data(), HALO_MEMORY_HOST, 0);
    }
    ~HostRingField() { halo_field_destroy(&handle_); }
    HostRingField(const HostRingField &) = delete;
    HostRingField &operator=(const HostRingField &) = delete;

    halo_field *handle() const { return handle_; }
    void write(double shift) {
        for (size_t b = 0; b < arrays_.size(); ++b) {
            const std::vector<double> values = ring_.owned(gid(b), shift);
            std::copy(values.begin(), values.end(), arrays_[b].begin());
        }
    }
    void expect(double shift, const char *when) const {
        for (size_t b = 0; b < arrays_.size(); ++b)
            if (arrays_[b] != ring_.filled(gid(b), shift)) conformance::stop("%s: block %lld differs", when, static_cast<long long>(gid(b)));
    }

private:
    int64_t gid(size_t block) const { return ring_.first_gid() + static_cast<int64_t>(block); }

    const Ring &ring_;
    halo_field *handle_ = nullptr;
    std::vector<std::vector<double>> arrays_;
};

class RingExchange {
public:
    explicit RingExchange(std::vector<halo_field *> fields, const halo_exchange_desc *desc = nullptr) {
        OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), desc, &handle_));
    }
    ~RingExchange() { halo_exchange_destroy(&handle_); }
    RingExchange(const RingExchange &) = delete;
    RingExchange &operator=(const RingExchange &) = delete;

    operator halo_exchange *() const { return handle_; }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(handle_, &stats));
        return stats;
    }

private:
    halo_exchange *handle_ = nullptr;
};

} // namespace late
