// SPDX-License-Identifier: BSD-3-Clause
#include "plan/piece_cache.h"

#include <algorithm>

namespace halo {

namespace {

class PieceCache final : public KeptByTopology {
public:
    explicit PieceCache(const Topology &) {}
    std::shared_ptr<Piece> get(const PieceSpec &spec) {
        const std::vector<uint64_t> identity = spec.identity();
        auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &entry) { return entry.identity == identity; });
        if (known == entries_.end()) {
            auto piece = std::make_shared<Piece>(spec);
            drop_unused();
            known = entries_.insert(entries_.end(), { identity, std::move(piece) });
        }
        std::rotate(entries_.begin(), known, known + 1);
        return entries_.front().piece;
    }

private:
    struct Entry {
        std::vector<uint64_t> identity;
        std::shared_ptr<Piece> piece;
    };

    // Those that have not been used for longest, when there are many, and they are large.
    void drop_unused() {
        constexpr size_t always_kept = 8, most_bytes = 16 << 20; // of edges, of those kept beyond that
        size_t n = 0, bytes = 0;
        for (const Entry &entry : entries_)
            if (is_unused(entry)) ++n, bytes += entry.piece->edges().bytes();
        for (; n >= always_kept && (bytes > most_bytes || n >= most_kept); --n) {
            const auto last = std::find_if(entries_.rbegin(), entries_.rend(), is_unused).base() - 1;
            bytes -= last->piece->edges().bytes();
            entries_.erase(last);
        }
    }
    static constexpr size_t most_kept = 1024; // all are looked at for each piece
    static bool is_unused(const Entry &entry) { return entry.piece.use_count() == 1; }

    std::vector<Entry> entries_; // the last used first
};

} // namespace

std::shared_ptr<Piece> piece_for(const PieceSpec &spec) { return kept_by<PieceCache>(spec.destination->topology()).get(spec); }

} // namespace halo
