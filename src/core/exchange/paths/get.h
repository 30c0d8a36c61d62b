// SPDX-License-Identifier: BSD-3-Clause
// Contributions that are combined straight out of the storage of a peer of the same host: no message buffer, one pass over memory.
//
// The peer has promised not to change them until its run ends (source_stable), lends its storage instead of packing a message, and at the end of its
// run waits until it has been read, for as long as a message would take. Then it takes the storage back and sends the message after all: so no rank
// depends on how far another one is, and the result is the same.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "exchange/paths/storage_notice.h"

namespace halo {

// Packs the message of a link; returns its bytes.
using PackLink = std::function<size_t(size_t link)>;

class GetPath {
public:
    // `links`: those of the plan's links `plan_links`.
    GetPath(Context &context, std::vector<std::unique_ptr<Stream>> &links, const std::vector<size_t> &plan_links)
        : context_(context),
          links_(links),
          plan_links_(plan_links),
          borrowers_(links.size()) {
        for (const auto &link : links) lenders_.push_back({ StorageNotice(context, *link) });
    }

    // No point whose value is sent receives one, and all of them stay unchanged.
    // Why not; null: it may be so.
    static const char *why_not(const MessageSetup &setup);

    // True: what link `i` would send stays where it is, and the peer has been told. Every run, the first time before anything is sent.
    bool lend(const Run &run, size_t i, bool wanted);
    // Ends the run: everything that was lent has been read, or is sent. HALO_ERR_PEER: a peer goes on reading for `timeout` seconds.
    void end(double timeout, const PackLink &pack);

    // Takes what is lent to this rank; false: a peer has taken it back, and its message has not come yet.
    bool borrow();
    // False: the run's own tables combine everything, for nothing has been borrowed, or it has been copied to where they have messages. True:
    // `combine` does, out of peers' storage.
    bool is_ready(Run &run);
    void combine(const CombineBy &by) const {
        for (const Combined &one : combined_) by(one.piece, *one.rows, one.bases);
    }
    void return_all();

    // The run has failed.
    void give_up(const PackLink &pack) noexcept;
    // Layouts have changed: there is another plan.
    void forget_plan();

private:
    struct Lender {
        StorageNotice notice;
        int64_t bytes = 0;
        bool lent = false;
        uint32_t taken_back = 0; // runs in a row
        uint32_t pause = 0;      // runs until it is tried again
    };
    struct Borrower {
        bool borrowed = false;
        std::optional<PeerStorage> peer;
        uint32_t address_version = 0;
        std::vector<PeerStorage::Slot> slots;
        ToldEdges told;
        uint32_t told_version = 0;   // of layouts; 0: nothing has been told
        bool within = false;         // the edges told lie in the slots
        uint32_t layout_version = 0; // of what `combined_` reads; 0: the message
        // For runs in which a peer is late.
        struct Get {
            CopyTable table;
            std::vector<void *> bases; // of the piece, then the slots
        };
        std::vector<Get> gets; // of the link's pieces
        uint32_t gets_version = 0;
        Buffer message;
    };
    // One piece, with contributions out of peers' storage.
    struct Combined {
        size_t piece;
        std::unique_ptr<const Lowered> rows;
        std::vector<void *> bases; // of the piece, then the slots of each borrower
    };

    bool reach(size_t i);
    void look_at_layout(const Run &run, size_t i);
    bool is_compiled() const;
    bool all_lend() const;
    void compile(const Run &run);
    void make_gets(const Run &run, size_t i);
    void copy_to_message(Run &run, size_t i);
    bool wait_for_readers();
    void wait_for_reader(Stream &link, double timeout) const;
    void take_back(size_t i, const PackLink &pack);

    Context &context_;
    std::vector<std::unique_ptr<Stream>> &links_;
    const std::vector<size_t> &plan_links_;
    std::vector<Lender> lenders_; // of each link
    std::vector<Borrower> borrowers_;
    std::vector<Combined> combined_; // of each piece of the plan, once they are made
    double patience_ = 0;            // seconds
};

} // namespace halo
