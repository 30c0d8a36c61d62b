// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/round_spec.h"

#include <unordered_set>

#include "base/types.h"

namespace halo {

namespace {

// "2", or where sides differ "1+2, 0+0, 1+1".
std::string text_of(const GhostWidths &ghosts, int32_t n_dims) {
    std::string text;
    bool same = true;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d) {
        text += format("%s%d+%d", d == 0 ? "" : ", ", ghosts.low[d], ghosts.high[d]);
        same = same && ghosts.low[d] == ghosts.low[0] && ghosts.high[d] == ghosts.low[0];
    }
    return same ? std::to_string(ghosts.low[0]) : text;
}

std::string text_of(const std::vector<Centring> &places) {
    static constexpr const char *names[] = { "cells", "x faces", "y faces", "z edges", "z faces", "y edges", "x edges", "nodes" };
    std::string text;
    for (const Centring place : places) text += (text.empty() ? "" : ", ") + std::string(names[place & 7]);
    return text;
}

void add_field(Terms &terms, const Field &field) {
    const FieldSpec &spec = field.spec();
    const std::string name = "field " + spec.name;
    if (field.topology().has_cells()) terms.add(name, text_of(spec.ghosts, field.topology().n_dims()), "ghost layers");
    terms.add(name, type_name(spec.type), "values");
    terms.add(name, std::to_string(spec.element_bytes), "bytes per value");
    terms.add(name, std::to_string(spec.n_components), "components");
    terms.add(name + " sits in", text_of(spec.places));
    terms.add(name, spec.sparse ? "sparse" : "dense");
    terms.add(name, std::to_string(field.ordinal()), "fields made before it");
}

} // namespace

Space space_in(const halo_run &run, size_t f, const Field &field) {
    if (run.data && run.devices) return run.devices[f] == HALO_DEVICE_HOST ? host_space : Space{ HALO_MEMORY_DEVICE, run.devices[f] };
    return field.space(run.sets ? run.sets[f] : 0);
}

GhostWidths widths_of(const halo_run &run) {
    GhostWidths ghosts = run.depth > 0 ? GhostWidths::same(run.depth) : GhostWidths::all();
    for (size_t d = 0; run.has_ghosts && d < 3; ++d) {
        ghosts.low[d] = std::min(ghosts.low[d], run.ghost_low[d]);
        ghosts.high[d] = std::min(ghosts.high[d], run.ghost_high[d]);
    }
    return ghosts;
}

void check_lists(const halo_run &run, size_t n_fields, size_t n_pointers, const std::string &what) {
    const bool any = run.field_mask || run.sets || run.devices;
    if ((any || run.n_fields != 0) && run.n_fields != static_cast<int64_t>(n_fields))
        fail(HALO_ERR_ARGUMENT, "%s: run with lists of n_fields %d, but the exchange has %zu fields", what.c_str(), run.n_fields, n_fields);
    if (run.data && run.n_data != static_cast<int64_t>(n_pointers))
        fail(HALO_ERR_ARGUMENT, "%s: run with n_data %lld, but its fields have %zu parts on this rank", what.c_str(),
             static_cast<long long>(run.n_data), n_pointers);
    if (!run.data && run.n_data != 0)
        fail(HALO_ERR_ARGUMENT, "%s: run with n_data %lld, but data is NULL", what.c_str(), static_cast<long long>(run.n_data));
}

void check_op(halo_op op, halo_combine_fn combine, bool canonical) {
    if (op < HALO_SUM || op > HALO_BXOR) fail(HALO_ERR_ARGUMENT, "exchange: op %d is none of HALO_SUM ... HALO_BXOR", op);
    if (op == HALO_USER && !combine) fail(HALO_ERR_ARGUMENT, "exchange: HALO_USER without a function `combine`");
    if (op == HALO_USER && canonical) fail(HALO_ERR_ARGUMENT, "exchange: HALO_COMBINE_CANONICAL, but which values of HALO_USER count is not known");
}

void check_op(const FieldSpec &spec, halo_op op) {
    if (op == HALO_USER || combines(spec.type, op)) return; // without an allocation
    check_combines(spec.type, op, format("exchange: field %s", spec.name.c_str()).c_str());
}

void fail_combining(halo_status status, const Field &field, int64_t part) {
    fail(status >= HALO_ERR_ARGUMENT ? status : HALO_ERR_ARGUMENT, "the combine callback returned %s for field %s, part %lld", status_name(status),
         field.spec().name.c_str(), static_cast<long long>(field.topology().local_parts()[static_cast<size_t>(part)]));
}

// A field that comes twice is described once.
Terms terms_of(const RoundSpec &spec) {
    Terms terms;
    std::string names;
    for (const Field *field : spec.fields) names += (names.empty() ? "" : " ") + field->spec().name;
    terms.add("fields", names);
    terms.add("kind", spec.kind);
    terms.add("messages", spec.per_channel ? "per channel" : "aggregate");
    std::unordered_set<const void *> described;
    for (const Field *field : spec.fields) {
        const Topology &topology = field->topology();
        const std::string parts = topology.text();
        if (!parts.empty() && described.insert(&topology).second) terms.add("topology of field " + field->spec().name, parts);
        if (described.insert(field).second) add_field(terms, *field);
    }
    return terms;
}

} // namespace halo
