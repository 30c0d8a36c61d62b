// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/kinds.h"

#include "base/types.h"

namespace halo {

void check_fields(const std::vector<Field *> &fields) {
    for (const Field *field : fields)
        if (&field->topology().context() != &fields[0]->topology().context())
            fail(HALO_ERR_ARGUMENT, "exchange: fields %s and %s live in different contexts", fields[0]->spec().name.c_str(),
                 field->spec().name.c_str());
}

void check_combining(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.op < HALO_SUM || desc.op > HALO_BXOR) fail(HALO_ERR_ARGUMENT, "exchange: op %d is none of HALO_SUM ... HALO_BXOR", desc.op);
    if (desc.op == HALO_USER && !desc.combine) fail(HALO_ERR_ARGUMENT, "exchange: HALO_USER without a function `combine`");
    for (const Field *field : fields) {
        if (field->spec().sparse) fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse: its ghosts cannot be combined", field->spec().name.c_str());
        check_op(field->spec(), desc.op);
    }
}

void check_op(const FieldSpec &spec, halo_op op) {
    if (op != HALO_USER && !combines(spec.type, op))
        fail(HALO_ERR_ARGUMENT, "exchange: field %s of type %d cannot be combined by op %d", spec.name.c_str(), spec.type, op);
}

} // namespace halo
