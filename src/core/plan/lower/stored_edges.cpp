// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/stored_edges.h"

#include <algorithm>

#include "base/checked.h"
#include "base/limits.h"
#include "plan/message_order.h"

namespace halo {

namespace {

// Collects what a rank tells. Lists that several edges of a piece share are told once; fields share lists only as long as they are laid out alike,
// and what is told must not grow when one of them is bound anew.
class Teller {
public:
    void begin(size_t piece) {
        piece_ = piece;
        slot_of_base_.clear();
        list_at_.clear();
    }
    void add(const Placement &at, int64_t n_points) {
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
    std::map<uint32_t, uint32_t> slot_of_base_;                        // of the piece
    std::map<std::pair<const uint32_t *, uint32_t>, int64_t> list_at_; // of the piece
};

// Whether the peer has a list of points, this rank does not know.
bool has_points(const PlacedEdge &edge, const StoredEdge &stored, const ToldEdges &told) {
    const auto n = static_cast<uint64_t>(edge.n_points());
    return stored.slot < told.slot_bytes.size() &&
           (stored.n_listed == 0 || (stored.n_listed == n && stored.list >= 0 && static_cast<uint64_t>(stored.list) <= told.lists.size() &&
                                     n <= told.lists.size() - static_cast<uint64_t>(stored.list)));
}

// Bytes of a slot from the first that an edge's values take to the end of the last.
struct Extent {
    Checked low;
    Checked high;

    // Values go on by `stride`, from the `first` to the `last`.
    void widen(int64_t stride, int64_t first, int64_t last) {
        low = low + Checked(stride) * (stride < 0 ? last : first);
        high = high + Checked(stride) * (stride < 0 ? first : last);
    }
};

// As far as the edge reaches in its slot; -1: nowhere that a part may have values.
int64_t reach_of(const PlacedEdge &edge, const StoredEdge &stored, const ToldEdges &told, const ValueShape &values) {
    constexpr int64_t most = limits::storage_bytes;
    if (edge.n_points() == 0) return 0;
    Extent extent{ stored.offset, Checked(stored.offset) + values.element_bytes };
    std::span<const uint32_t> list(told.lists);
    list = stored.n_listed > 0 ? list.subspan(static_cast<size_t>(stored.list), stored.n_listed) : list.first(0);
    for (size_t d = 0; d < 4; ++d) {
        const int64_t stride = stored.stride[d];
        if (stride < -most || stride > most) return -1;
        if (d == 0 && !list.empty())
            extent.widen(stride, *std::min_element(list.begin(), list.end()), *std::max_element(list.begin(), list.end()));
        else
            extent.widen(stride, 0, (d < 3 && list.empty() ? edge.n[d] : d < 3 ? 1 : values.n_components) - 1);
    }
    return extent.low.fits() && extent.high.fits(most) ? extent.high.value("") : -1;
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
        for (const PlacedEdge &edge : plan.edges(at, sending))
            teller.add(sending ? boxes.at_source(edge) : boxes.at_destination(edge), edge.n_points());
    }
    return std::move(teller.told);
}

void divide(const Plan &plan, const PlanLink &link, bool sending, ToldEdges &told) {
    size_t n_expected = 0;
    for (const LinkPiece &at : link.pieces) n_expected += is_told(plan.piece(at.piece)) ? plan.edges(at, sending).size() : 0;
    size_t first = 0;
    for (const LinkPiece &at : link.pieces) {
        const std::vector<PlacedEdge> &edges = plan.edges(at, sending);
        const size_t n = is_told(plan.piece(at.piece)) ? edges.size() : 0;
        for (size_t i = 0; i < n; ++i) {
            if (told.edges.size() != n_expected || !has_points(edges[i], told.edges[first + i], told))
                fail(HALO_ERR_WIRE, "rank %d tells of %zu edges in its storage, of %zu between it and this rank; edge %zu does not fit", link.peer,
                     told.edges.size(), n_expected, first + i);
            const StoredEdge &stored = told.edges[first + i];
            const int64_t reach = reach_of(edges[i], stored, told, plan.piece(at.piece).destination());
            if (reach < 0)
                fail(HALO_ERR_WIRE, "rank %d tells that edge %zu begins %lld bytes from its storage, with strides of %lld, %lld, %lld and %lld",
                     link.peer, first + i, static_cast<long long>(stored.offset), static_cast<long long>(stored.stride[0]),
                     static_cast<long long>(stored.stride[1]), static_cast<long long>(stored.stride[2]), static_cast<long long>(stored.stride[3]));
            told.slot_bytes[stored.slot] = std::max(told.slot_bytes[stored.slot], static_cast<uint64_t>(reach));
        }
        told.pieces.push_back({ std::span(told.edges).subspan(first, n), told.lists });
        first += n;
    }
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

CopyTable table_of(const Device &device, std::vector<BoxCopy> copies) {
    CopyRows rows;
    rows.add_fused(std::move(copies));
    return { device, rows.program() };
}

} // namespace

CopyTable put_table(const Piece &piece, size_t link, const StoredEdgesView &told, const Device &device) {
    const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
    const std::vector<PlacedEdge> &edges = piece.edges().links[link].send;
    const std::vector<Placement> places = placements(piece, told);
    std::vector<BoxCopy> copies;
    for (size_t i = 0; i < edges.size(); ++i) boxes.pack(edges[i], places[i], copies);
    return table_of(device, std::move(copies));
}

CopyTable get_table(const Piece &piece, size_t link, const StoredEdgesView &told) {
    const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
    const std::vector<Placement> places = placements(piece, told);
    std::vector<BoxCopy> copies;
    size_t i = 0;
    place_in_order(boxes, piece.bases().receive(link), 1, piece.edges().links[link].receive,
                   [&](const PlacedEdge &edge, const Placement &at) { boxes.between(edge, places[i++], at, copies); });
    return table_of(piece.host(), std::move(copies));
}

} // namespace halo
