// SPDX-License-Identifier: BSD-3-Clause
#include "plan/piece_cache.h"

#include <algorithm>

namespace halo {

namespace {

class PieceCache final : public TopologyAttachment {
public:
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

    // The one that has not been used for longest, when there are many.
    void drop_unused() {
        constexpr ptrdiff_t most_unused = 8;
        const auto unused = [](const Entry &entry) { return entry.piece.use_count() == 1; };
        if (std::count_if(entries_.begin(), entries_.end(), unused) < most_unused) return;
        entries_.erase(std::find_if(entries_.rbegin(), entries_.rend(), unused).base() - 1);
    }

    std::vector<Entry> entries_; // the last used first
};

} // namespace

std::shared_ptr<Piece> piece_for(const PieceSpec &spec) {
    auto &attached = spec.destination->topology().attachment();
    if (!attached) attached = std::make_unique<PieceCache>();
    return static_cast<PieceCache &>(*attached).get(spec);
}

} // namespace halo
