// SPDX-License-Identifier: BSD-3-Clause
#include "plan/piece.h"

#include <algorithm>

#include "base/limits.h"
#include "plan/lower/rows.h"
#include "plan/message_order.h"
#include "topology/centring.h"

namespace halo {

namespace {

void add_field(std::vector<uint64_t> &identity, Field &field) {
    const FieldSpec &spec = field.spec();
    identity.insert(identity.end(),
                    { static_cast<uint64_t>(spec.type), static_cast<uint64_t>(spec.element_bytes), static_cast<uint64_t>(spec.n_components),
                      static_cast<uint64_t>(spec.vector), static_cast<uint64_t>(spec.sparse), spec.places.size(), field.layout_hash() });
    for (const Centring place : spec.places) identity.push_back(static_cast<uint64_t>(place));
}

} // namespace

halo_op Combining::op_of_rows(halo_op by) const {
    const auto rows = [this](halo_op one) { return has_own_rows(one) ? one : HALO_MAX; };
    return !combines() || rows(by) == rows(op) ? op_move : rows(by);
}

std::vector<uint64_t> PieceSpec::identity() const {
    std::vector<uint64_t> identity{
        static_cast<uint64_t>(combining.op), combining.canonical, combining.owner_overwrites, combining.reads_in_place, meaning,
        static_cast<uint64_t>(bytes_behind)
    };
    edges->identify(identity);
    add_field(identity, *source);
    if (destination != source) add_field(identity, *destination);
    return identity;
}

Piece::Piece(const PieceSpec &spec)
    : host_(spec.destination->topology().context().device()),
      source_(*spec.source),
      destination_(spec.destination == spec.source ? nullptr : std::make_unique<const ValueShape>(*spec.destination)),
      combining_(spec.combining),
      meaning_(spec.meaning),
      bytes_behind_(spec.bytes_behind),
      edge_source_(spec.edges) {
    collect(spec);
    count_bytes(*spec.destination);
    for (const PlacedEdges::Link &link : edges_.links) {
        digests_.push_back(digest_of(link.send));
        digests_.push_back(digest_of(link.receive));
    }
    const EdgeBoxes boxes = this->boxes(edges_, {});
    bases_ = { boxes.destination_base_of(0), boxes.n_part_bases(), static_cast<uint32_t>(edges_.links.size()) };
}

Piece::~Piece() = default;

namespace {

constexpr size_t usual_edges = 26; // of a box

int32_t local_index(const Field &field, bool here, int64_t gid) { return here ? static_cast<int32_t>(field.topology().local_index(gid)) : -1; }

// Where a field has values at some points only, or in another order. Both ends must leave out the same: the pattern.
uint64_t map_points(Field &field, Edge &edge) {
    const auto mapped = [&](int64_t gid, Region &region) {
        PointMap *const map = field.point_map(field.topology().local_index(gid)).get();
        if (!map) return uint64_t{ 0 };
        const PointMap::Mapped &known = map->mapped(region);
        region = known.region;
        return known.pattern;
    };
    const uint64_t sent = edge.ends == EdgeEnds::receive ? 0 : mapped(edge.send_gid, edge.send);
    const uint64_t received = edge.ends == EdgeEnds::send ? 0 : mapped(edge.receive_gid, edge.receive);
    if (edge.ends == EdgeEnds::local && (sent != received || edge.send.size() != edge.receive.size()))
        fail(HALO_ERR_MISMATCH,
             "field %s: channel from part %lld to part %lld: its map of points leaves out other points of the one than of the other",
             field.spec().name.c_str(), static_cast<long long>(edge.send_gid), static_cast<long long>(edge.receive_gid));
    // A peer's side has as many.
    if (edge.ends == EdgeEnds::send) edge.receive = { { { 0, 0, 0 }, { edge.send.size(), 1, 1 } }, {}, false };
    if (edge.ends == EdgeEnds::receive) edge.send = { { { 0, 0, 0 }, { edge.receive.size(), 1, 1 } }, {}, false };
    return sent | received;
}

// All points of boxes must have values: both ends have them in their own order, and one does not know what the other would leave out.
void require_values(const Field &field, int32_t part, const PointMap::Turned &points, const PlacedEdge &edge) {
    const PointMap *const map = part < 0 ? nullptr : field.point_map(part).get();
    if (!map) return;
    if (const std::optional<Extent> none = map->first_without(points))
        fail(HALO_ERR_MISMATCH, "field %s, part %lld: its map leaves out point (%lld, %lld, %lld), which the channel from part %lld to part %lld has",
             field.spec().name.c_str(), static_cast<long long>(field.topology().local_parts()[static_cast<size_t>(part)]),
             static_cast<long long>((*none)[0]), static_cast<long long>((*none)[1]), static_cast<long long>((*none)[2]),
             static_cast<long long>(edge.send_gid), static_cast<long long>(edge.receive_gid));
}

int32_t sent_place(const Field &source, int32_t place, const Edge &edge) {
    const int32_t there = place_across(source.spec().places, place, edge.map);
    if (there < 0)
        fail(HALO_ERR_INTERNAL, "field %s: a channel from part %lld to part %lld turns place %d into one at which the field has no values",
             source.spec().name.c_str(), static_cast<long long>(edge.send_gid), static_cast<long long>(edge.receive_gid), place);
    return there;
}

} // namespace

void Piece::collect(const PieceSpec &spec) {
    Field &destination = *spec.destination;
    const bool listed = !destination.topology().has_cells();
    const bool mapped = destination.is_mapped() && listed; // points of cells are mapped where they lie, in lowering
    const bool leaves_out = !listed && (spec.source->is_mapped() || destination.is_mapped());
    if (!listed) edges_.local.reserve(destination.topology().local_parts().size() * usual_edges);
    const auto take = [&](const Edge &edge, int32_t place, uint64_t pattern) {
        EdgeLists lists;
        if (listed) {
            const auto points_of = [&](const Region &region) { return mapped ? edges_.keep(region.points) : region.points; };
            lists.send_listed = edge.send.listed;
            lists.receive_listed = edge.receive.listed;
            if (edge.send.listed) lists.send = points_of(edge.send);
            if (edge.receive.listed) lists.receive = points_of(edge.receive);
            lists.pattern = pattern;
        }
        const bool sends = edge.ends != EdgeEnds::receive, receives = edge.ends != EdgeEnds::send;
        const PlacedEdge placed =
            edges_.place(edge, local_index(*spec.source, sends, edge.send_gid), local_index(destination, receives, edge.receive_gid),
                         { listed ? place : sent_place(*spec.source, place, edge), place }, listed ? &lists : nullptr);
        if (leaves_out) {
            require_values(*spec.source, placed.send_part, sent_points(placed, edge.map), placed);
            require_values(destination, placed.recv_part, received_points(placed), placed);
        }
        edges_.add(sends ? edge.receive_rank : edge.send_rank, edge.ends, placed);
    };
    for (int32_t place = 0; place < std::ssize(destination.spec().places); ++place)
        spec.edges->emit(destination.spec().places[static_cast<size_t>(place)], [&](const Edge &emitted) {
            if (!mapped) return take(emitted, place, 0);
            Edge edge = emitted;
            const uint64_t pattern = map_points(destination, edge);
            take(edge, place, pattern);
        });
    edges_.sort(!listed);
}

namespace {

int64_t bytes_of(Checked points, int64_t point_bytes, const char *field, const char *way, int32_t rank) {
    const Checked bytes = points * point_bytes;
    if (!bytes.fits(limits::exchanged_bytes))
        fail(HALO_ERR_LIMIT, "field %s: %lld points of %lld bytes, %s rank %d, exceed %lld bytes", field,
             static_cast<long long>(points.fits() ? points.value("") : INT64_MAX), static_cast<long long>(point_bytes), way, rank,
             static_cast<long long>(limits::exchanged_bytes));
    return bytes.value("");
}

} // namespace

// Here, so that sums and offsets within a message need not be looked at.
void Piece::count_bytes(const Field &field) {
    const char *const name = field.spec().name.c_str();
    const int64_t value = destination().n_components * destination().element_bytes;
    const int32_t rank = field.topology().context().rank();
    Checked sent = 0, received = 0;
    for (const PlacedEdges::Link &link : edges_.links) {
        bytes_.push_back(bytes_of(link.points_sent, value, name, "sent to", link.peer));
        bytes_.push_back(bytes_of(link.points_received, value, name, "received from", link.peer));
        sent = sent + link.points_sent;
        received = received + link.points_received;
    }
    bytes_of(sent, value, name, "sent by", rank);
    bytes_of(received, value, name, "received by", rank);
    bytes_of(edges_.local_points, value, name, "copied within", rank);
}

// Both ends sort alike.
Digest Piece::digest_of(const std::vector<PlacedEdge> &edges) const {
    Digest digest;
    digest.add(meaning_);
    digest.add(static_cast<uint64_t>(destination().type) << 32 | static_cast<uint64_t>(destination().element_bytes));
    digest.add(static_cast<uint64_t>(destination().n_components));
    for (const PlacedEdge &edge : edges) {
        digest.add(static_cast<uint64_t>(edge.send_gid));
        digest.add(static_cast<uint64_t>(edge.receive_gid));
        digest.add(static_cast<uint64_t>(edge.tag));
        digest.add(static_cast<uint64_t>(edge.piece));
        digest.add(static_cast<uint64_t>(edge.place) << 8 | edge.element);
        digest.add(static_cast<uint64_t>(edge.n_points()));
        digest.add(edges_.pattern_of(edge));
    }
    return digest;
}

PlacedEdges Piece::narrowed_edges(const GhostWidths &most) const {
    PlacedEdges some = edges_.emptied();
    const auto narrow = [&](const std::vector<PlacedEdge> &from, std::vector<PlacedEdge> &to) {
        for (const PlacedEdge &placed : from) {
            Edge edge = edges_.edge_of(placed);
            if (edge_source_->narrow(edge, destination().places[placed.place], most)) to.push_back(edges_.resized(placed, edge));
        }
    };
    narrow(edges_.local, some.local);
    for (size_t link = 0; link < edges_.links.size(); ++link) {
        narrow(edges_.links[link].send, some.links[link].send);
        narrow(edges_.links[link].receive, some.links[link].receive);
    }
    some.sort(destination().has_cells);
    return some;
}

std::shared_ptr<const Lowered> Piece::lowered(const Device &device, const Narrowed &narrowed, bool alone, int64_t &compiled) {
    return lowered_.get({ &device, narrowed, alone }, [&] {
        ++compiled;
        return std::make_shared<const Lowered>(lower(*this, device, narrowed, alone));
    });
}

} // namespace halo
