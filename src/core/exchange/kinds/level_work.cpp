// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/level_work.h"

#include "base/last_used.h"
#include "field/field.h"
#include "topology/boxes/box_calculus.h"

namespace halo {

// None twice.
void LevelWork::send(int32_t place, const halo_box &box) {
    std::vector<halo_box> rest{ box };
    for (const auto &[other, known] : sent)
        if (other == place) subtract(rest, known);
    for (const halo_box &one : rest) sent.emplace_back(place, one);
}

size_t bytes_of(const LevelWorks &works) {
    size_t bytes = works.size() * sizeof(LevelWork);
    for (const LevelWork &work : works)
        bytes +=
            (work.sent.size() + work.made.size()) * sizeof(work.sent.front()) + (work.halved_ghosts.size() + work.divided.size()) * sizeof(halo_box);
    return bytes;
}

namespace {

class KnownWork final : public KeptByTopology {
public:
    explicit KnownWork(const Topology &) {}

    LastUsed<std::vector<uint64_t>, const LevelWorks> works{ { .always = 8, .bytes = 4 << 20, .most = 1024 } };
};

} // namespace

std::shared_ptr<const LevelWorks> known_work(const Field &field, const EdgeSource &edges, FunctionRef<void(LevelWorks &)> find) {
    const std::vector<Centring> &places = field.spec().places;
    std::vector<uint64_t> identity{ field.prolongation() == HALO_PROLONG_DIVERGENCE, places.size() };
    for (const Centring place : places) identity.push_back(static_cast<uint64_t>(place));
    edges.identify(identity);
    return kept_by<KnownWork>(field.topology()).works.get(identity, [&] {
        auto works = std::make_shared<LevelWorks>(field.topology().local_parts().size());
        find(*works);
        return works;
    });
}

} // namespace halo
