// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"
#include "topology/boxes/transfer_edges.h"

namespace halo {

namespace {

class ToFiner final : public EdgeSource {
public:
    ToFiner(const Topology &coarse, const Topology &fine, const MadeCells &cells)
        : coarse_(coarse),
          fine_(fine),
          levels_(coarse, fine),
          cells_(cells) {}

    void emit(Centring centring, const EdgeSink &sink) const override {
        TransferRequest request{ centring, {}, cells_.coarse(levels_.ratio()), false, {} };
        request.wanted = [&](int64_t gid) { return levels_.read(gid, cells_); };
        TransferEdges(*coarse_.boxes(), levels_.coarsened_boxes(), coarse_.context().rank(), request)
            .emit(coarse_.local_parts(), fine_.local_parts(), sink);
    }
    bool narrow(Edge &edge, Centring centring, const GhostWidths &most) const override {
        MadeCells shallow = cells_;
        shallow.widths = shallow.widths.clipped(most);
        const halo_box cells = levels_.coarsened_boxes().box_of(edge.receive_gid).cells;
        return clip_receive(edge, { cells.high[0] - cells.low[0], cells.high[1] - cells.low[1], cells.high[2] - cells.low[2] }, centring,
                            shallow.coarse(levels_.ratio()));
    }
    void identify(std::vector<uint64_t> &identity) const override {
        identity.insert(identity.end(), { coarse_.id(), fine_.id(), static_cast<uint64_t>(cells_.reach), static_cast<uint64_t>(cells_.whole) });
        add_widths(identity, cells_.widths);
    }

private:
    const Topology &coarse_;
    const Topology &fine_;
    Hierarchy levels_;
    MadeCells cells_;
};

class ToCoarser final : public EdgeSource {
public:
    ToCoarser(const Topology &coarse, const Topology &fine, bool border) : coarse_(coarse), fine_(fine), levels_(coarse, fine), border_(border) {}

    void emit(Centring centring, const EdgeSink &sink) const override {
        TransferRequest request{ centring, {}, {}, false, {} };
        if (border_) request.wanted = [&](int64_t gid) { return levels_.border(gid, centring); };
        TransferEdges(levels_.coarsened_boxes(), *coarse_.boxes(), coarse_.context().rank(), request)
            .emit(fine_.local_parts(), coarse_.local_parts(), sink);
    }
    bool narrow(Edge &, Centring, const GhostWidths &) const override { return true; }
    void identify(std::vector<uint64_t> &identity) const override { identity.insert(identity.end(), { coarse_.id(), fine_.id(), border_ }); }

private:
    const Topology &coarse_;
    const Topology &fine_;
    Hierarchy levels_;
    bool border_;
};

} // namespace

std::unique_ptr<EdgeSource> edges_to_finer(const Topology &coarse, const Topology &fine, const MadeCells &cells) {
    return std::make_unique<ToFiner>(coarse, fine, cells);
}

std::unique_ptr<EdgeSource> edges_to_coarser(const Topology &coarse, const Topology &fine, bool border) {
    return std::make_unique<ToCoarser>(coarse, fine, border);
}

} // namespace halo
