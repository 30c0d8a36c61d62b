// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.h"

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "plan/message_order.h"

namespace halo {

halo_channel_key PlanPiece::key(const PlacedEdge &edge) const {
    return { edge.send_gid, edge.receive_gid, field->ordinal(), edge.element, key_extra(edge.identity(), edge.place, copy) };
}

std::string Plan::describe(const halo_channel_key &key) const {
    const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const PlanPiece &one) { return one.field->ordinal() == key.field; });
    std::string text = format("%lld -> %lld, field ", static_cast<long long>(key.send_gid), static_cast<long long>(key.receive_gid));
    text += piece == pieces_.end() ? format("number %d of the context", key.field) : piece->field->spec().name;
    if (const std::string side = element_name(key.element); !side.empty()) text += ", side " + side;
    if (key.extra != 0) text += format(", extra %lld", static_cast<long long>(key.extra));
    return text;
}

Plan::Plan(std::vector<PlanPiece> pieces, PlanScope scope) : pieces_(std::move(pieces)), scope_(scope) {
    for (const PlanPiece &one : pieces_) {
        combines_ = combines_ || one.piece->combining().combines();
        any_sparse_ = any_sparse_ || one.piece->destination().sparse;
    }
    if (scope_.remote) find_links();
}

namespace {

// Each summand is within the limit, so the sum is a number.
void add_bytes(int64_t &sum, int64_t bytes, const char *way, int32_t peer) {
    sum += bytes;
    if (sum > limits::exchanged_bytes)
        fail(HALO_ERR_LIMIT, "exchange: the %lld bytes that this rank %s rank %d exceed %lld", static_cast<long long>(sum), way, peer,
             static_cast<long long>(limits::exchanged_bytes));
}

} // namespace

void Plan::find_links() {
    std::map<int32_t, PlanLink> by_peer;
    for (size_t p = 0; p < pieces_.size(); ++p) {
        const auto &links = piece(p).edges().links;
        for (size_t l = 0; l < links.size(); ++l) {
            PlanLink &link = by_peer[links[l].peer];
            link.peer = links[l].peer;
            link.pieces.push_back({ p, l });
            link.n_send += std::ssize(links[l].send);
            link.n_receive += std::ssize(links[l].receive);
            add_bytes(link.bytes_sent, piece(p).bytes(l, true), "sends to", link.peer);
            add_bytes(link.bytes_received, piece(p).bytes(l, false), "receives from", link.peer);
            for (const bool sending : { true, false }) {
                if ((sending ? links[l].send : links[l].receive).empty()) continue;
                Digest &digest = sending ? link.send : link.receive;
                const Digest &own = piece(p).digest(l, sending);
                digest.add(own.low);
                digest.add(own.high);
                digest.add(static_cast<uint64_t>(pieces_[p].field->ordinal()) << 32 | static_cast<uint32_t>(pieces_[p].copy));
                digest.add_text(pieces_[p].field->spec().name.c_str());
            }
        }
    }
    for (auto &[peer, link] : by_peer) links_.push_back(std::move(link));
}

int64_t Plan::n_local() const {
    int64_t n = 0;
    for (const PlanPiece &one : pieces_) n += scope_.local ? std::ssize(one.piece->edges().local) : 0;
    return n;
}

const std::vector<PlacedEdge> &Plan::edges(const LinkPiece &at, bool sending) const {
    const PlacedEdges::Link &link = piece(at.piece).edges().links[at.link];
    return sending ? link.send : link.receive;
}

int64_t Plan::payload_bytes(size_t i) const {
    int64_t bytes = 0;
    for (const PlanLink &link : links_)
        for (const LinkPiece &at : link.pieces) bytes += at.piece == i ? piece(i).bytes(at.link, true) : 0;
    return bytes;
}

int64_t Plan::payload_bytes(const PlanLink &link, bool sending) const {
    int64_t bytes = 0;
    for (const LinkPiece &at : link.pieces)
        if (!edges(at, sending).empty())
            bytes = align_up(bytes, edge_alignment(piece(at.piece).destination().element_bytes)) + piece(at.piece).bytes(at.link, sending);
    return bytes;
}

} // namespace halo
