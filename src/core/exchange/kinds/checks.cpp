// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/kinds.h"
#include "topology/forest/forest.h"

namespace halo {

namespace {

// A field at some of the places that trees turn into each other lacks the others.
void check_turned(const Field &field) {
    const auto *const forest = dynamic_cast<const ForestTopology *>(&field.topology());
    if (forest && field.spec().places.size() == 1 && !forest->keeps(field.spec().places[0]))
        fail(HALO_ERR_ARGUMENT,
             "exchange: field %s of centring %d: between trees that are turned against each other all faces, or all edges, are wanted",
             field.spec().name.c_str(), field.spec().centring);
}

} // namespace

void check_fields(const std::vector<Field *> &fields) {
    for (const Field *field : fields) check_turned(*field);
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
