// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/limits.h"
#include "capi/leftovers.h"
#include "capi/list.h"
#include "field/field.h"
#include "field/interior.h"

namespace halo {

namespace {

halo_binding read_binding(const halo_binding *binding, halo_layout &layout) {
    require(binding, "binding");
    const halo_binding defaults = HALO_BINDING_INIT;
    halo_binding known = read_struct(binding, defaults);
    if (known.memory < HALO_MEMORY_HOST || known.memory > HALO_MEMORY_SHARED || known.device < 0)
        fail(HALO_ERR_ARGUMENT, "binding: memory %d of device %d: there is no such kind, or ordinal", known.memory, known.device);
    if (known.device > 0 && (known.memory == HALO_MEMORY_HOST || known.memory == HALO_MEMORY_SHARED))
        fail(HALO_ERR_ARGUMENT, "binding: there is no %s memory of device %d", memory_name(known.memory), known.device);
    if (known.layout) {
        const halo_layout natural = HALO_LAYOUT_INIT;
        layout = read_struct(known.layout, natural);
        known.layout = &layout;
    }
    return known;
}

halo_layout_desc read_layout_desc(const halo_layout_desc *desc) {
    require(desc, "desc");
    const halo_layout_desc defaults = HALO_LAYOUT_DESC_INIT;
    return read_struct(desc, defaults);
}

StorageShape read_shape(const int64_t points[3], int64_t element_bytes, int32_t n_components, int32_t n_places) {
    for (int d = 0; d < 3; ++d)
        if (points[d] < 0) fail(HALO_ERR_ARGUMENT, "layout: %lld points in direction %d", static_cast<long long>(points[d]), d);
    if (element_bytes < 1) fail(HALO_ERR_ARGUMENT, "layout: element_bytes is %lld, it must be 1 or more", static_cast<long long>(element_bytes));
    if (n_components < 1 || n_places < 1)
        fail(HALO_ERR_ARGUMENT, "layout: n_components %d and n_places %d must be 1 or more", n_components, n_places);
    return { { points[0], points[1], points[2] }, {}, n_components, n_places, element_bytes };
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_field_create(halo_topology *topology, const halo_field_desc *desc, halo_field **field) {
    return with_handle(topology, [&] {
        require(desc, "desc");
        require(field, "field");
        const halo_field_desc defaults = HALO_FIELD_DESC_INIT;
        Topology &on = object_of<Topology>(topology);
        const Context::TakesNumbers numbers(on.context(), { 0, 1 });
        auto object = std::make_unique<Field>(on, read_struct(desc, defaults));
        ContextObject *owner = shell_of(topology)->owner;
        *field = owner->shells.make<halo_field>(owner, object.get());
        object.release();
    });
}

halo_status halo_field_get_desc(const halo_field *field, halo_field_desc *desc) {
    return with_handle(field, [&] {
        require(desc, "desc");
        write_struct(desc, object_of<Field>(field).desc());
    });
}

halo_status halo_field_destroy(halo_field **field) {
    return guard([&] {
        require(field, "field");
        const CallLock::Call call = require_callable(shell_of(*field), HandleKind::field);
        const Field &object = object_of<Field>(*field);
        ContextObject &owner = *shell_of(*field)->owner;
        if (const std::string exchanges = exchanges_over(owner.shells, object); !exchanges.empty())
            fail(HALO_BUSY, "field %s: exchanges over it still exist: %s", object.spec().name.c_str(), exchanges.c_str());
        if (const std::string controlled = object.names_of_controlled(); !controlled.empty())
            fail(HALO_BUSY, "field %s: it controls fields that still exist: %s", object.spec().name.c_str(), controlled.c_str());
        owner.accesses.forget(object); // with the exchanges of its batches
        destroy_object<Field>(field);
    });
}

halo_status halo_field_map_points(halo_field *field, int64_t gid, const int64_t *positions, int64_t n_points) {
    return with_handle(field, [&] {
        if (n_points < 0) fail(HALO_ERR_ARGUMENT, "map_points: n_points is %lld", static_cast<long long>(n_points));
        if (n_points > 0) require(positions, "positions");
        object_of<Field>(field).map_points(gid, { positions, static_cast<size_t>(n_points) });
    });
}

halo_status halo_field_layout(const halo_field *field, int64_t gid, halo_layout *layout) {
    return with_handle(field, [&] {
        require(layout, "layout");
        const Field &object = object_of<Field>(field);
        const halo_layout filled = as_halo_layout(object.layout(object.topology().require_local(gid)));
        write_struct(layout, filled);
    });
}

halo_status halo_field_set_layout(halo_field *field, const halo_layout_desc *desc) {
    return with_handle(field, [&] { object_of<Field>(field).set_layout(read_layout_desc(desc)); });
}

halo_status halo_layout_fill(const halo_layout_desc *desc, const int64_t points[3], int64_t element_bytes, int32_t n_components, int32_t n_places,
                             halo_layout *layout) {
    return guard([&] {
        require(points, "points");
        require(layout, "layout");
        const LayoutRule rule(read_layout_desc(desc));
        const StorageShape shape = read_shape(points, element_bytes, n_components, n_places);
        const std::optional<PartLayout> found = rule.layout(shape);
        if (!found)
            fail(HALO_ERR_LIMIT, "layout: storage of %lld x %lld x %lld points, with ghosts, exceeds %lld bytes", static_cast<long long>(points[0]),
                 static_cast<long long>(points[1]), static_cast<long long>(points[2]), static_cast<long long>(limits::storage_bytes));
        const halo_layout filled = as_halo_layout(*found);
        write_struct(layout, filled);
    });
}

halo_status halo_field_bind(halo_field *field, int64_t gid, const halo_binding *binding) {
    return with_handle<Inside::arrival>(field, [&] {
        halo_layout layout;
        object_of<Field>(field).bind(gid, read_binding(binding, layout));
    });
}

halo_status halo_field_bind_many(halo_field *field, int64_t part_stride, const halo_binding *binding) {
    return with_handle<Inside::arrival>(field, [&] {
        halo_layout layout;
        object_of<Field>(field).bind_many(part_stride, read_binding(binding, layout));
    });
}

halo_status halo_field_allocate(halo_field *field, int64_t gid) {
    return with_handle<Inside::arrival>(field, [&] { object_of<Field>(field).allocate(gid); });
}

halo_status halo_field_data(const halo_field *field, int64_t gid, int32_t set, void **data) {
    return with_handle(field, [&] {
        require(data, "data");
        const Field &object = object_of<Field>(field);
        object.check_set(set);
        *data = object.data(object.topology().require_local(gid), set);
    });
}

halo_status halo_field_boundaries(const halo_field *field, int64_t gid, size_t row_bytes, halo_boundary *boundaries, int64_t capacity, int64_t *n) {
    return with_handle(field, [&] { write_rows(object_of<Field>(field).boundaries(gid), row_bytes, boundaries, capacity, n, "boundaries"); });
}

halo_status halo_field_owner_mask(const halo_field *field, int64_t gid, uint8_t *mask, int64_t capacity, int64_t *n) {
    return with_handle(field, [&] {
        const Field &object = object_of<Field>(field);
        const int64_t part = object.topology().require_local(gid);
        if (takes_list(object.n_owned_points(part), mask, capacity, n, "mask")) object.mark_owned(part, mask);
    });
}

halo_status halo_field_interior_rim(const halo_field *field, int64_t gid, int32_t reach, halo_box *interior, halo_box rim[6], int32_t *n_rim) {
    return with_handle(field, [&] {
        require(interior, "interior");
        require(rim, "rim");
        require(n_rim, "n_rim");
        const Topology &topology = object_of<Field>(field).topology();
        if (reach < 0) fail(HALO_ERR_ARGUMENT, "interior and rim: reach is %d", reach);
        const InteriorRim split = split_interior(topology.cells(topology.require_local(gid)), topology.n_dims(), reach);
        *interior = split.interior;
        std::copy_n(split.rim, split.n_rim, rim);
        *n_rim = split.n_rim;
    });
}
