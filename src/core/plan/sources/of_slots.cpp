// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"

namespace halo {

namespace {

class OfSlots final : public EdgeSource {
public:
    OfSlots(std::shared_ptr<const Slots> slots, bool back) : slots_(std::move(slots)), back_(back) {}

    void emit(Centring, const EdgeSink &sink) const override {
        for (Edge edge : slots_->edges) {
            if (back_) edge = reversed(edge);
            edge.from_owner = true;
            sink(edge);
        }
    }
    bool narrow(Edge &, Centring, const GhostWidths &) const override { return true; }
    // No other slots have the same address while a piece of these is there.
    void identify(std::vector<uint64_t> &identity) const override {
        identity.insert(identity.end(), { slots_->points.id(), reinterpret_cast<uintptr_t>(slots_.get()), static_cast<uint64_t>(back_) });
    }

private:
    std::shared_ptr<const Slots> slots_; // whose lists the edges name
    bool back_;
};

} // namespace

std::unique_ptr<EdgeSource> edges_of_slots(std::shared_ptr<const Slots> slots, bool back) {
    return std::make_unique<OfSlots>(std::move(slots), back);
}

} // namespace halo
