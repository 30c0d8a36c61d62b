// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "capi/exchange.h"
#include "capi/list.h"
#include "exchange/kinds/kinds.h"
#include "halo_levels.h"
#include "topology/boxes/hierarchy.h"

using namespace halo;

namespace {

// A local part beside one of an exchange's fields.
struct CoarsePart {
    Exchange &exchange;
    size_t field;
    int64_t index;
    const Field *coarse; // null: none, for all blocks of the forest are of one level
};

CoarsePart coarse_part_of(const halo_exchange *handle, int32_t field, int64_t gid) {
    Exchange &exchange = *object_of<ExchangeObject>(handle).exchange;
    if (field < 0 || field >= exchange.n_fields()) fail(HALO_ERR_ARGUMENT, "%s: field %d of %d", exchange.what().c_str(), field, exchange.n_fields());
    const Topology &topology = exchange.field(field)->topology();
    const Field *const coarse = exchange.coarse_field(static_cast<size_t>(field));
    if (!coarse && !is_forest(topology))
        fail(HALO_ERR_NOT_FOUND, "%s: field %s has no coarse cells: it is not exchanged between levels", exchange.what().c_str(),
             exchange.field(field)->spec().name.c_str());
    return { exchange, static_cast<size_t>(field), topology.require_local(gid), coarse };
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
        const CoarsePart part = coarse_part_of(exchange, field, gid);
        if (!part.coarse) {
            *data = nullptr;
            return;
        }
        if (!part.exchange.coarse_follows(part.field)) { // to move it is more than to read
            shell_of(exchange)->owner->context.admit(Inside::nothing);
            part.exchange.place_coarse(part.field);
        }
        if (layout) write_struct(layout, as_halo_layout(part.coarse->layout(part.index)));
        *data = part.coarse->data(part.index, 0);
    });
}

halo_status halo_exchange_coarse_boundaries(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_boundary *boundaries,
                                            int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        const CoarsePart part = coarse_part_of(exchange, field, gid);
        const bool any = part.coarse && part.exchange.has_coarse(part.field, part.index);
        write_rows(any ? part.coarse->boundaries(gid) : std::vector<halo_boundary>(), row_bytes, boundaries, capacity, n, "boundaries");
    });
}

halo_status halo_exchange_level_regions(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_level_region *regions,
                                        int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        const CoarsePart part = coarse_part_of(exchange, field, gid);
        write_rows(part.coarse ? part.exchange.level_regions(part.field, part.index) : std::vector<halo_level_region>(), row_bytes, regions, capacity,
                   n, "regions");
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
