// SPDX-License-Identifier: BSD-3-Clause
#include "capi/exchange.h"
#include "capi/list.h"
#include "halo_levels.h"

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

halo_status halo_exchange_coarse_data(const halo_exchange *exchange, int32_t field, int64_t gid, void **data, halo_layout *layout) {
    return with_handle(exchange, [&] {
        require(data, "data");
        const Field &coarse = coarse_field_of(exchange, field);
        const int64_t part = coarse.topology().require_local(gid);
        if (layout) write_struct(layout, as_halo_layout(coarse.layout(part)));
        *data = coarse.data(part, 0);
    });
}

halo_status halo_exchange_coarse_boundaries(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_boundary *boundaries,
                                            int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        const Field &coarse = coarse_field_of(exchange, field);
        coarse.topology().require_local(gid);
        write_rows(coarse.boundaries(gid), row_bytes, boundaries, capacity, n, "boundaries");
    });
}
