// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo.hpp
 * The C interface of halo.h with owners: move-only handles that destroy themselves, and exceptions in place of statuses.
 *
 * Header-only, C++20, nothing but halo.h below it. Every owner converts to its C handle, so that a call that has no method here is
 * made as in C: `halo::check(halo_context_progress(context))`. Lifetimes are those of halo.h: declare a context before its topologies,
 * these before their fields, these before their exchanges; members are then destroyed in the right order.
 */
#pragma once

#include "halo.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace halo {

/// A status other than success, with the library's text.
class error : public std::runtime_error {
public:
    error(halo_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    halo_status status() const noexcept { return status_; }

private:
    halo_status status_;
};

/// What the last call has failed with.
inline error last_error(halo_status status) { return { status, std::string(halo_status_name(status)) + ": " + halo_last_error() }; }

/// Throw `error` unless a call succeeded.
inline void check(halo_status status) {
    if (status != HALO_SUCCESS) throw last_error(status);
}

/// For calls that may answer "not now": true when done, false when to be called again. Throws on errors.
inline bool done(halo_status status) {
    if (status == HALO_BUSY || status == HALO_TIMEOUT) return false;
    check(status);
    return true;
}

/// halo_type of a C++ type; 0: C++20 has none of its own for HALO_FLOAT16 and HALO_BFLOAT16, and HALO_BYTES are of any.
template <class T>
inline constexpr halo_type type_of = 0;
template <>
inline constexpr halo_type type_of<float> = HALO_FLOAT32;
template <>
inline constexpr halo_type type_of<double> = HALO_FLOAT64;
template <>
inline constexpr halo_type type_of<std::int32_t> = HALO_INT32;
template <>
inline constexpr halo_type type_of<std::int64_t> = HALO_INT64;
template <>
inline constexpr halo_type type_of<std::int8_t> = HALO_INT8;
template <>
inline constexpr halo_type type_of<std::int16_t> = HALO_INT16;
template <>
inline constexpr halo_type type_of<std::uint8_t> = HALO_UINT8;
template <>
inline constexpr halo_type type_of<std::uint16_t> = HALO_UINT16;
template <>
inline constexpr halo_type type_of<std::uint32_t> = HALO_UINT32;
template <>
inline constexpr halo_type type_of<std::uint64_t> = HALO_UINT64;
template <>
inline constexpr halo_type type_of<std::complex<float>> = HALO_COMPLEX64;
template <>
inline constexpr halo_type type_of<std::complex<double>> = HALO_COMPLEX128;

namespace detail {
// What a call lists that fills at most `capacity` entries and says how many there are.
template <class T, class Call>
std::vector<T> all_of(Call &&call) {
    std::int64_t n = 0;
    check(call(nullptr, 0, &n));
    std::vector<T> all(static_cast<std::size_t>(n));
    check(call(all.data(), n, &n));
    return all;
}
} // namespace detail

/// Owner of one handle. Moving leaves an empty owner behind.
template <class T, halo_status (*destroy)(T **)>
class Handle {
public:
    Handle() = default;
    Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle &operator=(Handle &&other) noexcept {
        Handle moved(std::move(other));
        std::swap(handle_, moved.handle_);
        return *this;
    }
    ~Handle() {
        if (handle_) destroy(&handle_);
    }

    T *get() const noexcept { return handle_; }
    /// The owner is empty afterwards, and destroys nothing.
    T *let_go() noexcept { return std::exchange(handle_, nullptr); }
    operator T *() const noexcept { return handle_; }

protected:
    T *handle_ = nullptr;
};

/// A group of ranks that are threads of this process. Must outlive their contexts.
class Inproc : public Handle<halo_inproc, halo_inproc_destroy> {
public:
    explicit Inproc(std::int32_t n_ranks) { check(halo_inproc_create(n_ranks, &handle_)); }
};

class Context : public Handle<halo_context, halo_context_destroy> {
public:
    explicit Context(const halo_context_options *options = nullptr) { check(halo_context_create(options, &handle_)); }
    Context(const Inproc &group, std::int32_t rank, const halo_context_options *options = nullptr) {
        check(halo_context_create_inproc(group, rank, options, &handle_));
    }
    explicit Context(const halo_bootstrap &bootstrap, const halo_context_options *options = nullptr) {
        check(halo_context_create_over(&bootstrap, options, &handle_));
    }
    /// Take over a context made otherwise, e.g. by halo_context_create_mpi.
    static Context adopt(halo_context *context) { return Context(Adopted{ context }); }

    /// With all that was made from it. Owners of these must have gone, or let go, before; runs in flight are given up.
    void destroy_with_all() { check(halo_context_destroy_with_all(&handle_)); }

    std::int32_t rank() const { return place().first; }
    std::int32_t n_ranks() const { return place().second; }
    void set(const char *key, const char *value) { check(halo_context_set(handle_, key, value)); }
    /// Value and where it came from. Valid until the setting changes.
    std::pair<const char *, const char *> setting(const char *key) const {
        std::pair<const char *, const char *> found{};
        check(halo_context_setting(handle_, key, &found.first, &found.second));
        return found;
    }
    /// Text of the last status other than HALO_SUCCESS, until the next one.
    const char *error() const { return halo_context_error(handle_); }
    void progress() const { check(halo_context_progress(handle_)); }
    void rank_gone(std::int32_t rank) { check(halo_context_rank_gone(handle_, rank)); }
    void barrier() const { check(halo_context_barrier(handle_)); }
    void trim() { check(halo_context_trim(handle_)); }

    /// Zeroed memory of the context's pools. Outlives no context.
    void *allocate(std::int64_t bytes, std::int32_t memory = HALO_MEMORY_SHARED) const {
        void *pointer = nullptr;
        check(halo_memory_allocate(handle_, memory, bytes, &pointer));
        return pointer;
    }
    /// The same of a device's memory.
    void *allocate_on(std::int32_t device, std::int64_t bytes, std::int32_t memory = HALO_MEMORY_DEVICE) const {
        void *pointer = nullptr;
        check(halo_memory_allocate_on(handle_, memory, device, bytes, &pointer));
        return pointer;
    }
    void release(void *pointer) const { check(halo_memory_release(handle_, &pointer)); }

    /// Combine in place over all ranks, in the order of ranks.
    template <class T>
    void allreduce(std::span<T> values, halo_op op) const {
        static_assert(type_of<T> != 0, "no halo_type for these values");
        check(halo_context_allreduce(handle_, values.data(), values.data(), static_cast<std::int64_t>(values.size()), type_of<T>, op));
    }
    template <class T>
    T allreduce(T value, halo_op op) const {
        allreduce(std::span<T>(&value, 1), op);
        return value;
    }

    halo_pool_stats pool_stats(std::int32_t memory = HALO_MEMORY_HOST) const {
        halo_pool_stats stats = HALO_POOL_STATS_INIT;
        check(halo_context_pool_stats(handle_, memory, &stats));
        return stats;
    }

private:
    struct Adopted {
        halo_context *context;
    };
    explicit Context(Adopted adopted) { handle_ = adopted.context; }

    std::pair<std::int32_t, std::int32_t> place() const {
        std::int32_t rank = 0, n_ranks = 0;
        check(halo_context_rank(handle_, &rank, &n_ranks));
        return { rank, n_ranks };
    }
};

class Topology : public Handle<halo_topology, halo_topology_destroy> {
public:
    Topology(const Context &context, const halo_blocks_desc &desc) { check(halo_topology_create_blocks(context, &desc, &handle_)); }
    Topology(const Context &context, const halo_boxes_desc &desc) { check(halo_topology_create_boxes(context, &desc, &handle_)); }
    Topology(const Context &context, const halo_regions_desc &desc) { check(halo_topology_create_regions(context, &desc, &handle_)); }
    Topology(const Context &context, const halo_keys_desc &desc) { check(halo_topology_create_keys(context, &desc, &handle_)); }
    Topology(const Context &context, const halo_graph_desc &desc) { check(halo_topology_create_graph(context, &desc, &handle_)); }
    /// What the edited lists of keys would give.
    Topology(const Topology &from, const halo_keys_edit &edit) { check(halo_topology_edit_keys(from, &edit, &handle_)); }
    Topology(const Context &context, const halo_star_desc &desc) { check(halo_topology_create_star(context, &desc, &handle_)); }
    Topology(const Context &context, const halo_lists_desc &desc) { check(halo_topology_create_lists(context, &desc, &handle_)); }
    /// Take over a topology made otherwise, e.g. by halo_sphere_topology, halo_stencil_create_topology.
    static Topology adopt(halo_topology *topology) { return Topology(Adopted{ topology }); }

    /// Valid as long as the topology.
    std::span<const std::int64_t> local_parts() const {
        const std::int64_t *gids = nullptr;
        std::int64_t n = 0;
        check(halo_topology_local_parts(handle_, &gids, &n));
        return { gids, static_cast<std::size_t>(n) };
    }
    halo_part part(std::int64_t gid) const {
        halo_part part = HALO_PART_INIT;
        check(halo_topology_part(handle_, gid, &part));
        return part;
    }
    std::vector<halo_neighbour> neighbours(std::int64_t gid) const {
        return detail::all_of<halo_neighbour>([&](auto... list) { return halo_topology_neighbours(handle_, gid, sizeof(halo_neighbour), list...); });
    }
    std::vector<std::int32_t> peers() const {
        return detail::all_of<std::int32_t>([&](auto... list) { return halo_topology_peers(handle_, list...); });
    }
    /// Topologies of points: by the caller's position, by local index.
    std::vector<std::uint32_t> local_indices() const {
        return detail::all_of<std::uint32_t>([&](auto... list) { return halo_topology_local_indices(handle_, list...); });
    }
    std::vector<std::int32_t> owners() const {
        return detail::all_of<std::int32_t>([&](auto... list) { return halo_topology_owners(handle_, list...); });
    }
    /// Ranks that have a point.
    std::vector<std::int32_t> sharers(std::int64_t local_index) const {
        return detail::all_of<std::int32_t>([&](auto... list) { return halo_topology_sharers(handle_, local_index, list...); });
    }
    std::vector<std::uint64_t> point_keys() const {
        return detail::all_of<std::uint64_t>([&](auto... list) { return halo_topology_point_keys(handle_, list...); });
    }
    std::vector<std::int32_t> rings() const {
        return detail::all_of<std::int32_t>([&](auto... list) { return halo_topology_rings(handle_, list...); });
    }
    /// Neighbours of the first points of a graph, all behind each other; where each point's begin, and the end. Valid as long as the topology.
    std::pair<std::span<const std::int64_t>, std::span<const std::uint32_t>> graph_rows() const {
        const std::int64_t *offsets = nullptr;
        const std::uint32_t *neighbours = nullptr;
        std::int64_t n = 0;
        check(halo_topology_graph_rows(handle_, &offsets, &neighbours, &n));
        return { { offsets, static_cast<std::size_t>(n) + 1 }, { neighbours, static_cast<std::size_t>(offsets[n]) } };
    }
    halo_keys_report keys_report() const {
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        check(halo_topology_keys_report(handle_, &report));
        return report;
    }

private:
    struct Adopted {
        halo_topology *topology;
    };
    explicit Topology(Adopted adopted) { handle_ = adopted.topology; }
};

/// Owned cells of a part: those that need no ghosts, and the rest.
struct Split {
    halo_box interior;
    std::vector<halo_box> rim;
};

/// Of storage that belongs to no field.
inline halo_layout make_layout(const halo_layout_desc &desc, const std::array<std::int64_t, 3> &points, std::int64_t element_bytes = sizeof(double),
                               std::int32_t n_components = 1, std::int32_t n_places = 1) {
    halo_layout layout = HALO_LAYOUT_INIT;
    check(halo_layout_fill(&desc, points.data(), element_bytes, n_components, n_places, &layout));
    return layout;
}

class Field : public Handle<halo_field, halo_field_destroy> {
public:
    Field(const Topology &topology, const halo_field_desc &desc) { check(halo_field_create(topology, &desc, &handle_)); }

    halo_field_desc desc() const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        check(halo_field_get_desc(handle_, &desc));
        return desc;
    }
    halo_layout layout(std::int64_t gid) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        check(halo_field_layout(handle_, gid, &layout));
        return layout;
    }
    void set_layout(const halo_layout_desc &desc) { check(halo_field_set_layout(handle_, &desc)); }
    /// Of each local point its position, negative: it has no value.
    void map_points(std::int64_t gid, std::span<const std::int64_t> positions) {
        check(halo_field_map_points(handle_, gid, positions.data(), static_cast<std::int64_t>(positions.size())));
    }
    void bind(std::int64_t gid, const halo_binding &binding) { check(halo_field_bind(handle_, gid, &binding)); }
    void bind(std::int64_t gid, void *data, std::int32_t set = 0) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.set = set;
        binding.data = data;
        bind(gid, binding);
    }
    void unbind(std::int64_t gid, std::int32_t set = 0) { bind(gid, nullptr, set); }
    void bind_many(std::int64_t part_stride, const halo_binding &binding) { check(halo_field_bind_many(handle_, part_stride, &binding)); }
    void allocate(std::int64_t gid = -1) { check(halo_field_allocate(handle_, gid)); }

    /// Storage of a part; nullptr when it is unallocated.
    template <class T = double>
    T *data(std::int64_t gid, std::int32_t set = 0) const {
        void *data = nullptr;
        check(halo_field_data(handle_, gid, set, &data));
        return static_cast<T *>(data);
    }
    std::vector<halo_boundary> boundaries(std::int64_t gid) const {
        return detail::all_of<halo_boundary>([&](auto... list) { return halo_field_boundaries(handle_, gid, sizeof(halo_boundary), list...); });
    }
    /// 1 for each owned point that the part is the owner of.
    std::vector<std::uint8_t> owner_mask(std::int64_t gid) const {
        return detail::all_of<std::uint8_t>([&](auto... list) { return halo_field_owner_mask(handle_, gid, list...); });
    }
    Split interior_rim(std::int64_t gid, std::int32_t reach) const {
        Split split;
        halo_box rim[6];
        std::int32_t n_rim = 0;
        check(halo_field_interior_rim(handle_, gid, reach, &split.interior, rim, &n_rim));
        split.rim.assign(rim, rim + n_rim);
        return split;
    }
};

inline constexpr halo_exchange_desc default_exchange = HALO_EXCHANGE_DESC_INIT;

/// What one run does otherwise, with its lists, which it keeps: `Run().fields({ 1, 0 }).op(HALO_MAX)`. What is not said is as in HALO_RUN_INIT. May
/// be used again and changed between runs; lists that do not grow take no memory then. The storage that `data` names stays the caller's.
class Run {
public:
    /// `n` 0: all from `first`.
    Run &components(std::int32_t first, std::int32_t n = 0) {
        run_.first_component = first;
        run_.n_components = n;
        return *this;
    }
    Run &depth(std::int32_t layers) {
        run_.depth = layers;
        return *this;
    }
    /// Layers below and above a part that are filled, at most.
    Run &ghosts(const std::array<std::int32_t, 3> &low, const std::array<std::int32_t, 3> &high) {
        run_.has_ghosts = 1;
        std::copy(low.begin(), low.end(), run_.ghost_low);
        std::copy(high.begin(), high.end(), run_.ghost_high);
        return *this;
    }
    Run &op(halo_op op) {
        run_.op = op;
        return *this;
    }
    /// For each field of the exchange, 0 leaves it out.
    Run &fields(std::span<const std::int32_t> mask) { return keep(mask, mask_); }
    Run &fields(std::initializer_list<std::int32_t> mask) { return keep(mask, mask_); }
    /// Binding set of each field.
    Run &sets(std::span<const std::int32_t> sets) { return keep(sets, sets_); }
    Run &sets(std::initializer_list<std::int32_t> sets) { return keep(sets, sets_); }
    /// Of each field, where `data` is.
    Run &devices(std::span<const std::int32_t> devices) { return keep(devices, devices_); }
    Run &devices(std::initializer_list<std::int32_t> devices) { return keep(devices, devices_); }
    /// Storage of each local part, field by field.
    Run &data(std::span<void *const> parts) { return keep(parts, data_); }
    Run &data(std::initializer_list<void *> parts) { return keep(parts, data_); }

    /// Valid until this object is changed or gone. Throws where lists of fields differ in length.
    halo_run get() const {
        halo_run run = run_;
        for (const List<std::int32_t> *list : { &mask_, &sets_, &devices_ }) {
            if (!list->given) continue;
            const auto n = static_cast<std::int32_t>(list->values.size());
            if (run.n_fields != 0 && run.n_fields != n)
                throw error(HALO_ERR_ARGUMENT, "run: a list of " + std::to_string(run.n_fields) + " fields, and one of " + std::to_string(n));
            run.n_fields = n;
        }
        run.field_mask = mask_.pointer();
        run.sets = sets_.pointer();
        run.devices = devices_.pointer();
        run.data = data_.pointer();
        run.n_data = static_cast<std::int64_t>(data_.values.size());
        return run;
    }

private:
    // One that is empty is given all the same.
    template <class T>
    struct List {
        bool given = false;
        std::vector<T> values;
        T none{};
        const T *pointer() const { return !given ? nullptr : values.empty() ? &none : values.data(); }
    };
    template <class Values, class T>
    Run &keep(const Values &values, List<T> &list) {
        list.given = true;
        list.values.assign(values.begin(), values.end());
        return *this;
    }

    halo_run run_ = HALO_RUN_INIT;
    List<std::int32_t> mask_, sets_, devices_;
    List<void *> data_;
};

namespace detail {

/// What is in flight (an exception passed by, or another owner takes the place) is given up.
template <class T, halo_status (*destroy)(T **), halo_status (*abandon)(T *)>
halo_status destroy_in_flight(T **object) {
    const halo_status status = destroy(object);
    return status == HALO_BUSY && abandon(*object) == HALO_SUCCESS ? destroy(object) : status;
}

} // namespace detail

/// A run in flight is given up when its exchange goes.
class Exchange : public Handle<halo_exchange, detail::destroy_in_flight<halo_exchange, halo_exchange_destroy, halo_exchange_abandon>> {
public:
    Exchange(std::span<halo_field *const> fields, const halo_exchange_desc &desc = default_exchange) {
        check(halo_exchange_create(fields.data(), static_cast<std::int32_t>(fields.size()), &desc, &handle_));
    }
    Exchange(std::initializer_list<halo_field *> fields, const halo_exchange_desc &desc = default_exchange)
        : Exchange(std::span<halo_field *const>(fields.begin(), fields.size()), desc) {}
    /// From fields of one grid into fields of another.
    Exchange(std::span<halo_field *const> sources, std::span<halo_field *const> destinations, const halo_transfer_desc &desc) {
        if (sources.size() != destinations.size()) throw error(HALO_ERR_ARGUMENT, "transfer: there must be as many sources as destinations");
        check(halo_exchange_create_transfer(sources.data(), destinations.data(), static_cast<std::int32_t>(sources.size()), &desc, &handle_));
    }
    /// Take over an exchange made otherwise.
    static Exchange adopt(halo_exchange *exchange) {
        Exchange adopted;
        adopted.handle_ = exchange;
        return adopted;
    }

    void prepare() { check(halo_exchange_prepare(handle_)); }
    void start(const halo_run *run = nullptr, halo_stream stream = HALO_STREAM_NONE) { check(halo_exchange_start(handle_, run, stream)); }
    void start(const Run &run, halo_stream stream = HALO_STREAM_NONE) {
        const halo_run as_c = run.get();
        start(&as_c, stream);
    }
    /// Throws an error with status HALO_TIMEOUT when the exchange's time limit passes: call again, or abandon.
    void finish(halo_stream stream = HALO_STREAM_NONE) { check(halo_exchange_finish(handle_, stream)); }

    void post(const halo_run *run = nullptr) { check(halo_exchange_post(handle_, run)); }
    void post(const Run &run) {
        const halo_run as_c = run.get();
        post(&as_c);
    }
    bool send(halo_stream stream = HALO_STREAM_NONE) { return done(halo_exchange_send(handle_, stream)); }
    bool test() {
        std::int32_t all_here = 0;
        check(halo_exchange_test(handle_, &all_here));
        return all_here != 0;
    }
    void unpack(halo_stream stream = HALO_STREAM_NONE) { check(halo_exchange_unpack(handle_, stream)); }
    void refine(halo_stream stream = HALO_STREAM_NONE) { check(halo_exchange_refine(handle_, stream)); }
    void abandon() { check(halo_exchange_abandon(handle_)); }

    std::vector<halo_arrival> arrivals() {
        return detail::all_of<halo_arrival>([&](auto... list) { return halo_exchange_arrivals(handle_, list...); });
    }
    /// As it was given.
    halo_exchange_desc desc() const {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        check(halo_exchange_get_desc(handle_, &desc));
        return desc;
    }
    halo_transfer_desc transfer_desc() const {
        halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
        check(halo_exchange_get_transfer_desc(handle_, &desc));
        return desc;
    }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        check(halo_exchange_get_stats(handle_, &stats));
        return stats;
    }
    std::vector<halo_peer_row> peers() const {
        return detail::all_of<halo_peer_row>([&](auto... list) { return halo_exchange_peers(handle_, sizeof(halo_peer_row), list...); });
    }
    std::string describe() const {
        std::size_t bytes = 0;
        check(halo_exchange_describe(handle_, nullptr, 0, &bytes));
        std::string text(bytes, '\0');
        check(halo_exchange_describe(handle_, text.data(), bytes, nullptr));
        text.pop_back();
        return text;
    }

private:
    Exchange() = default;
};

} // namespace halo
