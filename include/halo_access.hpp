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

#include <array>
#include <memory>
#include <new>
#include <type_traits>

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
inline halo_access direct(halo_field *field, std::int32_t mode, std::int32_t set = 0) {
    return { field, mode, HALO_DIRECT, 0, 0, set, 0, HALO_COMBINE_BY_GID, 0 };
}
inline halo_access via_map(halo_field *field, std::int32_t mode, std::uint32_t sections = 0, std::int32_t set = 0) {
    return { field, mode, HALO_VIA_MAP, sections, 0, set, 0, HALO_COMBINE_BY_GID, 0 };
}
/// Added through a map in HALO_STYLE_REVERSE, and combined in canonical order.
inline halo_access add_canonically(halo_field *field, std::uint32_t sections = 0, std::int32_t set = 0) {
    return { field, HALO_INC, HALO_VIA_MAP, sections, 0, set, 0, HALO_COMBINE_CANONICAL, 0 };
}
/// At the entity itself, of which only copies in these groups become stale.
inline halo_access direct_in(halo_field *field, std::int32_t mode, std::uint32_t sections, std::int32_t set = 0) {
    return { field, mode, HALO_DIRECT, sections, 0, set, 0, HALO_COMBINE_BY_GID, 0 };
}
/// HALO_WRITE of every owned value.
inline halo_access write_all(halo_field *field, std::int32_t set = 0) {
    return { field, HALO_WRITE, HALO_DIRECT, 0, 1, set, 0, HALO_COMBINE_BY_GID, 0 };
}

using Accesses = std::vector<halo_access>;

/// A begin that has timed out: make the same batch again, or give it up: halo_access_abandon(e.batch()).
class batch_timeout : public error {
public:
    batch_timeout(const error &why, halo_batch *batch) : error(why), batch_(batch) {}
    halo_batch *batch() const noexcept { return batch_; }

private:
    halo_batch *batch_;
};

/// One loop, from begin (the constructor) to end. One that goes before its end (an exception passed by), or whose begin fails, is given up; of one
/// whose begin times out the error is a batch_timeout.
class Batch {
public:
    Batch(const Context &context, std::span<const halo_access> accesses, std::int32_t style, std::int32_t where = HALO_ON_HOST,
          halo_stream stream = HALO_STREAM_NONE) {
        const halo_status status = halo_access_begin(context, accesses.data(), static_cast<std::int32_t>(accesses.size()), sizeof(halo_access), style,
                                                     where, stream, &batch_);
        if (status == HALO_SUCCESS) return;
        const error why = last_error(status);
        if (batch_ && status == HALO_TIMEOUT) throw batch_timeout(why, batch_);
        if (batch_) halo_access_abandon(batch_);
        throw why; // NOLINT(misc-throw-by-value-catch-by-reference)
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
    /// And what the loop added leaves for the owners.
    void end_and_send() {
        check(halo_access_end_and_send(batch_));
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

/// What all reductions have.
class AnyReduction : public Handle<halo_reduction, halo_reduction_destroy> {
public:
    bool test() {
        std::int32_t done = 0;
        check(halo_reduction_test(this->handle_, &done));
        return done != 0;
    }
};

/// Values combined over all ranks, again and again.
template <class T>
class Reduction : public AnyReduction {
    static_assert(type_of<T> != 0, "no halo_type for these values");

public:
    explicit Reduction(const Context &context, halo_op op, std::int64_t n = 1) : n_(n) {
        check(halo_reduction_create(context, n, type_of<T>, op, &this->handle_));
    }

    void begin(std::span<const T> in) {
        require(in.size());
        check(halo_reduction_begin(this->handle_, in.data()));
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

namespace detail {
/// The values of a member: those of an array, or the member itself.
template <class Member>
struct ValueOf {
    using type = Member;
};
template <class T, std::size_t n>
struct ValueOf<T[n]> : ValueOf<T> {};
template <class T, std::size_t n>
struct ValueOf<std::array<T, n>> : ValueOf<T> {};

/// A halo_combine_fn that calls `combine(value, contribution)`, which returns the new value.
template <class Value, class Combine>
halo_status combine_values(void *combine, void *values, const void *contributions, std::int64_t n, halo_type, std::int64_t) noexcept {
    auto *value = static_cast<Value *>(values);
    const auto *contribution = static_cast<const Value *>(contributions);
    try {
        for (std::int64_t i = 0; i < n; ++i) value[i] = (*static_cast<Combine *>(combine))(value[i], contribution[i]);
        return HALO_SUCCESS;
    } catch (const error &failed) {
        return failed.status();
    } catch (const std::bad_alloc &) {
        return HALO_ERR_MEMORY;
    } catch (...) {
        return HALO_ERR_INTERNAL;
    }
}
} // namespace detail

/// Which members of a struct are reduced, each by an operation of its own:
///
///     struct Norms { double residual[3], greatest; std::int64_t where; Extent extent; };
///     halo::ReductionItems<Norms> items;
///     items.add(&Norms::residual, HALO_SUM).add_located(&Norms::greatest, &Norms::where, HALO_MAXLOC);
///     items.add(&Norms::extent, [](const Extent &a, const Extent &b) { return a.joined(b); });
///     halo::StructReduction<Norms> norms(context, items);
///
/// All ranks add the same in the same order.
template <class Struct>
class ReductionItems {
    static_assert(std::is_trivially_copyable_v<Struct> && std::is_default_constructible_v<Struct>);
    template <class Member>
    using Value = typename detail::ValueOf<Member>::type;

public:
    /// A member, or all values of one that is an array.
    template <class Member>
    ReductionItems &add(Member Struct::*member, halo_op op) {
        static_assert(type_of<Value<Member>> != 0, "no halo_type for these values: give a function");
        items_.push_back(item(member, op));
        return *this;
    }
    /// HALO_MINLOC or HALO_MAXLOC: as many indices as values.
    template <class Member, class Index>
    ReductionItems &add_located(Member Struct::*member, Index Struct::*index, halo_op op) {
        static_assert(std::is_same_v<Value<Index>, std::int64_t> && sizeof(Index) / sizeof(std::int64_t) == sizeof(Member) / sizeof(Value<Member>));
        add(member, op);
        items_.back().index_offset = offset(index);
        return *this;
    }
    /// HALO_USER: `combine(value, contribution)` of values of any trivial type returns the new value. What it throws ends the reduction.
    template <class Member, class Combine>
    requires std::is_invocable_r_v<Value<Member>, Combine &, const Value<Member> &, const Value<Member> &> ReductionItems &add(Member Struct::*member,
                                                                                                                               Combine combine) {
        static_assert(alignof(Value<Member>) <= 16, "values in messages are aligned to 16 bytes");
        auto kept = std::make_shared<Combine>(std::move(combine));
        items_.push_back(item(member, HALO_USER));
        items_.back().combine = detail::combine_values<Value<Member>, Combine>;
        items_.back().user = kept.get();
        functions_.push_back(std::move(kept));
        return *this;
    }
    std::span<const halo_reduction_item> items() const { return items_; }

private:
    template <class Member>
    static std::int64_t offset(Member Struct::*member) {
        const Struct one{};
        return reinterpret_cast<const char *>(std::addressof(one.*member)) - reinterpret_cast<const char *>(std::addressof(one));
    }
    template <class Member>
    static halo_reduction_item item(Member Struct::*member, halo_op op) {
        halo_reduction_item made = HALO_REDUCTION_ITEM_INIT;
        made.n = static_cast<std::int64_t>(sizeof(Member) / sizeof(Value<Member>));
        made.type = type_of<Value<Member>> != 0 ? type_of<Value<Member>> : HALO_BYTES;
        made.op = op;
        made.element_bytes = static_cast<std::int64_t>(sizeof(Value<Member>));
        made.offset = offset(member);
        return made;
    }

    std::vector<halo_reduction_item> items_;
    std::vector<std::shared_ptr<void>> functions_;
};

/// Members of a struct, reduced in one message.
template <class Struct>
class StructReduction : public AnyReduction {
public:
    StructReduction(const Context &context, ReductionItems<Struct> items) : items_(std::move(items)) {
        const std::span<const halo_reduction_item> all = items_.items();
        check(halo_reduction_create_items(context, all.data(), sizeof(halo_reduction_item), static_cast<std::int32_t>(all.size()), &this->handle_));
    }

    void begin(const Struct &in) { check(halo_reduction_begin(this->handle_, &in)); }
    /// Members that are not reduced stay as they are.
    void end(Struct &out) { check(halo_reduction_end(this->handle_, &out)); }
    Struct end() {
        Struct out{};
        end(out);
        return out;
    }

private:
    ReductionItems<Struct> items_; // with the functions that are called
};

} // namespace halo
