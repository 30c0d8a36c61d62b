// SPDX-License-Identifier: BSD-3-Clause
#include "capi/leftovers.h"

#include "capi/exchange.h"
#include "channel/group.h"
#include "particles/particles.h"

namespace halo {

namespace {

constexpr size_t most_named = 8;

} // namespace

std::string names(const Shells &shells, HandleKind kind, const char *between, const FunctionRef<std::string(void *object)> name) {
    std::string text;
    size_t n = 0;
    for (const Handle &shell : shells.all()) {
        if (!shell.alive || shell.kind != kind) continue;
        const std::string one = name(shell.object);
        if (one.empty() || ++n > most_named) continue;
        text += (text.empty() ? "" : between) + one;
    }
    return n > most_named ? text + format("%sand %zu more", between, n - most_named) : text;
}

std::string exchanges_over(const Shells &shells, const Field &field) {
    return names(shells, HandleKind::exchange, "; ", [&](void *object) {
        const Exchange &exchange = *static_cast<ExchangeObject *>(object)->exchange;
        return exchange.uses(field) ? exchange.what() : std::string();
    });
}

std::string fields_on(const Shells &shells, const Topology &topology) {
    return names(shells, HandleKind::field, ", ", [&](void *object) {
        const Field &field = *static_cast<Field *>(object);
        return &field.topology() == &topology ? field.spec().name : std::string();
    });
}

std::string particles_on(const Shells &shells, const Topology &topology) {
    return names(shells, HandleKind::particles, "; ", [&](void *object) {
        const Particles &particles = *static_cast<Particles *>(object);
        return &particles.topology() == &topology ? particles.what() : std::string();
    });
}

std::string all_left(ContextObject &owner) {
    std::string text = names(owner.shells, HandleKind::topology, "; ", [&](void *object) {
        const std::string fields = fields_on(owner.shells, *static_cast<Topology *>(object));
        return fields.empty() ? std::string("topology without fields") : "topology with fields " + fields;
    });
    const auto add = [&](const std::string &more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
    add(names(owner.shells, HandleKind::sphere, "; ", [](void *) { return std::string("sphere"); }));
    add(names(owner.shells, HandleKind::mesh, "; ", [](void *) { return std::string("mesh"); }));
    add(names(owner.shells, HandleKind::group, "; ", [&](void *object) { return static_cast<Group *>(object)->what(); }));
    add(names(owner.shells, HandleKind::particles, "; ", [](void *object) { return static_cast<Particles *>(object)->what(); }));
    add(names(owner.shells, HandleKind::reduction, "; ", [&](void *object) { return static_cast<Reduction *>(object)->what(); }));
    if (owner.accesses.n_open_without_fields() > 0) add("batch without fields that is not ended");
    if (owner.channels.size() == 0) return text;
    std::string channels = format("%lld channels: ", static_cast<long long>(owner.channels.size()));
    size_t n = 0;
    for (const halo_channel_key &key : owner.channels.first_keys(most_named)) channels += (n++ > 0 ? "; " : "") + describe(key);
    if (owner.channels.size() > static_cast<int64_t>(n)) channels += "; and others";
    add(channels);
    return text;
}

} // namespace halo
