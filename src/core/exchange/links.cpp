// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/links.h"

#include <algorithm>
#include <unordered_map>

#include "base/types.h"
#include "exchange/check_mode.h"
#include "plan/message_order.h"

namespace halo {

namespace {

std::vector<WireEdge> wire_edges(const Plan &plan, const PlanLink &link, bool sending) {
    std::vector<WireEdge> edges;
    for (const LinkPiece &at : link.pieces) {
        const PlanPiece &planned = plan.pieces()[at.piece];
        const EdgeBoxes boxes = planned.piece->boxes(planned.piece->edges(), {});
        for (const PlacedEdge &edge : plan.edges(at, sending))
            edges.push_back({ planned.key(edge), boxes.bytes(edge), planned.piece->destination().type,
                              static_cast<uint32_t>(planned.piece->edges().pattern_of(edge)) });
    }
    std::sort(edges.begin(), edges.end(), [](const WireEdge &a, const WireEdge &b) { return before(a.key, b.key); });
    return edges;
}

// The most that a run can carry: dense values piece by piece, then single edges, in whatever order.
size_t most_bytes(const Plan &plan, const PlanLink &link, bool sending) {
    int64_t dense = 0, singles = 0;
    for (const LinkPiece &at : link.pieces) {
        const Piece &piece = plan.piece(at.piece);
        if (!piece.destination().sparse) {
            dense = align_up(dense, edge_alignment(piece.destination().element_bytes)) + piece.bytes(at.link, sending);
            continue;
        }
        const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
        for (const PlacedEdge &edge : plan.edges(at, sending)) singles += align_up(boxes.bytes(edge) + piece.bytes_behind(), sparse_alignment);
    }
    return static_cast<size_t>(singles > 0 ? align_up(dense, sparse_alignment) + singles : dense);
}

uint32_t n_states(const Plan &plan, const PlanLink &link, bool sending) {
    size_t n = 0;
    for (const LinkPiece &at : link.pieces) n += plan.piece(at.piece).destination().sparse ? plan.edges(at, sending).size() : 0;
    return static_cast<uint32_t>(n);
}

StreamDirection link_direction(const MessageSetup &setup, const PlanLink &link, bool sending, uint64_t terms) {
    const bool in_parts = setup.spec.per_channel; // then every edge has a state, and its values are a part
    StreamDirection direction;
    direction.n_edges = sending ? link.n_send : link.n_receive;
    direction.active = direction.n_edges > 0;
    direction.digest = sending ? link.send : link.receive;
    direction.payload_bytes = in_parts ? 0 : most_bytes(setup.plan, link, sending);
    if (setup.context.check_mode()) direction.payload_bytes += CheckMode::hash_bytes(setup.plan, link, sending);
    direction.n_states = in_parts ? static_cast<uint32_t>(direction.n_edges) : n_states(setup.plan, link, sending);
    direction.digest.add(terms);
    return direction;
}

std::string joined(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// Which of many pieces stand in one sum of marks and not in another: if there are three at most. Empty: there are more, or none.
std::vector<size_t> pieces_in(uint32_t sum, size_t n) {
    std::unordered_map<uint32_t, size_t> by_mark;
    for (size_t p = 0; p < n; ++p) by_mark.emplace(Narrowing::mark(p), p);
    const auto find = [&](uint32_t rest) { return by_mark.find(rest); };
    if (const auto one = find(sum); one != by_mark.end()) return { one->second };
    for (size_t a = 0; a < n; ++a)
        if (const auto two = find(sum ^ Narrowing::mark(a)); two != by_mark.end() && two->second > a) return { a, two->second };
    constexpr size_t few = 512;
    for (size_t a = 0; a < std::min(n, few); ++a)
        for (size_t b = a + 1; b < std::min(n, few); ++b)
            if (const auto three = find(sum ^ Narrowing::mark(a) ^ Narrowing::mark(b)); three != by_mark.end() && three->second > b)
                return { a, b, three->second };
    return {};
}

uint32_t sum_of(const Narrowing &run, size_t n) {
    uint32_t sum = run.pieces;
    for (size_t p = 0; run.pieces == 0 && run.takes_any() && p < n; ++p) sum ^= Narrowing::mark(p);
    return sum & ~1u;
}

// Of many: how many, and which of those that one of the two ranks alone takes.
std::string many_fields(const MessageSetup &setup, const Narrowing &own, const Narrowing &peers, bool of_peer) {
    const size_t n = setup.plan.pieces().size();
    const uint32_t differing = sum_of(own, n) ^ sum_of(peers, n);
    const std::vector<size_t> differ = differing == 0 ? std::vector<size_t>{} : pieces_in(differing, n);
    if (of_peer && differing != 0 && differ.empty()) return "others, which differ in more than a few";
    const auto own_takes = [&](size_t p) { return own.takes_any() && (own.pieces == 0 || setup.run.pieces[p].takes_part); };
    size_t taken = 0;
    for (size_t p = 0; p < n; ++p) taken += own_takes(p);
    std::vector<std::string> with, without;
    for (const size_t p : differ) {
        const bool takes = own_takes(p) != of_peer;
        if (of_peer) takes ? ++taken : --taken;
        (takes ? with : without).push_back(setup.plan.pieces()[p].field->spec().name);
    }
    std::string text = format("%zu of %zu fields", taken, n);
    if (!with.empty()) text += " with " + joined(with);
    return without.empty() ? text : text + " without " + joined(without);
}

// ", depth 2" or ", ghosts 1 0 0, 1 1 0".
std::string text_of(const WireGhosts::Widths &widths) {
    if (widths[0] > 0 && std::ranges::count(widths, widths[0]) == std::ssize(widths))
        return widths[0] == INT32_MAX ? "" : format(", depth %d", widths[0]);
    std::string text = ", ghosts";
    for (size_t i = 0; i < widths.size(); ++i) text += (i == 3 ? ", " : " ") + (widths[i] == INT32_MAX ? "all" : std::to_string(widths[i]));
    return text;
}

// Layers as a run has them: what is known of its peer's may be a sum alone.
std::string ghosts_text(const MessageSetup &setup, const Narrowing &own, const Narrowing &run) {
    if (run.ghosts() == own.ghosts()) return text_of(layers_of(setup.run.ghosts));
    const auto widths = WireGhosts::widths_of(run.ghosts());
    return widths ? text_of(*widths) : ", other ghosts, some more than 15 wide";
}

// "u, v, components 0+1, depth 2, by max, batch 7".
std::string text_of(const MessageSetup &setup, const Narrowing &own, const Narrowing &peers, bool of_peer) {
    const Narrowing &run = of_peer ? peers : own;
    const auto &pieces = setup.plan.pieces();
    if (!run.takes_any()) return "no field";
    std::string text;
    if (pieces.size() > Narrowing::most_listed) {
        text = many_fields(setup, own, peers, of_peer);
    } else {
        std::vector<std::string> names;
        for (size_t p = 0; p < pieces.size(); ++p)
            if (run.takes(p)) names.push_back(pieces[p].field->spec().name);
        text = joined(names);
    }
    if (run.first_component != 0 || run.n_components != 0) text += format(", components %d+%d", run.first_component, run.n_components);
    text += ghosts_text(setup, own, run);
    if (own.op() != peers.op()) text += format(", by %s", op_name(run.op() != 0 ? run.op() : setup.spec.op));
    if (run.batch != 0) text += format(", batch %u", run.batch);
    return text;
}

} // namespace

std::string blocking_ranks(const Links &links) {
    std::string text;
    for (const auto &link : links)
        if (link->sends() && link->blocked()) text += format(" rank %d", link->peer());
    return text;
}

std::vector<int32_t> awaited_ranks(const Links &links) {
    std::vector<int32_t> ranks;
    for (const auto &link : links)
        if (!link->arrived() || link->blocked() || link->leaves_late()) ranks.push_back(link->peer());
    return ranks;
}

Links make_links(const MessageSetup &setup, const LinkContent &content, bool uses_storage) {
    Links links;
    const uint64_t terms = setup.plan.links().empty() ? 0 : terms_of(setup.spec).hash();
    for (size_t i = 0; i < setup.plan.links().size(); ++i) {
        const PlanLink &planned = setup.plan.links()[i];
        StreamSpec spec;
        spec.peer = planned.peer;
        spec.serial = setup.id.serial();
        spec.tag = setup.id.tag();
        spec.send = link_direction(setup, planned, true, terms);
        spec.receive = link_direction(setup, planned, false, terms);
        spec.shared = setup.paths.slot && !setup.spec.per_channel;
        spec.uses_storage = uses_storage;
        spec.probed = setup.spec.probed;
        spec.edges = [&plan = setup.plan, &planned](bool sending) { return wire_edges(plan, planned, sending); };
        spec.terms = [&round = setup.spec] { return terms_of(round); };
        spec.runs = [setup](const Narrowing &own, const Narrowing &peers, bool of_peer) { return text_of(setup, own, peers, of_peer); };
        spec.name = [&plan = setup.plan](const halo_channel_key &key) { return plan.describe(key); };
        spec.payload = [of = content.payload, i](const std::byte *message) { return of(i, message); };
        if (setup.spec.per_channel) {
            spec.parts = [of = content.parts, i](const std::byte *message, std::vector<size_t> &bytes) { of(i, message, bytes); };
            spec.name_of_part = [of = content.name_of_part, i](const std::byte *message, size_t part) { return of(i, message, part); };
        } else {
            spec.apart = [of = content.apart, i] { return of(i); };
        }
        spec.what = setup.spec.what;
        links.push_back(std::make_unique<Stream>(setup.context, std::move(spec)));
    }
    const int32_t rank = setup.context.rank();
    const int32_t size = setup.context.size();
    std::sort(links.begin(), links.end(),
              [&](const auto &a, const auto &b) { return (a->peer() - rank + size) % size < (b->peer() - rank + size) % size; });
    return links;
}

std::vector<size_t> plan_links_of(const Plan &plan, const Links &links) {
    std::vector<size_t> numbers;
    for (const auto &link : links)
        for (size_t number = 0; number < plan.links().size(); ++number)
            if (plan.links()[number].peer == link->peer()) numbers.push_back(number);
    return numbers;
}

} // namespace halo
