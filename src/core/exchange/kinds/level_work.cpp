// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/level_work.h"

#include <algorithm>

#include "field/field.h"
#include "topology/boxes/box_calculus.h"

namespace halo {

// None twice.
void LevelWork::send(int32_t place, const halo_box &box) {
    std::vector<halo_box> rest{ box };
    for (const auto &[other, known] : sent)
        if (other == place) subtract(rest, known);
    for (const halo_box &one : rest) sent.emplace_back(place, one);
}

namespace {

class KnownWork final : public KeptByTopology {
public:
    explicit KnownWork(const Topology &topology) : n_parts_(topology.local_parts().size()) {}

    std::shared_ptr<const LevelWorks> get(const std::vector<uint64_t> &identity, FunctionRef<void(LevelWorks &)> find) {
        auto known = std::ranges::find(entries_, identity, &Entry::identity);
        if (known == entries_.end()) {
            auto works = std::make_shared<LevelWorks>(n_parts_);
            find(*works);
            drop_unused();
            known = entries_.insert(entries_.end(), { identity, std::move(works) });
        }
        std::rotate(entries_.begin(), known, known + 1);
        return entries_.front().works;
    }

private:
    struct Entry {
        std::vector<uint64_t> identity;
        std::shared_ptr<const LevelWorks> works;
    };
    // But for those that were used last.
    void drop_unused() {
        constexpr ptrdiff_t always_kept = 8;
        if (std::ssize(entries_) < always_kept) return;
        const auto dropped =
            std::remove_if(entries_.begin() + always_kept - 1, entries_.end(), [](const Entry &one) { return one.works.use_count() == 1; });
        entries_.erase(dropped, entries_.end());
    }

    size_t n_parts_;
    std::vector<Entry> entries_; // the last used first
};

} // namespace

std::shared_ptr<const LevelWorks> known_work(const Field &field, const EdgeSource &edges, FunctionRef<void(LevelWorks &)> find) {
    const std::vector<Centring> &places = field.spec().places;
    std::vector<uint64_t> identity{ field.prolongation() == HALO_PROLONG_DIVERGENCE, places.size() };
    for (const Centring place : places) identity.push_back(static_cast<uint64_t>(place));
    edges.identify(identity);
    return kept_by<KnownWork>(field.topology()).get(identity, find);
}

} // namespace halo
