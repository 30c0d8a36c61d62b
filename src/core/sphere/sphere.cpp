// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/sphere.h"

#include <algorithm>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/keys/keys.h"

namespace halo {

namespace {

void check_rings(const halo_sphere_desc &desc) {
    for (const int32_t rings : desc.rings) {
        if (rings < 0) fail(HALO_ERR_ARGUMENT, "sphere: %d rings", rings);
        check_limit("sphere: rings", rings, limits::reach);
    }
    if (desc.reserved != 0) fail(HALO_ERR_VERSION, "sphere: reserved is %lld, not 0", static_cast<long long>(desc.reserved));
}

uint64_t hash_of(const halo_sphere_desc &desc, const SphereSplit &split) {
    uint64_t hash = split.hash();
    for (const int32_t rings : desc.rings) hash = Digest::mix(hash ^ static_cast<uint64_t>(rings));
    return hash;
}

Terms terms_of(const halo_sphere_desc &desc, const SphereSplit &split) {
    Terms terms = split.terms();
    terms.add("rings of cells", std::to_string(desc.rings[HALO_SPHERE_CELLS]));
    terms.add("rings of edges", std::to_string(desc.rings[HALO_SPHERE_EDGES]));
    terms.add("rings of vertices", std::to_string(desc.rings[HALO_SPHERE_VERTICES]));
    return terms;
}

} // namespace

Sphere::Sphere(Context &context, const halo_sphere_desc &desc) : context_(context), id_(context.next_topology()) {
    const auto describe = [&] {
        check_rings(desc);
        split_ = std::make_unique<SphereSplit>(desc, context.size());
        for (const int64_t number : split_->parts_of_rank(context.rank())) {
            gids_.push_back(context.rank() * split_->most_parts() + std::ssize(gids_));
            Part &part = parts_.emplace_back(Part{ number, {} });
            for (int32_t kind = 0; kind < n_sphere_kinds; ++kind) part.halos.emplace_back(*split_, number, kind, desc.rings[kind]);
        }
        return hash_of(desc, *split_);
    };
    agree_on(context, "sphere", describe, [&] { return terms_of(desc, *split_); });
    ++context.children;
}

const Sphere::Part &Sphere::local(int64_t gid) const {
    const auto place = std::find(gids_.begin(), gids_.end(), gid) - gids_.begin();
    if (place == std::ssize(gids_)) fail(HALO_ERR_NOT_FOUND, "sphere: part %lld is none of rank %d", static_cast<long long>(gid), context_.rank());
    return parts_[static_cast<size_t>(place)];
}

halo_sphere_part Sphere::part(int64_t gid) const {
    const Part &part = local(gid);
    halo_sphere_part known = HALO_SPHERE_PART_INIT;
    known.gid = gid;
    known.number = part.number;
    const halo_sphere_box box = split_->box(part.number);
    known.parallelogram = box.parallelogram;
    for (int d = 0; d < 2; ++d) {
        known.low[d] = box.low[d];
        known.high[d] = box.high[d];
    }
    for (int32_t kind = 0; kind < n_sphere_kinds; ++kind) {
        known.n_owned[kind] = part.halos[static_cast<size_t>(kind)].n_owned();
        known.n_local[kind] = part.halos[static_cast<size_t>(kind)].n_local();
    }
    return known;
}

const SpherePartHalo &Sphere::halo(int64_t gid, int32_t kind) const {
    check_sphere_kind(kind);
    return local(gid).halos[static_cast<size_t>(kind)];
}

std::vector<uint32_t> Sphere::table(int64_t gid, int32_t from, int32_t to) const {
    const SpherePartHalo &rows = halo(gid, from), &entries = halo(gid, to);
    const auto width = static_cast<size_t>(sphere_width(from, to));
    std::vector<uint32_t> table(static_cast<size_t>(rows.n_local()) * width, HALO_NO_INDEX);
    for (int64_t index = 0; index < rows.n_local(); ++index) {
        const SphereNeighbours all = split_->lattice().neighbours(rows.point(index), from, to);
        for (size_t k = 0; k < static_cast<size_t>(all.n); ++k) table[static_cast<size_t>(index) * width + k] = entries.index_of(all.points[k]);
    }
    return table;
}

// Owners are known, so that no directory is asked; a ghost is owned by the only part that does not merely want it.
std::unique_ptr<Topology> Sphere::topology(int32_t kind) const {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags, owners;
    std::vector<int64_t> offsets{ 0 };
    for (const Part &part : parts_) {
        const SpherePartHalo &halo = part.halos[static_cast<size_t>(kind)];
        const std::vector<uint64_t> some = halo.keys();
        const std::vector<int32_t> ranks = halo.ranks();
        keys.insert(keys.end(), some.begin(), some.end());
        owners.insert(owners.end(), ranks.begin(), ranks.end());
        flags.resize(flags.size() + static_cast<size_t>(halo.n_owned()), 0);
        flags.resize(keys.size(), HALO_KEY_WANT);
        offsets.push_back(std::ssize(keys));
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(keys);
    desc.keys = keys.data();
    desc.flags = flags.data();
    // A rank without parts has no keys, and knows all their owners.
    owners.reserve(1);
    desc.owners = owners.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.n_parts = static_cast<int32_t>(parts_.size());
    desc.part_offsets = offsets.data();
    return std::make_unique<KeysTopology>(context_, desc);
}

} // namespace halo
