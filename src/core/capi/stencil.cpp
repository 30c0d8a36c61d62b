// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/joins.h"
#include "analysis/stencil.h"
#include "base/checked.h"
#include "capi/handle.h"
#include "capi/list.h"
#include "comm/collective_stream.h"
#include "exchange/kinds/kinds.h"
#include "field/field.h"

// Belongs to no context.
struct halo_stencil {
    static constexpr uint32_t living = 0x4c434e53; // a value that stray memory is unlikely to hold
    explicit halo_stencil(const halo_stencil_desc &desc) : stencil(desc) {}

    uint32_t kind = living;
    halo::Stencil stencil;
};

namespace halo {

namespace {

void require_stencil(const halo_stencil *handle) {
    if (!handle) fail(HALO_ERR_ARGUMENT, "the stencil handle is NULL");
    if (handle->kind != halo_stencil::living) fail(HALO_ERR_HANDLE, "handle %p is not a stencil", static_cast<const void *>(handle));
}

template <class H, class Body>
halo_status with_stencil(H *handle, Body &&body) noexcept {
    return guard([&] {
        require_stencil(handle);
        body(handle->stencil);
    });
}

int32_t ghost_width(int64_t layers) {
    check_limit("stencil: ghost layers", layers, INT32_MAX);
    return static_cast<int32_t>(layers);
}

// The fields of a group, of which each has the ghosts that the exchange fills.
std::vector<halo_field *> fields_of(const Stencil &stencil, int32_t group, halo_field *const *fields, int32_t n_fields) {
    const size_t wanted = stencil.require_group(group);
    if (n_fields != std::ssize(stencil.program().fields()) || (n_fields > 0 && !fields))
        fail(HALO_ERR_ARGUMENT, "stencil: %d fields at address %p; it has %zu", n_fields, static_cast<const void *>(fields),
             stencil.program().fields().size());
    std::vector<halo_field *> members;
    for (const halo_stencil_exchange &one : stencil.exchanges()) {
        if (static_cast<size_t>(one.group) != wanted) continue;
        halo_field *const field = fields[one.field];
        require_handle(shell_of(field), HandleKind::field);
        const FieldSpec &spec = object_of<Field>(field).spec();
        for (size_t d = 0; d < 3; ++d)
            if (spec.ghosts.low[d] < one.low[d] || spec.ghosts.high[d] < one.high[d])
                fail(HALO_ERR_BOUNDS, "stencil: field %s has %lld and %lld ghost layers in direction %zu; the exchange fills %lld and %lld",
                     spec.name.c_str(), static_cast<long long>(spec.ghosts.low[d]), static_cast<long long>(spec.ghosts.high[d]), d,
                     static_cast<long long>(one.low[d]), static_cast<long long>(one.high[d]));
        members.push_back(field);
    }
    return members;
}

// What the exchange of a group would have taken, where memory has failed for the list of its fields: other ranks' may be made. Takes no memory.
void take_numbers(const Stencil &stencil, int32_t group, halo_field *const *fields, const halo_exchange_desc *desc) {
    const Choice &known = stencil.result();
    const auto first = std::ranges::find(known.groups.of, group);
    const auto n = static_cast<int32_t>(std::count(first, known.groups.of.end(), group));
    halo_field *const field = fields[known.needs.filled[static_cast<size_t>(first - known.groups.of.begin())].field];
    require_handle(shell_of(field), HandleKind::field);
    const Topology &topology = object_of<Field>(field).topology();
    const halo_exchange_desc defaults = HALO_EXCHANGE_DESC_INIT;
    CallLock::Call call;
    call.begin(topology.context().call_lock());
    const auto numbers = numbers_of(topology, n, read_optional_struct(desc, defaults), {});
    const Context::TakesNumbers taken(topology.context(), numbers);
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_stencil_create(const halo_stencil_desc *desc, halo_stencil **stencil) {
    return guard([&] {
        require(desc, "desc");
        require(stencil, "stencil");
        const halo_stencil_desc defaults = HALO_STENCIL_DESC_INIT;
        *stencil = new halo_stencil(read_struct(desc, defaults));
    });
}

halo_status halo_stencil_destroy(halo_stencil **stencil) {
    return guard([&] {
        require(stencil, "stencil");
        require_stencil(*stencil);
        (*stencil)->kind = 0;
        delete *stencil;
        *stencil = nullptr;
    });
}

halo_status halo_stencil_add_field(halo_stencil *stencil, const halo_stencil_field_desc *desc, int32_t *field) {
    return with_stencil(stencil, [&](Stencil &object) {
        require(desc, "desc");
        require(field, "field");
        const halo_stencil_field_desc defaults = HALO_STENCIL_FIELD_DESC_INIT;
        *field = object.editable().add_field(read_struct(desc, defaults));
    });
}

halo_status halo_stencil_add_stage(halo_stencil *stencil, const halo_stencil_stage_desc *desc, int32_t *stage) {
    return with_stencil(stencil, [&](Stencil &object) {
        require(desc, "desc");
        require(stage, "stage");
        const halo_stencil_stage_desc defaults = HALO_STENCIL_STAGE_DESC_INIT;
        *stage = object.editable().add_stage(read_struct(desc, defaults));
    });
}

halo_status halo_stencil_analyse(halo_stencil *stencil) {
    return with_stencil(stencil, [&](Stencil &object) { object.analyse(); });
}

halo_status halo_stencil_get_field(const halo_stencil *stencil, int32_t field, halo_stencil_field *result) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(result, "result");
        write_struct(result, object.field(field));
    });
}

halo_status halo_stencil_get_stage(const halo_stencil *stencil, int32_t stage, halo_stencil_stage *result) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(result, "result");
        write_struct(result, object.stage(stage));
    });
}

halo_status halo_stencil_describe(const halo_stencil *stencil, char *text, size_t capacity, size_t *needed_bytes) {
    return with_stencil(stencil, [&](const Stencil &object) { write_text(object.text(), text, capacity, needed_bytes); });
}

halo_status halo_stencil_exchanges(const halo_stencil *stencil, halo_stencil_exchange *exchanges, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.exchanges(), exchanges, capacity, n, "exchanges"); });
}

halo_status halo_stencil_groups(const halo_stencil *stencil, halo_stencil_group *groups, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.groups(), groups, capacity, n, "groups"); });
}

halo_status halo_stencil_get_summary(const halo_stencil *stencil, halo_stencil_summary *summary) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(summary, "summary");
        const Costs &costs = object.result().costs;
        halo_stencil_summary filled = HALO_STENCIL_SUMMARY_INIT;
        filled.n_groups = costs.n_groups;
        filled.values = costs.values;
        filled.cells_twice = costs.cells_twice;
        filled.cost = costs.cost;
        write_struct(summary, filled);
    });
}

halo_status halo_stencil_level_index(const halo_stencil *stencil, const halo_stencil_level *level, int64_t *index) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(level, "level");
        require(index, "index");
        *index = object.program().axis().index(*level, "stencil");
    });
}

halo_status halo_stencil_loops(const halo_stencil *stencil, halo_stencil_loop *loops, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.loops(), loops, capacity, n, "loops"); });
}

halo_status halo_stencil_loop_intervals(const halo_stencil *stencil, int32_t stage, int32_t *intervals, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.loop_intervals(stage), intervals, capacity, n, "intervals"); });
}

halo_status halo_stencil_stage_ranges(const halo_stencil *stencil, int32_t stage, halo_stencil_range *ranges, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.stage_ranges(stage), ranges, capacity, n, "ranges"); });
}

halo_status halo_stencil_exchange_ranges(const halo_stencil *stencil, int32_t exchange, halo_stencil_range *ranges, int64_t capacity, int64_t *n) {
    return with_stencil(stencil, [&](const Stencil &object) { write_list(object.filled_ranges(exchange), ranges, capacity, n, "ranges"); });
}

halo_status halo_stencil_fill_field_desc(const halo_stencil *stencil, int32_t field, halo_field_desc *desc) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(desc, "desc");
        const halo_field_desc defaults = HALO_FIELD_DESC_INIT;
        halo_field_desc filled = read_struct(desc, defaults);
        const halo_stencil_field known = object.field(field);
        const StencilField &said = object.program().fields()[object.require_field(field)];
        filled.name = said.name.c_str();
        filled.n_components = said.n_components;
        for (int d = 0; d < 3; ++d) {
            filled.ghost_low[d] = ghost_width(known.ghost_low[d]);
            filled.ghost_high[d] = ghost_width(known.ghost_high[d]);
        }
        write_struct(desc, filled);
    });
}

halo_status halo_stencil_fill_layout_desc(const halo_stencil *stencil, halo_layout_desc *desc) {
    return with_stencil(stencil, [&](const Stencil &object) {
        require(desc, "desc");
        const halo_layout_desc defaults = HALO_LAYOUT_DESC_INIT;
        halo_layout_desc filled = read_struct(desc, defaults);
        std::fill_n(filled.ghost_low, 3, 0);
        std::fill_n(filled.ghost_high, 3, 0);
        for (int32_t number = 0; number < std::ssize(object.program().fields()); ++number) {
            const halo_stencil_field known = object.field(number);
            for (int d = 0; d < 3; ++d) {
                filled.ghost_low[d] = std::max(filled.ghost_low[d], ghost_width(known.ghost_low[d]));
                filled.ghost_high[d] = std::max(filled.ghost_high[d], ghost_width(known.ghost_high[d]));
            }
        }
        write_struct(desc, filled);
    });
}

halo_status halo_stencil_create_exchange(const halo_stencil *stencil, int32_t group, halo_field *const *fields, int32_t n_fields,
                                         const halo_exchange_desc *desc, halo_exchange **exchange) {
    std::vector<halo_field *> members;
    const halo_status status = guard([&] {
        require_stencil(stencil);
        try {
            members = fields_of(stencil->stencil, group, fields, n_fields);
        } catch (const std::bad_alloc &) {
            take_numbers(stencil->stencil, group, fields, desc);
            throw;
        }
    });
    if (status != HALO_SUCCESS) return status;
    return halo_exchange_create(members.data(), static_cast<int32_t>(members.size()), desc, exchange); // has texts of its own
}

halo_status halo_stencil_create_topology(const halo_stencil *stencil, int32_t exchange, halo_context *context, const halo_blocks_desc *blocks,
                                         halo_topology **topology) {
    return with_handle(context, [&] {
        require_stencil(stencil);
        require(blocks, "blocks");
        require(topology, "topology");
        const halo_blocks_desc defaults = HALO_BLOCKS_DESC_INIT;
        const halo_blocks_desc known = read_struct(blocks, defaults);
        const std::vector<halo_stencil_range> ranges = stencil->stencil.filled_ranges(exchange);
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, "stencil");
        std::unique_ptr<Topology> object = topology_of_ranges(owner.context, stencil->stencil.program(), ranges, known);
        *topology = owner.shells.make<halo_topology>(&owner, object.get());
        object.release();
    });
}
