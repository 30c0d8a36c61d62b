// SPDX-License-Identifier: BSD-3-Clause
// Ghosts filled direction by direction: a round for each, so that edges and corners ride along with faces.
#include "exchange/kinds/kinds.h"

namespace halo {

namespace {

void check(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (!desc.source_stable) fail(HALO_ERR_ARGUMENT, "exchange: sweeps read owned cells after start has returned: they want source_stable");
    if (desc.kind != HALO_KIND_GHOSTS || desc.shared != HALO_SHARED_KEEP || desc.stencil != HALO_STENCIL_FULL)
        fail(HALO_ERR_ARGUMENT, "exchange: sweeps fill ghosts of the full stencil, not kind %d, shared %d, stencil %d", desc.kind, desc.shared,
             desc.stencil);
    for (const Field *field : fields) {
        const FieldSpec &spec = field->spec();
        if (!field->topology().has_rows())
            fail(HALO_ERR_ARGUMENT,
                 "exchange: the parts of field %s need not lie in rows and columns: sweeps want blocks, or boxes that the library has cut",
                 spec.name.c_str());
        if (spec.sparse || spec.places != std::vector<Centring>{ HALO_CENTRE_CELL })
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse or not in cells: sweeps cannot fill it", spec.name.c_str());
    }
}

} // namespace

std::unique_ptr<Exchange> make_sweeps(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check(fields, desc);
    std::vector<RoundSpec> rounds;
    for (int32_t d = 0; d < fields[0]->topology().n_dims(); ++d) rounds.push_back(topology_round(fields, desc, d));
    return std::make_unique<Exchange>(fields, std::move(rounds), nullptr, "exchange in sweeps");
}

} // namespace halo
