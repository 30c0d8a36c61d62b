// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "plan/edge_source.h"
#include "topology/boxes/transfer_boxes.h"
#include "topology/boxes/transfer_edges.h"

namespace halo {

namespace {

Extent extent_of(const halo_box &box) { return { box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2] }; }

int64_t widest(const GhostWidths &ghosts) {
    int64_t widest = 0;
    for (size_t d = 0; d < 3; ++d) widest = std::max<int64_t>({ widest, ghosts.low[d], ghosts.high[d] });
    return widest;
}

class OfTransfer final : public EdgeSource {
public:
    OfTransfer(const Topology &source, const Topology &destination, const TransferGhosts &ghosts, bool all)
        : source_(source),
          destination_(destination),
          ghosts_(ghosts),
          all_(all) {}

    bool is_known() const override { return known_ || (source_.knows_all_boxes() && destination_.knows_all_boxes()); }
    void look_up() override {
        if (is_known()) return;
        const int64_t range = 2 * (widest(ghosts_.source) + widest(ghosts_.destination)) + 2; // between cells whose parts have a point in common
        known_ = std::make_unique<const TransferBoxes>(find_transfer_boxes(destination_.context(), source_, destination_, range));
    }
    void emit(Centring centring, const EdgeSink &sink) const override {
        const BoxSource &senders = known_ ? known_->source : *source_.boxes();
        TransferEdges(senders, receivers(), destination_.context().rank(), { centring, ghosts_.source, ghosts_.destination, all_, {} })
            .emit(source_.local_parts(), destination_.local_parts(), sink);
    }
    bool narrow(Edge &edge, Centring centring, const GhostWidths &most) const override {
        return clip_receive(edge, extent_of(receivers().box_of(edge.receive_gid).cells), centring, ghosts_.destination.clipped(most));
    }
    void identify(std::vector<uint64_t> &identity) const override {
        identity.insert(identity.end(), { source_.id(), destination_.id(), static_cast<uint64_t>(all_) });
        add_widths(identity, ghosts_.source);
        add_widths(identity, ghosts_.destination);
    }

private:
    const BoxSource &receivers() const { return known_ ? known_->destination : *destination_.boxes(); }

    const Topology &source_;
    const Topology &destination_;
    TransferGhosts ghosts_;
    bool all_;
    std::unique_ptr<const TransferBoxes> known_; // where not all ranks know all boxes
};

} // namespace

std::unique_ptr<EdgeSource> edges_of_transfer(const Topology &source, const Topology &destination, const TransferGhosts &ghosts, bool all) {
    return std::make_unique<OfTransfer>(source, destination, ghosts, all);
}

} // namespace halo
