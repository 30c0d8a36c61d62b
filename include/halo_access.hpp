// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_access.hpp
 * The C interface of halo_access.h with owners and exceptions, as halo.hpp is that of halo.h.
 *
 *     const halo::Accesses flows{ halo::direct(conducts, HALO_READ), halo::via_map(heat, HALO_READ), halo::via_map(change, HALO_INC) };
 *     halo::Batch batch(context, flows, HALO_STYLE_REVERSE);
 *     add_flows(core);
 *     batch.ready();
 *     add_flows(owned);
 *     if (batch.needs_exec()) add_flows(exec);
 *     batch.end();
 */
#pragma once

#include "halo.hpp"
#include "halo_access.h"

namespace halo {

/// Sections of a set on one rank: of each entity, the order to store them in, and how many lie in each.
struct Sections {
    std::vector<std::int32_t> of;
    std::vector<std::uint32_t> order;
    halo_section_sizes sizes = HALO_SECTION_SIZES_INIT;

    std::int64_t n_own() const { return sizes.n[HALO_SECTION_CORE] + sizes.n[HALO_SECTION_OWNED]; }
};

inline Sections classify_sections(std::int32_t rank, std::span<const std::int32_t> owners, std::span<const halo_map> maps = {}) {
    Sections sections{ std::vector<std::int32_t>(owners.size()), std::vector<std::uint32_t>(owners.size()) };
    check(halo_sections_classify(rank, owners.data(), static_cast<std::int64_t>(owners.size()), maps.data(), static_cast<std::int32_t>(maps.size()),
                                 sections.of.data(), sections.order.data(), &sections.sizes));
    return sections;
}

/// `groups` has an entry for each entity of the set that the map leads to.
inline void reach_sections(const halo_map &map, std::span<const std::int32_t> sections, std::uint32_t from, std::uint32_t bits,
                           std::span<std::uint32_t> groups) {
    if (static_cast<std::int64_t>(groups.size()) != map.n_to)
        throw error(HALO_ERR_ARGUMENT, "reach_sections: there must be as many groups as the map has n_to");
    check(halo_sections_reach(&map, sections.data(), static_cast<std::int64_t>(sections.size()), from, bits, groups.data()));
}

inline void set_sections(const Topology &topology, std::span<const std::uint32_t> groups) {
    check(halo_topology_set_sections(topology, groups.data(), static_cast<std::int64_t>(groups.size())));
}

/// One argument of a loop at the entity itself, and one at what the entity touches.
inline halo_access direct(halo_field *field, std::int32_t mode, std::int32_t set = 0) { return { field, mode, HALO_DIRECT, 0, 0, set, 0 }; }
inline halo_access via_map(halo_field *field, std::int32_t mode, std::uint32_t sections = 0, std::int32_t set = 0) {
    return { field, mode, HALO_VIA_MAP, sections, 0, set, 0 };
}
/// HALO_WRITE of every owned value.
inline halo_access write_all(halo_field *field, std::int32_t set = 0) { return { field, HALO_WRITE, HALO_DIRECT, 0, 1, set, 0 }; }

using Accesses = std::vector<halo_access>;

/// One loop, from begin (the constructor) to end. One that goes before its end (an exception passed by) is given up.
class Batch {
public:
    Batch(const Context &context, std::span<const halo_access> accesses, std::int32_t style, std::int32_t where = HALO_ON_HOST,
          halo_stream stream = HALO_STREAM_NONE) {
        check(halo_access_begin(context, accesses.data(), static_cast<std::int32_t>(accesses.size()), sizeof(halo_access), style, where, stream,
                                &batch_));
    }
    Batch(const Context &context, std::initializer_list<halo_access> accesses, std::int32_t style, std::int32_t where = HALO_ON_HOST,
          halo_stream stream = HALO_STREAM_NONE)
        : Batch(context, std::span<const halo_access>(accesses.begin(), accesses.size()), style, where, stream) {}
    Batch(const Batch &) = delete;
    Batch &operator=(const Batch &) = delete;
    ~Batch() {
        if (batch_) halo_access_abandon(batch_);
    }

    /// Throws an error with status HALO_TIMEOUT when the time limit passes: call again, or let the batch go.
    void ready() { check(halo_access_ready(batch_)); }
    bool needs_exec() const {
        std::int32_t needs = 0;
        check(halo_access_needs_exec(batch_, &needs));
        return needs != 0;
    }
    void end() {
        check(halo_access_end(batch_));
        batch_ = nullptr;
    }
    halo_batch *get() const noexcept { return batch_; }

private:
    halo_batch *batch_ = nullptr;
};

inline halo_access_state access_state(const halo_field *field, std::int32_t set = 0) {
    halo_access_state state = HALO_ACCESS_STATE_INIT;
    check(halo_access_get_state(field, set, &state));
    return state;
}
inline void mark_dirty(halo_field *field, std::int32_t where = HALO_ON_HOST, std::int32_t set = 0) {
    check(halo_access_mark_dirty(field, set, where));
}
inline void mark_fresh(halo_field *field, std::int32_t where = HALO_ON_HOST, std::int32_t set = 0) {
    check(halo_access_mark_fresh(field, set, where));
}
inline void freeze(halo_field *field, bool frozen) { check(halo_access_freeze(field, frozen ? 1 : 0)); }

/// Storage of a part where loops run; nullptr: none yet.
template <class T = double>
T *access_data(const halo_field *field, std::int64_t gid, std::int32_t where, std::int32_t set = 0) {
    void *data = nullptr;
    check(halo_access_data(field, gid, set, where, &data));
    return static_cast<T *>(data);
}

inline halo_access_stats access_stats(const Context &context, const char *field_name) {
    halo_access_stats stats = HALO_ACCESS_STATS_INIT;
    check(halo_access_get_stats(context, field_name, &stats));
    return stats;
}

/// Values combined over all ranks, again and again.
template <class T>
class Reduction : public Handle<halo_reduction, halo_reduction_destroy> {
    static_assert(type_of<T> != 0, "no halo_type for these values");

public:
    explicit Reduction(const Context &context, halo_op op, std::int64_t n = 1) : n_(n) {
        check(halo_reduction_create(context, n, type_of<T>, op, &this->handle_));
    }

    void begin(std::span<const T> in) {
        require(in.size());
        check(halo_reduction_begin(this->handle_, in.data()));
    }
    bool test() {
        std::int32_t done = 0;
        check(halo_reduction_test(this->handle_, &done));
        return done != 0;
    }
    void end(std::span<T> out) {
        require(out.size());
        check(halo_reduction_end(this->handle_, out.data()));
    }
    /// Of one value.
    void begin(const T &in) { begin(std::span<const T>(&in, 1)); }
    T end() {
        T out{};
        end(std::span<T>(&out, 1));
        return out;
    }

private:
    void require(std::size_t n) const {
        if (static_cast<std::int64_t>(n) != n_) throw error(HALO_ERR_ARGUMENT, "reduction: other than the number of values it was made for");
    }
    std::int64_t n_;
};

} // namespace halo
