// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/stored_edges.h"

#include <algorithm>

#include "plan/message_order.h"

namespace halo {

namespace {

// Collects what a rank tells; lists that several edges share are told once.
class Teller {
public:
    void begin(size_t piece) {
        piece_ = piece;
        slot_of_base_.clear();
    }
    void add(const Placement &at, int32_t n_points) {
        const auto [slot, is_new_slot] = slot_of_base_.try_emplace(at.base, static_cast<uint32_t>(told.slots.size()));
        if (is_new_slot) told.slots.push_back({ piece_, at.base });
        StoredEdge edge{ slot->second, at.list ? static_cast<uint32_t>(n_points) : 0, 0, at.offset, {} };
        std::copy(at.stride.begin(), at.stride.end(), edge.stride);
        if (edge.n_listed > 0) {
            const auto [known, is_new] = list_at_.try_emplace({ at.list, edge.n_listed }, std::ssize(told.lists));
            if (is_new) told.lists.insert(told.lists.end(), at.list, at.list + n_points);
            edge.list = known->second;
        }
        told.edges.push_back(edge);
    }

    StoredEdges told;

private:
    size_t piece_ = 0;
    std::map<uint32_t, uint32_t> slot_of_base_; // of the piece
    std::map<std::pair<const uint32_t *, uint32_t>, int64_t> list_at_;
};

// Whether the peer has a list of points, this rank does not know.
bool fits(const PlacedEdge &edge, const StoredEdge &stored, const StoredEdgesView &told) {
    const auto n = static_cast<uint64_t>(edge.n[0]);
    return stored.slot < told.n_slots &&
           (stored.n_listed == 0 || (stored.n_listed == n && stored.list >= 0 && static_cast<uint64_t>(stored.list) <= told.lists.size() &&
                                     n <= told.lists.size() - static_cast<uint64_t>(stored.list)));
}

} // namespace

bool is_told(const Piece &piece) { return !piece.destination().sparse; }

StoredEdges stored_edges(const Plan &plan, const PlanLink &link, bool sending) {
    Teller teller;
    for (const LinkPiece &at : link.pieces) {
        const Piece &piece = plan.piece(at.piece);
        if (!is_told(piece)) continue;
        const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
        teller.begin(at.piece);
        for (const PlacedEdge &edge : plan.edges(at, sending)) teller.add(sending ? boxes.at_source(edge) : boxes.at_destination(edge), edge.n[0]);
    }
    return std::move(teller.told);
}

std::vector<StoredEdgesView> told_by_piece(const Plan &plan, const PlanLink &link, bool sending, const StoredEdgesView &told) {
    std::vector<StoredEdgesView> views;
    size_t n_expected = 0;
    for (const LinkPiece &at : link.pieces) n_expected += is_told(plan.piece(at.piece)) ? plan.edges(at, sending).size() : 0;
    size_t first = 0;
    for (const LinkPiece &at : link.pieces) {
        const std::vector<PlacedEdge> &edges = plan.edges(at, sending);
        const size_t n = is_told(plan.piece(at.piece)) ? edges.size() : 0;
        for (size_t i = 0; i < n; ++i)
            if (told.edges.size() != n_expected || !fits(edges[i], told.edges[first + i], told))
                fail(HALO_ERR_WIRE, "rank %d tells of %zu edges in its storage, of %zu between it and this rank; edge %zu does not fit", link.peer,
                     told.edges.size(), n_expected, first + i);
        views.push_back({ told.edges.subspan(first, n), told.lists, told.n_slots });
        first += n;
    }
    return views;
}

std::vector<Placement> placements(const Piece &piece, const StoredEdgesView &told, size_t n_before) {
    std::vector<Placement> places;
    places.reserve(told.edges.size());
    for (const StoredEdge &edge : told.edges) {
        Placement at{ static_cast<uint32_t>(piece.bases().n() + n_before) + edge.slot, edge.offset, {}, 0, nullptr };
        std::copy(std::begin(edge.stride), std::end(edge.stride), at.stride.begin());
        if (edge.n_listed > 0) at.list = told.lists.data() + edge.list;
        places.push_back(at);
    }
    return places;
}

namespace {

CopyTable table_of(const Piece &piece, std::vector<BoxCopy> copies) {
    CopyRows rows;
    rows.add_fused(std::move(copies));
    return { piece.device(), rows.program() };
}

} // namespace

CopyTable put_table(const Piece &piece, size_t link, const StoredEdgesView &told) {
    const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
    const std::vector<PlacedEdge> &edges = piece.edges().links[link].send;
    const std::vector<Placement> places = placements(piece, told);
    std::vector<BoxCopy> copies;
    for (size_t i = 0; i < edges.size(); ++i) boxes.pack(edges[i], places[i], copies);
    return table_of(piece, std::move(copies));
}

CopyTable get_table(const Piece &piece, size_t link, const StoredEdgesView &told) {
    const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
    const std::vector<Placement> places = placements(piece, told);
    std::vector<BoxCopy> copies;
    size_t i = 0;
    place_in_order(boxes, piece.bases().receive(link), 1, piece.edges().links[link].receive,
                   [&](const PlacedEdge &edge, const Placement &at) { copies.push_back(boxes.between(edge, places[i++], at)); });
    return table_of(piece, std::move(copies));
}

} // namespace halo
