// SPDX-License-Identifier: BSD-3-Clause
// Which parts exist, who owns them, and which pairs talk over which regions. All kinds of topology emit the same edges.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/context.h"
#include "topology/edge.h"

namespace halo {

class BoxSource;
class Field; // of the room above; a topology keeps who lives on it, and looks at none

// A neighbour whose index space lies as `map` says, from the asking part's to its.
halo_neighbour neighbour_row(int64_t gid, int32_t rank, int32_t element, const AxisMap &map = {});
// By element, then gid, none twice.
void sort_neighbours(std::vector<halo_neighbour> &rows);

// Made from a topology, once, and kept for as long as it lives: see kept_by.
class KeptByTopology {
public:
    virtual ~KeptByTopology() = default;
};

class Topology {
public:
    explicit Topology(Context &context) : context_(context), id_(context.next_topology()) { ++context_.children; }
    virtual ~Topology() { --context_.children; }
    Topology(const Topology &) = delete;
    Topology &operator=(const Topology &) = delete;

    Context &context() const { return context_; }
    // Of this context's topologies, no other one ever has the same.
    uint64_t id() const { return id_; }
    const std::vector<int64_t> &local_parts() const { return local_parts_; }
    // Place of a gid among the local parts; -1: not here.
    int64_t local_index(int64_t gid) const;
    // As local_index, but fails with the gid and both ranks.
    int64_t require_local(int64_t gid) const;

    // What all ranks must have given alike, in words; empty: they were compared when it was made.
    virtual std::string text() const { return {}; }
    virtual int32_t n_dims() const = 0;
    // Are parts boxes of cells (else lists of points, in one dimension)?
    virtual bool has_cells() const { return true; }
    // Do edges know which groups of ghosts they fill?
    virtual bool has_sections() const { return false; }
    // In words, why ghosts cannot be filled direction by direction; empty: parts lie in rows and columns, without holes. `shared`: points that
    // several parts own, too: across each border the same side owns them all along.
    virtual std::string why_no_rows(bool /*shared*/) const { return "they are no boxes of one index space"; }
    virtual int64_t n_parts() const = 0;
    virtual halo_part part(int64_t gid) const = 0;
    virtual std::vector<halo_neighbour> neighbours(int64_t gid) const = 0;
    // Ranks of the local parts' neighbours, ascending.
    virtual std::vector<int32_t> peers() const;
    // Largest ghost width that a part supports, per direction.
    virtual Extent widest_ghosts() const = 0;
    // Cells of a local part per direction.
    virtual Extent cells(int64_t local_index) const = 0;
    // 1 for those of a local part's own points, x fastest, that it is the owner of; else 0. All, where parts share none.
    virtual void mark_owned(int64_t, Centring, std::span<uint8_t> mask) const { std::ranges::fill(mask, uint8_t{ 1 }); }
    // Ghost regions that no part fills.
    virtual std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const = 0;
    // All edges of a request that have an end here, local edges once. Both ends of an edge make the same one.
    virtual void edges(const EdgeRequest &request, const EdgeSink &sink) const = 0;
    // Cells of any part per direction that an edge from or to this rank names.
    virtual Extent cells_of(int64_t gid) const = 0;
    // Parts as boxes of one index space; null: there is none. The cells that they lie among.
    virtual const BoxSource *boxes() const { return nullptr; }
    virtual halo_box domain() const { return {}; }
    // What all ranks know a point of a local part by, in words: "key 7", "in all (4, 0, 0)"; empty: by nothing but its part, or it is not kept. For
    // errors: O(points).
    virtual std::string global_name(int64_t local_index, const Extent &point) const;
    // Else those near the local ones alone.
    virtual bool knows_all_boxes() const { return true; }

    std::map<std::string, Field *> fields; // that live on it, by name

protected:
    // Of parts whose cells count in one index space.
    std::string name_in_all(int64_t local_index, const Extent &point) const;

    Context &context_;
    std::vector<int64_t> local_parts_;

private:
    template <class T, class From, class... Args>
    friend T &kept_by(const From &, const Args &...);

    uint64_t id_;
    mutable std::vector<std::unique_ptr<KeptByTopology>> kept_;
};

// The T(topology, args...) that a topology keeps: topologies for the fields beside its own, what rooms above find for it. Made when it is first asked
// for; of several T each says which one it `is_of`.
template <class T, class From, class... Args>
T &kept_by(const From &topology, const Args &...args) {
    const Topology &by = topology;
    for (const auto &one : by.kept_)
        if (auto *const known = dynamic_cast<T *>(one.get())) {
            if constexpr (sizeof...(Args) == 0)
                return *known;
            else if (known->is_of(args...))
                return *known;
        }
    auto made = std::make_unique<T>(topology, args...);
    T &kept = *made;
    by.kept_.push_back(std::move(made));
    return kept;
}

} // namespace halo
