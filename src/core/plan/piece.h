// SPDX-License-Identifier: BSD-3-Clause
// What travels for one field: the placed edges of its topology, kept, and the tables made from them. A piece knows neither storage, nor the field's
// name, nor the exchange: equal fields, all masks of an exchange and later exchanges share it.
#pragma once

#include <memory>
#include <vector>

#include "base/digest.h"
#include "base/last_used.h"
#include "plan/edge_boxes.h"
#include "plan/edge_source.h"

namespace halo {

struct Lowered;

inline constexpr halo_op op_move = 0; // values are moved, not combined

// What happens to values where they arrive.
struct Combining {
    halo_op op = op_move;          // of runs that name no other
    bool canonical = false;        // in the order of the values, where it shows
    bool owner_overwrites = false; // the owner's value is the first
    bool reads_in_place = false;   // contributions of this rank stay unchanged until all are combined
    bool combines() const { return op != op_move; }
    bool sorts(halo_op by) const { return canonical && (by == HALO_SUM || by == HALO_PROD); }
    // Only a function of the program's, and what sorts, has rows of its own.
    bool has_own_rows(halo_op by) const { return by == HALO_USER || sorts(by); }
    // What a run by another operation is to its tables: 0: it takes those of `op`.
    halo_op op_of_rows(halo_op by) const;
};

// What a piece is made from.
struct PieceSpec {
    Field *source = nullptr;
    Field *destination = nullptr; // the same but for transfers
    std::shared_ptr<const EdgeSource> edges{};
    Combining combining{};
    uint64_t meaning = 0;     // whatever else peers must agree on
    int64_t bytes_behind = 0; // the values of each edge that is moved on its own

    // Equal for specs that make equal pieces.
    std::vector<uint64_t> identity() const;
};

// Which part of the values a run takes, and how it combines them.
struct Narrowed {
    ComponentRange components;
    GhostWidths ghosts = GhostWidths::all();
    halo_op op = op_move; // Combining::op_of_rows
    bool operator==(const Narrowed &) const = default;
};

// Numbers of the pointers that tables work on: storage by part, then the messages of each link, then memory of the run.
struct BaseNumbers {
    uint32_t first_destination = 0;
    uint32_t n_parts = 0; // storage of source and destination
    uint32_t n_links = 0;

    uint32_t send(size_t link) const { return n_parts + static_cast<uint32_t>(link); }
    uint32_t receive(size_t link) const { return send(n_links + link); }
    uint32_t staging() const { return send(2 * size_t{ n_links }); } // contributions of this rank
    uint32_t fill() const { return staging() + 1; }                  // the field's fill value
    size_t n() const { return size_t{ fill() } + 1; }
};

class Piece {
public:
    explicit Piece(const PieceSpec &spec);
    ~Piece();
    Piece(const Piece &) = delete;
    Piece &operator=(const Piece &) = delete;

    const ValueShape &source() const { return source_; }
    const ValueShape &destination() const { return destination_ ? *destination_ : source_; }
    const Combining &combining() const { return combining_; }
    int64_t bytes_behind() const { return bytes_behind_; }
    const PlacedEdges &edges() const { return edges_; }
    const BaseNumbers &bases() const { return bases_; }
    const Device &host() const { return host_; }
    EdgeBoxes boxes(const PlacedEdges &edges, ComponentRange components) const { return { source_, destination(), edges, components }; }

    // Of values that go one way over a link.
    int64_t bytes(size_t link, bool sending) const { return bytes_[2 * link + (sending ? 0 : 1)]; }
    // What both ends of a link must have alike.
    const Digest &digest(size_t link, bool sending) const { return digests_[2 * link + (sending ? 0 : 1)]; }

    // Tables for a run: made at the first use. `alone`: every edge to another rank on its own.
    // They live on `device`, which reaches the storage. `compiled` counts when they are made.
    std::shared_ptr<const Lowered> lowered(const Device &device, const Narrowed &narrowed, bool alone, int64_t &compiled);
    // The edges that a narrowed run has.
    PlacedEdges narrowed_edges(const GhostWidths &most) const;

private:
    void collect(const PieceSpec &spec);
    void count_bytes(const Field &field);
    Digest digest_of(const std::vector<PlacedEdge> &edges) const;

    const Device &host_;
    ValueShape source_;
    std::unique_ptr<const ValueShape> destination_; // null: as the source
    Combining combining_;
    uint64_t meaning_;
    int64_t bytes_behind_;
    std::shared_ptr<const EdgeSource> edge_source_;
    PlacedEdges edges_;
    std::vector<Digest> digests_; // of each link: send, receive
    std::vector<int64_t> bytes_;  // the same
    BaseNumbers bases_;
    // What tables are made for.
    struct LoweredFor {
        const Device *device;
        Narrowed narrowed;
        bool alone;
        bool operator==(const LoweredFor &) const = default;
    };
    LastUsed<LoweredFor, const Lowered> lowered_{ { .always = 16, .bytes = 14 << 20, .most = 1024 } };
};

inline size_t bytes_of(const Piece &piece) { return piece.edges().bytes(); }

} // namespace halo
