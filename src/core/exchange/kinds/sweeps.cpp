// SPDX-License-Identifier: BSD-3-Clause
// Ghosts filled direction by direction: a round for each, so that edges and corners ride along with faces.
#include "exchange/kinds/kinds.h"

namespace halo {

namespace {

void check_sweeps(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (!desc.source_stable) fail(HALO_ERR_ARGUMENT, "exchange: sweeps read owned cells after start has returned: they want source_stable");
    if (desc.kind != HALO_KIND_GHOSTS || desc.shared == HALO_SHARED_ONLY || desc.stencil != HALO_STENCIL_FULL)
        fail(HALO_ERR_ARGUMENT, "exchange: sweeps fill ghosts of the full stencil, not kind %d, shared %d, stencil %d", desc.kind, desc.shared,
             desc.stencil);
    for (const Field *field : fields) {
        const FieldSpec &spec = field->spec();
        if (spec.sparse) fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse: sweeps cannot fill it", spec.name.c_str());
        const bool shared = spec.places != std::vector<Centring>{ HALO_CENTRE_CELL };
        if (shared && desc.shared != HALO_SHARED_OWNER)
            fail(HALO_ERR_ARGUMENT, "exchange: field %s has points that several parts own: sweeps pass them on, and want HALO_SHARED_OWNER",
                 spec.name.c_str());
        if (const std::string why = field->topology().why_no_rows(shared); !why.empty())
            fail(HALO_ERR_ARGUMENT, "exchange: the parts of field %s do not lie in rows and columns as sweeps want them: %s", spec.name.c_str(),
                 why.c_str());
    }
}

} // namespace

std::unique_ptr<Exchange> make_sweeps(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_sweeps(fields, desc);
    std::vector<RoundSpec> rounds;
    for (int32_t d = 0; d < fields[0]->topology().n_dims(); ++d) rounds.push_back(topology_round(fields, desc, d));
    return std::make_unique<Exchange>(fields, std::move(rounds), nullptr, "exchange in sweeps");
}

} // namespace halo
