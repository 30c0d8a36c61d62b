// SPDX-License-Identifier: BSD-3-Clause
#include "capi/with_all.h"

#include "capi/exchange.h"
#include "capi/leftovers.h"
#include "channel/group.h"
#include "mesh/mesh.h"
#include "particles/particles.h"
#include "sphere/sphere.h"

namespace halo {

namespace {

// Where the transport has failed or ended nothing is left to give up.
template <class GiveUp>
void try_to(GiveUp &&give_up) {
    try {
        give_up();
    } catch (const Error &) {}
}

std::string give_up(Exchange &exchange) {
    if (!exchange.in_flight()) return {};
    std::string name = exchange.what();
    try_to([&] { exchange.abandon(); });
    return name;
}

std::string give_up(Group &group) {
    bool busy = true;
    try_to([&] { busy = group.busy(); });
    if (!busy) return {};
    std::string name = group.what();
    group.abandon();
    return name;
}

std::string give_up(Particles &particles) {
    if (!particles.in_flight()) return {};
    particles.abandon();
    return particles.what();
}

template <class T>
void destroy_each(Shells &shells, HandleKind kind) noexcept {
    for (Handle &shell : shells.all()) {
        if (!shell.alive || shell.kind != kind) continue;
        delete static_cast<T *>(shell.object);
        shells.retire(&shell);
    }
}

} // namespace

std::string give_up_all(ContextObject &owner) {
    std::string text;
    const auto add = [&](const std::string &more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
    if (const int64_t n = owner.accesses.give_up_open(); n > 0) add(n == 1 ? "a batch" : format("%lld batches", static_cast<long long>(n)));
    add(names(owner.shells, HandleKind::reduction, "; ", [](void *object) {
        const auto &reduction = *static_cast<Reduction *>(object);
        return reduction.under_way() ? reduction.what() : std::string();
    }));
    add(names(owner.shells, HandleKind::exchange, "; ", [](void *object) { return give_up(*static_cast<ExchangeObject *>(object)->exchange); }));
    add(names(owner.shells, HandleKind::particles, "; ", [](void *object) { return give_up(*static_cast<Particles *>(object)); }));
    add(names(owner.shells, HandleKind::group, "; ", [](void *object) { return give_up(*static_cast<Group *>(object)); }));
    return text;
}

void destroy_all(ContextObject &owner) noexcept {
    owner.accesses.drop_all();
    destroy_each<Reduction>(owner.shells, HandleKind::reduction);
    destroy_each<ExchangeObject>(owner.shells, HandleKind::exchange);
    destroy_each<Particles>(owner.shells, HandleKind::particles);
    destroy_each<Group>(owner.shells, HandleKind::group);
    destroy_each<Field>(owner.shells, HandleKind::field);
    destroy_each<Topology>(owner.shells, HandleKind::topology);
    destroy_each<Mesh>(owner.shells, HandleKind::mesh);
    destroy_each<Sphere>(owner.shells, HandleKind::sphere);
}

} // namespace halo
