// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "access/reduction.h"
#include "access/sections.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/types.h"
#include "capi/handle.h"
#include "comm/collective_stream.h"
#include "topology/points/points.h"

namespace halo {

namespace {

void read_shape(BatchShape &shape, const halo_access *accesses, int32_t n, size_t bytes) {
    if (n < 0) fail(HALO_ERR_ARGUMENT, "batch of %d accesses", n);
    if (n > 0) require(accesses, "accesses");
    check_limit("batch: the number of accesses", n, limits::fields);
    shape.arguments.resize(static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i) {
        const halo_access given = read_item(accesses, bytes, i, halo_access HALO_ACCESS_INIT);
        require_handle(shell_of(given.field), HandleKind::field);
        if (given.reserved != 0) fail(HALO_ERR_ARGUMENT, "access %d: reserved is %d, not 0", i, given.reserved);
        shape.arguments[static_cast<size_t>(i)] = {
            &object_of<Field>(given.field), given.mode, given.through, given.sections, given.whole, given.set, given.may_lose, given.combine_order
        };
    }
}

Accesses &accesses_of(const halo_field *field) { return shell_of(field)->owner->accesses; }
TrackedField &tracked(const halo_field *field, int32_t set) { return accesses_of(field).tracked(object_of<Field>(field), set); }

ReducedItems read_items(const halo_reduction_item *items, size_t bytes, int32_t n) {
    if (n < 0) fail(HALO_ERR_ARGUMENT, "reduction of %d items", n);
    check_limit("reduction: the number of items", n, limits::reduced_items);
    if (n > 0) require(items, "items");
    std::vector<halo_reduction_item> known;
    for (int32_t i = 0; i < n; ++i) known.push_back(read_item(items, bytes, i, halo_reduction_item HALO_REDUCTION_ITEM_INIT));
    return ReducedItems(known);
}

// `items` may fail: the ranks number their reductions alike even so.
template <class Items>
halo_reduction *make_reduction(halo_context *context, Items &&items) {
    ContextObject &owner = object_of<ContextObject>(context);
    const Context::TakesNumbers numbers(owner.context, { 1, 0 });
    auto object = std::make_unique<Reduction>(owner.context, owner.reductions, items());
    auto *handle = owner.shells.make<halo_reduction>(&owner, object.get());
    object.release();
    return handle;
}

void check_where(int32_t where) {
    if (where != HALO_ON_HOST && where != HALO_ON_DEVICE) fail(HALO_ERR_ARGUMENT, "%d is neither HALO_ON_HOST nor HALO_ON_DEVICE", where);
}

std::span<const int32_t> numbers(const int32_t *list, int64_t n, const char *name) {
    if (n < 0) fail(HALO_ERR_ARGUMENT, "sections: %lld entities", static_cast<long long>(n));
    check_limit("sections: the number of entities", n, HALO_NO_INDEX);
    if (n > 0) require(list, name);
    return { list, static_cast<size_t>(n) };
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_sections_classify(int32_t rank, const int32_t *owners, int64_t n, const halo_map *maps, int32_t n_maps, int32_t *sections,
                                   uint32_t *order, halo_section_sizes *sizes) {
    return guard([&] {
        if (n_maps < 0) fail(HALO_ERR_ARGUMENT, "sections: %d maps", n_maps);
        if (n_maps > 0) require(maps, "maps");
        const std::span<const int32_t> all = numbers(owners, n, "owners");
        const Sections found = classify(rank, all, { maps, static_cast<size_t>(n_maps) });
        halo_section_sizes filled = HALO_SECTION_SIZES_INIT;
        std::copy(found.sizes.begin(), found.sizes.end(), filled.n);
        if (sizes) write_struct(sizes, filled); // which may be refused
        if (sections) std::copy(found.of.begin(), found.of.end(), sections);
        if (!order) return;
        const std::vector<uint32_t> by_section = found.order(all);
        std::copy(by_section.begin(), by_section.end(), order);
    });
}

halo_status halo_sections_reach(const halo_map *map, const int32_t *sections, int64_t n, uint32_t from, uint32_t bits, uint32_t *groups) {
    return guard([&] {
        require(map, "map");
        if (map->n_to > 0) require(groups, "groups");
        reach(*map, numbers(sections, n, "sections"), from, bits, groups);
    });
}

halo_status halo_topology_set_sections(halo_topology *topology, const uint32_t *groups, int64_t n) {
    return with_handle(topology, [&] {
        auto *points = dynamic_cast<PointsTopology *>(&object_of<Topology>(topology));
        if (!points) fail(HALO_ERR_ARGUMENT, "sections: the topology has no points: it was not made from keys or lists");
        const CollectiveCall call(points->context(), "sections", HALO_TIMEOUT_CONFIGURED, points->id());
        points->set_sections({ groups, static_cast<size_t>(groups && n > 0 ? n : 0) });
    });
}

halo_status halo_access_begin(halo_context *context, const halo_access *accesses, int32_t n, size_t access_bytes, int32_t style, int32_t where,
                              halo_stream stream, halo_batch **batch) {
    return with_handle(context, [&] {
        require(batch, "batch");
        *batch = nullptr;
        ContextObject &owner = object_of<ContextObject>(context);
        read_shape(owner.batch_shape, accesses, n, access_bytes);
        owner.batch_shape.style = style;
        owner.batch_shape.where = where;
        Batch &begun = owner.accesses.find(owner.batch_shape);
        if (!begun.handle) begun.handle = owner.shells.make<halo_batch>(&owner, &begun);
        const auto tell = [&] { *batch = static_cast<halo_batch *>(begun.handle); };
        try {
            owner.accesses.begin(begun, stream);
        } catch (...) {
            if (begun.told()) tell();
            throw;
        }
        tell();
    });
}

halo_status halo_access_ready(halo_batch *batch) {
    return with_handle(batch, [&] { object_of<Batch>(batch).ready(); });
}

halo_status halo_access_needs_exec(const halo_batch *batch, int32_t *needs_exec) {
    return with_handle(batch, [&] {
        require(needs_exec, "needs_exec");
        *needs_exec = object_of<Batch>(batch).needs_exec() ? 1 : 0;
    });
}

halo_status halo_access_end(halo_batch *batch) {
    return with_handle(batch, [&] { object_of<Batch>(batch).end(); });
}

halo_status halo_access_end_and_send(halo_batch *batch) {
    return with_handle(batch, [&] { shell_of(batch)->owner->accesses.end_and_send(object_of<Batch>(batch)); });
}

halo_status halo_access_abandon(halo_batch *batch) {
    return with_handle(batch, [&] { shell_of(batch)->owner->accesses.abandon(object_of<Batch>(batch)); });
}

halo_status halo_access_get_state(const halo_field *field, int32_t set, halo_access_state *state) {
    return with_handle(field, [&] {
        require(state, "state");
        const TrackedField &known = tracked(field, set);
        halo_access_state filled = HALO_ACCESS_STATE_INIT;
        filled.freshness = known.freshness.state();
        filled.pending = known.freshness.pending();
        filled.fresh = known.freshness.fresh();
        filled.owned = static_cast<int32_t>(known.mirror.state(Section::owned));
        filled.ghosts = static_cast<int32_t>(known.mirror.state(Section::ghosts));
        filled.version = known.freshness.version();
        write_struct(state, filled);
    });
}

halo_status halo_access_mark_dirty(halo_field *field, int32_t set, int32_t where) {
    return with_handle(field, [&] {
        check_where(where);
        tracked(field, set).mark_dirty(where);
    });
}

halo_status halo_access_mark_fresh(halo_field *field, int32_t set, int32_t where) {
    return with_handle(field, [&] {
        check_where(where);
        tracked(field, set).mark_fresh(where);
    });
}

halo_status halo_access_freeze(halo_field *field, int32_t frozen) {
    return with_handle(field, [&] { accesses_of(field).freeze(object_of<Field>(field), frozen != 0); });
}

halo_status halo_access_data(const halo_field *field, int64_t gid, int32_t set, int32_t where, void **data) {
    return with_handle(field, [&] {
        require(data, "data");
        check_where(where);
        const TrackedField &known = tracked(field, set);
        *data = known.mirror.data(known.field.topology().require_local(gid), where);
    });
}

halo_status halo_access_get_stats(const halo_context *context, const char *field_name, halo_access_stats *stats) {
    return with_handle(context, [&] {
        require(field_name, "field_name");
        require(stats, "stats");
        const AccessCounters *counters = object_of<ContextObject>(context).accesses.counters(field_name);
        if (!counters) fail(HALO_ERR_NOT_FOUND, "access counters: nothing has used a field '%s'", field_name);
        halo_access_stats filled = HALO_ACCESS_STATS_INIT;
        filled.started = counters->started;
        filled.skipped = counters->skipped;
        filled.reversed = counters->reversed;
        filled.bytes_sent = counters->bytes_sent;
        filled.bytes_up = counters->bytes_up;
        filled.bytes_down = counters->bytes_down;
        write_struct(stats, filled);
    });
}

halo_status halo_reduction_create(halo_context *context, int64_t n, halo_type type, halo_op op, halo_reduction **reduction) {
    return with_handle(context, [&] {
        require(reduction, "reduction");
        *reduction = make_reduction(context, [&] {
            check_combines(type, op, "reduction");
            const halo_reduction_item item{ n, type, op, 0, 0, 0, nullptr, nullptr };
            return ReducedItems({ &item, 1 });
        });
    });
}

halo_status halo_reduction_create_items(halo_context *context, const halo_reduction_item *items, size_t item_bytes, int32_t n_items,
                                        halo_reduction **reduction) {
    return with_handle(context, [&] {
        require(reduction, "reduction");
        *reduction = make_reduction(context, [&] { return read_items(items, item_bytes, n_items); });
    });
}

halo_status halo_reduction_begin(halo_reduction *reduction, const void *in) {
    return with_handle(reduction, [&] {
        Reduction &object = object_of<Reduction>(reduction);
        if (object.has_values()) require(in, "in");
        object.begin(in);
    });
}

halo_status halo_reduction_test(halo_reduction *reduction, int32_t *done) {
    return with_handle(reduction, [&] {
        require(done, "done");
        *done = object_of<Reduction>(reduction).test() ? 1 : 0;
    });
}

halo_status halo_reduction_end(halo_reduction *reduction, void *out) {
    return with_handle(reduction, [&] {
        Reduction &object = object_of<Reduction>(reduction);
        if (object.has_values()) require(out, "out");
        object.end(out);
    });
}

halo_status halo_reduction_destroy(halo_reduction **reduction) {
    return guard([&] {
        require(reduction, "reduction");
        const CallLock::Call call = require_callable(shell_of(*reduction), HandleKind::reduction);
        destroy_object<Reduction>(reduction);
    });
}
