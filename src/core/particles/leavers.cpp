// SPDX-License-Identifier: BSD-3-Clause
#include "particles/leavers.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/digest.h"
#include "base/error.h"
#include "topology/make_locator.h"

namespace halo {

namespace {

constexpr double farthest = 0x1p52; // cells

// "part 3, particle 17"
std::string name_of(int64_t gid, int64_t place) {
    return format("part %lld, particle %lld", static_cast<long long>(gid), static_cast<long long>(place));
}

} // namespace

Leavers::Leavers(const Topology &topology, const ParticleColumns &columns) : topology_(topology), columns_(columns), table_(16, nowhere) {
    if (!columns.has_position()) return;
    locator_ = make_locator(topology);
    if (!locator_)
        fail(HALO_ERR_ARGUMENT, "particles: the topology does not know which part has a position: give targets, and no position in the description");
}

std::span<const int64_t> Leavers::places(size_t part) const { return std::span(places_).subspan(begins_[part], begins_[part + 1] - begins_[part]); }

void Leavers::find(const ParticleArrays &arrays) {
    counts_.assign(arrays.counts.begin(), arrays.counts.end());
    places_.clear();
    leavers_.clear();
    left_.clear();
    sections_.clear();
    begins_.assign(1, 0);
    for (size_t part = 0; part < counts_.size(); ++part) {
        first_section_ = sections_.size();
        std::ranges::fill(table_, nowhere);
        columns_.has_position() ? find_by_position(part, arrays) : find_by_target(part, arrays);
        begins_.push_back(places_.size());
    }
    sort_sections();
}

// Who is inside is looked at no further.
void Leavers::find_by_position(size_t part, const ParticleArrays &arrays) {
    const Extent cells = topology_.cells(static_cast<int64_t>(part));
    const auto n_dims = static_cast<size_t>(columns_.n_dims());
    std::array<ParticleColumns::Component, 3> along{};
    std::array<double, 3> end{};
    for (size_t d = 0; d < n_dims && counts_[part] > 0; ++d) {
        along[d] = columns_.position(arrays.of(part, columns_.size()), d);
        end[d] = static_cast<double>(cells[d]);
    }
    for (int64_t i = 0; i < counts_[part]; ++i) {
        bool inside = true;
        for (size_t d = 0; d < n_dims; ++d) {
            const double x = along[d][i];
            inside = inside && x >= 0 && x < end[d];
        }
        if (inside) continue;
        CellPosition at;
        for (size_t d = 0; d < n_dims; ++d) {
            const double x = along[d][i];
            if (!(std::abs(x) <= farthest))
                fail(HALO_ERR_ARGUMENT, "particles: %s: its position along direction %d is %g", name_of(gid(part), i).c_str(), static_cast<int>(d),
                     x);
            at.set(d, x);
        }
        leave(part, i, locator_->find(gid(part), at));
    }
}

void Leavers::find_by_target(size_t part, const ParticleArrays &arrays) {
    for (int64_t i = 0; i < counts_[part]; ++i)
        if (const int64_t target = arrays.targets[part][i]; target != gid(part)) leave(part, i, { target, {}, {} });
}

void Leavers::leave(size_t part, int64_t place, const Landing &landing) {
    Leaver leaver{ nowhere, landing.map, {} };
    if (landing.gid == HALO_PARTICLE_LEAVES) {
        left_.push_back({ gid(part), place });
    } else {
        leaver.section = section_of(part, landing.gid);
        ParticleSection &section = sections_[leaver.section];
        if (section.n++ == 0) section.rank = rank_of(landing.gid, part, place);
        if (columns_.has_position()) {
            const Extent cells = topology_.cells_of(landing.gid);
            for (size_t d = 0; d < static_cast<size_t>(columns_.n_dims()); ++d) leaver.position[d] = landing.at.value(d, cells[d]);
        }
    }
    leavers_.push_back(leaver);
    places_.push_back(place);
}

int32_t Leavers::rank_of(int64_t target, size_t part, int64_t place) const {
    try {
        return topology_.part(target).rank;
    } catch (const Error &error) {
        fail(error.status(), "particles: %s goes to part %lld: %s", name_of(gid(part), place).c_str(), static_cast<long long>(target), error.what());
    }
}

uint32_t Leavers::section_of(size_t part, int64_t target) {
    const auto slot_of = [&](int64_t wanted) {
        size_t slot = Digest::mix(static_cast<uint64_t>(wanted)) & (table_.size() - 1);
        while (table_[slot] != nowhere && sections_[table_[slot]].target != wanted) slot = (slot + 1) & (table_.size() - 1);
        return slot;
    };
    if (const uint32_t known = table_[slot_of(target)]; known != nowhere) return known;
    sections_.push_back({ target, gid(part), 0, -1 });
    if (2 * (sections_.size() - first_section_) > table_.size()) {
        table_.assign(2 * table_.size(), nowhere);
        for (size_t s = first_section_; s + 1 < sections_.size(); ++s) table_[slot_of(sections_[s].target)] = static_cast<uint32_t>(s);
    }
    return table_[slot_of(target)] = static_cast<uint32_t>(sections_.size() - 1);
}

void Leavers::sort_sections() {
    order_.resize(sections_.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto key = [&](uint32_t s) { return std::tuple(sections_[s].rank, sections_[s].target, sections_[s].source); };
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
}

void Leavers::pack(const ParticleArrays &arrays) {
    for (size_t part = 0; part < counts_.size(); ++part)
        for (size_t i = begins_[part]; i < begins_[part + 1]; ++i)
            if (leavers_[i].section != nowhere) pack_one(arrays.of(part, columns_.size()), places_[i], leavers_[i], sections_[leavers_[i].section]);
}

void Leavers::pack_one(ColumnPointers from, int64_t place, const Leaver &leaver, ParticleSection &section) const {
    std::byte *const to = section.data;
    for (size_t c = 0; c < columns_.size(); ++c) {
        const size_t bytes = columns_.bytes(c);
        std::memcpy(to + columns_.bytes_before(c) * static_cast<size_t>(section.n) + bytes * static_cast<size_t>(section.n_packed),
                    from[c] + bytes * static_cast<size_t>(place), bytes);
    }
    if (columns_.has_position()) {
        columns_.set_position(to, section.n, section.n_packed, leaver.position);
        if (!leaver.map.is_identity()) columns_.turn_vectors(to, section.n, section.n_packed, leaver.map);
    }
    ++section.n_packed;
}

} // namespace halo
