// SPDX-License-Identifier: BSD-3-Clause
// One-way message queue between two ranks: one thread sends, one receives, neither ever waits for the other.
//
// The queue is a chain of nodes that always ends in an empty one, which the receiver watches. The sender fills it in, hangs the next
// empty node behind it and then sets its state: so state, header and a small payload reach the receiver in one cache line.
// Nodes go back through a stack that the receiver pushes and the sender takes as a whole.
//
// The sender owns all nodes of its pipe; they live as long as the pipe, which outlives both endpoints.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "match_table.h"

namespace halo::inproc {

using transport::Key;
using transport::Keyed;
using transport::lane_of;
using transport::Link;
using transport::link_before;
using transport::make_key;
using transport::make_ring;
using transport::MatchTable;
using transport::peer_of;
using transport::tag_of;
using transport::unlink;

enum class NodeState : uint32_t {
    empty,     // sender's to fill
    eager,     // payload is in the node
    offered,   // payload is at `offer.source`, in the sender's buffer
    taken,     // the receiver is copying out of the sender's buffer
    copied,    // the receiver is done: the sender may reuse buffer and node
    withdrawn, // the sender closed and its buffer is gone
};

struct Node;

// A message that stays in its sender's buffer, and the sender's list of those.
struct Offer : Link {
    const void *source;
    Node *node;
};

inline constexpr size_t eager_bytes = 464; // makes a node 512 bytes

struct alignas(64) Node : Keyed { // linked while it waits, unexpected, at the receiver
    std::atomic<NodeState> state{ NodeState::empty };
    Node *following = nullptr; // in the chain, or among free nodes
    size_t bytes = 0;
    union {
        unsigned char payload[eager_bytes];
        Offer offer;
    };
    Node() : payload{} {}
};
static_assert(sizeof(Node) == 512);

class Pipe {
public:
    explicit Pipe(int32_t source_rank);

    const int32_t source;
    Pipe *next_of_receiver = nullptr; // set before the pipe is published, then constant

    // ---- sender's thread

    // The empty node at the end, to be filled in and published. Throws std::bad_alloc.
    Node &begin() {
        if (spare_ == nullptr) replenish();
        return *last_;
    }
    // Release: the node's contents, an offer's buffer and the empty node behind it, to `pop`.
    void publish(NodeState state) {
        Node *node = last_;
        node->following = last_ = spare_;
        node->state.store(state, std::memory_order_release);
        spare_ = take_free();
    }
    // A copied offer's node becomes free. Relaxed: it reaches the receiver by the release of the node in front of it.
    void reuse(Node &node) {
        node.state.store(NodeState::empty, std::memory_order_relaxed);
        node.following = free_;
        free_ = &node;
    }

    // ---- receiver's thread

    // Takes the next message off the chain, or returns nullptr.
    Node *pop() {
        Node *node = first_;
        if (node->state.load(std::memory_order_acquire) == NodeState::empty) return nullptr;
        first_ = node->following;
        return node;
    }
    // An eager node whose payload is no longer needed. Release: that it has been read, and its state, to `take_free`, whose acquire is of the whole
    // stack: every push in it is a read-modify-write behind the ones before.
    void give_back(Node &node) {
        node.state.store(NodeState::empty, std::memory_order_relaxed);
        node.following = returned_.load(std::memory_order_relaxed);
        while (!returned_.compare_exchange_weak(node.following, &node, std::memory_order_release, std::memory_order_relaxed)) {}
    }

private:
    Node *take_free() {
        if (free_ == nullptr) free_ = returned_.exchange(nullptr, std::memory_order_acquire);
        Node *node = free_;
        if (node != nullptr) free_ = node->following;
        return node;
    }
    void replenish();

    alignas(64) Node *last_; // sender's
    Node *spare_ = nullptr;
    Node *free_ = nullptr;
    size_t n_nodes_ = 0;
    std::vector<std::unique_ptr<Node[]>> chunks_;
    alignas(64) Node *first_; // receiver's
    alignas(64) std::atomic<Node *> returned_{ nullptr };
};

} // namespace halo::inproc
