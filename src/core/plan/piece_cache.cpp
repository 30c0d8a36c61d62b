// SPDX-License-Identifier: BSD-3-Clause
#include "plan/piece_cache.h"

#include "base/last_used.h"

namespace halo {

namespace {

class PieceCache final : public KeptByTopology {
public:
    explicit PieceCache(const Topology &) {}
    std::shared_ptr<Piece> get(const PieceSpec &spec) {
        return pieces_.get(spec.identity(), [&] { return std::make_shared<Piece>(spec); });
    }

private:
    LastUsed<std::vector<uint64_t>, Piece> pieces_{ { .always = 8, .bytes = 16 << 20, .most = 1024 } };
};

} // namespace

std::shared_ptr<Piece> piece_for(const PieceSpec &spec) { return kept_by<PieceCache>(spec.destination->topology()).get(spec); }

} // namespace halo
