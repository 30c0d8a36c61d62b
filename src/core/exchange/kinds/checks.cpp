// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/kinds.h"

namespace halo {

void check_fields(const std::vector<Field *> &fields) {
    for (const Field *field : fields)
        if (&field->topology().context() != &fields[0]->topology().context())
            fail(HALO_ERR_ARGUMENT, "exchange: fields %s and %s live in different contexts", fields[0]->spec().name.c_str(),
                 field->spec().name.c_str());
}

void check_combining(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_op(desc.op, desc.combine, desc.combine_order == HALO_COMBINE_CANONICAL);
    for (const Field *field : fields) {
        if (field->spec().sparse) fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse: its ghosts cannot be combined", field->spec().name.c_str());
        check_op(field->spec(), desc.op);
    }
}

} // namespace halo
