// SPDX-License-Identifier: BSD-3-Clause
// The pieces of C++ that docs/sections-and-access.md shows, line for line, on one rank.
// clang-format off
#include <algorithm>
#include <array>
#include <cstdio>

#include <halo_access.hpp>

namespace {

struct Extent {
    double low, high;
    Extent joined(const Extent &other) const { return { std::min(low, other.low), std::max(high, other.high) }; }
};
struct Norms {
    double residual[2];
    double step;
    std::int64_t where;
    Extent extent;
};

bool reduces(const halo::Context &context) {
    const Norms mine{ { 1, 2 }, 3, 4, { 5, 6 } };
    halo::ReductionItems<Norms> items;
    items.add(&Norms::residual, HALO_SUM).add_located(&Norms::step, &Norms::where, HALO_MINLOC);
    items.add(&Norms::extent, [](const Extent &a, const Extent &b) { return a.joined(b); });
    halo::StructReduction<Norms> norms(context, items);
    norms.begin(mine);
    const Norms all = norms.end();
    return all.residual[1] == 2 && all.step == 3 && all.where == 4 && all.extent.high == 6;
}

bool loops(const halo::Context &context) {
    enum Edges { core_edges, owned_edges, exec_edges };
    int n_flows = 0;
    const auto flows = [&](Edges edges) { n_flows += edges != exec_edges; };
    const std::array<std::uint64_t, 3> keys{ 1, 2, 3 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = keys.data(), desc.n_keys = keys.size();
    const halo::Topology nodes(context, desc);
    std::array<std::array<double, 3>, 3> values{};
    const auto field = [&](const char *name, std::array<double, 3> &storage) {
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        field_desc.name = name;
        halo::Field made(nodes, field_desc);
        made.bind(0, storage.data());
        return made;
    };
    const halo::Field conductance = field("conductance", values[0]), heat = field("heat", values[1]), change = field("change", values[2]);
    halo::Batch batch(context, { halo::direct(conductance, HALO_READ), halo::via_map(heat, HALO_READ), halo::via_map(change, HALO_INC) },
                      HALO_STYLE_REDUNDANT);
    flows(core_edges);
    batch.ready();
    flows(owned_edges);
    if (batch.needs_exec()) flows(exec_edges);
    batch.end();
    return n_flows == 2;
}

} // namespace

int main() try {
    const halo::Context context;
    const bool right = reduces(context) && loops(context);
    std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
} catch (const halo::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
