// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"

namespace halo {

namespace {

class OfSlots final : public EdgeSource {
public:
    OfSlots(const SlotsTopology &slots, bool back) : slots_(slots), back_(back) {}

    void emit(Centring, const EdgeSink &sink) const override {
        for (Edge edge : slots_.slots().edges) {
            if (back_) edge = reversed(edge);
            edge.from_owner = true;
            sink(edge);
        }
    }
    bool narrow(Edge &, Centring, const GhostWidths &) const override { return true; }
    void identify(std::vector<uint64_t> &identity) const override { identity.insert(identity.end(), { slots_.id(), static_cast<uint64_t>(back_) }); }

private:
    const SlotsTopology &slots_;
    bool back_;
};

} // namespace

std::unique_ptr<EdgeSource> edges_of_slots(const SlotsTopology &slots, bool back) { return std::make_unique<OfSlots>(slots, back); }

} // namespace halo
