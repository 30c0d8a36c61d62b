// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "capi/exchange.h"
#include "capi/list.h"
#include "halo_levels.h"
#include "topology/boxes/hierarchy.h"

using namespace halo;

namespace {

const Field &coarse_field_of(const halo_exchange *exchange, int32_t field) {
    const Exchange &object = *object_of<ExchangeObject>(exchange).exchange;
    if (field < 0 || field >= object.n_fields()) fail(HALO_ERR_ARGUMENT, "%s: field %d of %d", object.what().c_str(), field, object.n_fields());
    if (const Field *coarse = object.coarse_field(static_cast<size_t>(field))) return *coarse;
    fail(HALO_ERR_NOT_FOUND, "%s: field %s has no coarse cells: its blocks are of one level", object.what().c_str(),
         object.field(field)->spec().name.c_str());
}

} // namespace

halo_status halo_field_set_prolongation(halo_field *field, int32_t prolongation) {
    return with_handle(field, [&] { object_of<Field>(field).set_prolongation(prolongation); });
}

halo_status halo_field_set_restriction(halo_field *field, int32_t restriction) {
    return with_handle(field, [&] { object_of<Field>(field).set_restriction(restriction); });
}

halo_status halo_exchange_coarse_data(const halo_exchange *exchange, int32_t field, int64_t gid, void **data, halo_layout *layout) {
    return with_handle(exchange, [&] {
        require(data, "data");
        const Field &coarse = coarse_field_of(exchange, field);
        const int64_t part = coarse.topology().require_local(gid);
        Exchange &object = *object_of<ExchangeObject>(exchange).exchange;
        if (const auto number = static_cast<size_t>(field); !object.coarse_follows(number)) { // to move it is more than to read
            shell_of(exchange)->owner->context.admit(Inside::nothing);
            object.place_coarse(number);
        }
        if (layout) write_struct(layout, as_halo_layout(coarse.layout(part)));
        *data = coarse.data(part, 0);
    });
}

halo_status halo_exchange_coarse_boundaries(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_boundary *boundaries,
                                            int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        const Field &coarse = coarse_field_of(exchange, field);
        const int64_t part = coarse.topology().require_local(gid);
        const bool any = object_of<ExchangeObject>(exchange).exchange->has_coarse(static_cast<size_t>(field), part);
        write_rows(any ? coarse.boundaries(gid) : std::vector<halo_boundary>(), row_bytes, boundaries, capacity, n, "boundaries");
    });
}

halo_status halo_exchange_level_regions(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_level_region *regions,
                                        int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        const int64_t part = coarse_field_of(exchange, field).topology().require_local(gid);
        const Exchange &object = *object_of<ExchangeObject>(exchange).exchange;
        write_rows(object.level_regions(static_cast<size_t>(field), part), row_bytes, regions, capacity, n, "regions");
    });
}

halo_status halo_exchange_set_fraction(halo_exchange *exchange, double fraction) {
    return with_handle(exchange, [&] {
        Exchange &object = *object_of<ExchangeObject>(exchange).exchange;
        if (object.in_flight()) fail(HALO_BUSY, "%s: a run is in flight: the fraction is one of later runs", object.what().c_str());
        if (!std::isfinite(fraction)) fail(HALO_ERR_ARGUMENT, "%s: the fraction %g is not finite", object.what().c_str(), fraction);
        if (!object.set_fraction(fraction)) fail(HALO_ERR_NOT_FOUND, "%s: it has no fields of a later time", object.what().c_str());
    });
}

halo_status halo_field_level_boxes(const halo_field *field, const halo_topology *finer, int64_t gid, size_t row_bytes, halo_level_box *boxes,
                                   int64_t capacity, int64_t *n) {
    return with_handle(field, [&] {
        const Field &object = object_of<Field>(field);
        const char *const name = object.spec().name.c_str();
        const Topology &level = object.topology();
        const Topology *next = nullptr;
        if (!level.boxes()) fail(HALO_ERR_ARGUMENT, "field %s: its topology is not made of boxes of one index space", name);
        if (finer) {
            require_handle(shell_of(finer), HandleKind::topology);
            next = &object_of<Topology>(finer);
            if (const std::string why = Hierarchy::why_none(level, *next); !why.empty())
                fail(HALO_ERR_ARGUMENT, "field %s, and the topology of a finer level: %s", name, why.c_str());
        }
        write_rows(Hierarchy::level_boxes(level, next, object.spec().ghosts, gid), row_bytes, boxes, capacity, n, "boxes");
    });
}
