// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"

namespace halo {

namespace {

class OfLevels final : public EdgeSource {
public:
    OfLevels(std::shared_ptr<FieldLevelEdges> edges, LevelWay way)
        : edges_(std::move(edges)),
          forest_(edges_->forest()),
          ghosts_(edges_->ghosts()),
          way_(way) {}

    void emit(Centring centring, const EdgeSink &sink) const override {
        edges_->in(centring, [&](const LevelEdges &edges) { edges.emit(way_, sink); });
    }
    bool narrow(Edge &edge, Centring centring, const GhostWidths &most) const override {
        if (way_ == LevelWay::fluxes) return true;
        LevelGhosts shallow = ghosts_;
        shallow.widths = shallow.widths.clipped(most);
        if (way_ == LevelWay::to_coarser) return clip_receive(edge, forest_.cells_of(edge.receive_gid), centring, shallow.widths);
        return clip_receive(edge, coarse_cells_of(forest_), centring, shallow.coarse(forest_.n_dims()));
    }
    void identify(std::vector<uint64_t> &identity) const override {
        identity.insert(identity.end(), { forest_.id(), static_cast<uint64_t>(way_), static_cast<uint64_t>(ghosts_.stencil),
                                          static_cast<uint64_t>(ghosts_.reach), static_cast<uint64_t>(ghosts_.shared) });
        add_widths(identity, ghosts_.widths);
    }

private:
    std::shared_ptr<FieldLevelEdges> edges_;
    const ForestTopology &forest_;
    LevelGhosts ghosts_;
    LevelWay way_;
};

class OfRemesh final : public EdgeSource {
public:
    OfRemesh(std::shared_ptr<RemeshLeaves> leaves, int32_t reach, RemeshWay way) : leaves_(std::move(leaves)), reach_(reach), way_(way) {}

    bool is_known() const override { return leaves_->is_known(); }
    void look_up() override { leaves_->look_up(); }
    void emit(Centring centring, const EdgeSink &sink) const override { RemeshEdges(*leaves_, reach_, centring).emit(way_, sink); }
    bool narrow(Edge &, Centring, const GhostWidths &) const override { return true; }
    void identify(std::vector<uint64_t> &identity) const override {
        identity.insert(identity.end(),
                        { leaves_->from().forest().id(), leaves_->to().forest().id(), static_cast<uint64_t>(way_), static_cast<uint64_t>(reach_) });
    }

private:
    std::shared_ptr<RemeshLeaves> leaves_;
    int32_t reach_;
    RemeshWay way_;
};

} // namespace

std::unique_ptr<EdgeSource> edges_of_remesh(std::shared_ptr<RemeshLeaves> leaves, int32_t reach, RemeshWay way) {
    return std::make_unique<OfRemesh>(std::move(leaves), reach, way);
}

std::unique_ptr<EdgeSource> edges_of_levels(std::shared_ptr<FieldLevelEdges> edges, LevelWay way) {
    return std::make_unique<OfLevels>(std::move(edges), way);
}

} // namespace halo
