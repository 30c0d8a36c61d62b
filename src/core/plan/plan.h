// SPDX-License-Identifier: BSD-3-Clause
// What an exchange does: a list of pieces, one for each of its fields, and which of them each peer has to do with. Free of storage; made in
// O(fields x peers), for pieces are shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halo_channel.h"
#include "plan/piece.h"

namespace halo {

// Of sparse fields: what counts as data, and what becomes of values that none come for.
enum class SparseRule : uint8_t {
    ghosts,    // values below the threshold are null; what is null elsewhere becomes the fill value here; data give storage to a part that has none
    moved,     // all that has storage is data, as old as it was
    corrected, // the same; what is null elsewhere leaves values here alone, and data do not give storage
};

// One field's part in an exchange.
struct PlanPiece {
    std::shared_ptr<Piece> piece;
    int32_t source = 0; // positions among the exchange's fields
    int32_t destination = 0;
    const Field *field = nullptr; // that receives
    int32_t copy = 0;             // how many pieces of the same field stand before this one
    SparseRule sparse = SparseRule::ghosts;
    const Field *aged = nullptr; // whose parts' ages go along with what is sent; null: none do

    // Names one of its edges to users and to other ranks.
    halo_channel_key key(const PlacedEdge &edge) const;
};

// A piece that has to do with a peer.
struct LinkPiece {
    size_t piece; // of the plan
    size_t link;  // of the piece
};

struct PlanLink {
    int32_t peer = -1;
    std::vector<LinkPiece> pieces;
    int64_t n_send = 0; // edges
    int64_t n_receive = 0;
    int64_t bytes_sent = 0; // of values
    int64_t bytes_received = 0;
    Digest send;
    Digest receive;
};

// Which edges take part.
struct PlanScope {
    bool local = true;
    bool remote = true;
};

class Plan {
public:
    Plan(std::vector<PlanPiece> pieces, PlanScope scope);

    const std::vector<PlanPiece> &pieces() const { return pieces_; }
    const Piece &piece(size_t i) const { return *pieces_[i].piece; }
    const std::vector<PlanLink> &links() const { return links_; } // by peer
    const PlanScope &scope() const { return scope_; }
    bool combines() const { return combines_; }
    bool any_sparse() const { return any_sparse_; }
    int64_t n_local() const;

    // Of a link's edges: for messages, and for naming what differs.
    const std::vector<PlacedEdge> &edges(const LinkPiece &at, bool sending) const;
    // "3 -> 7, field u, side x+": an edge by the names of its field and side.
    std::string describe(const halo_channel_key &key) const;
    // Bytes of values: what a piece sends to all peers; what goes one way over a link, each piece aligned as in its message.
    int64_t payload_bytes(size_t piece) const;
    int64_t payload_bytes(const PlanLink &link, bool sending) const;

private:
    void find_links();

    std::vector<PlanPiece> pieces_;
    PlanScope scope_;
    std::vector<PlanLink> links_;
    bool combines_ = false;
    bool any_sparse_ = false;
};

} // namespace halo
