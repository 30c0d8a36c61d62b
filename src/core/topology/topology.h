// SPDX-License-Identifier: BSD-3-Clause
// Which parts exist, who owns them, and which pairs talk over which regions. All kinds of topology emit the same edges.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "comm/context.h"

namespace halo {

using Extent = std::array<int64_t, 3>;

// Ghost layers per direction, below and above.
struct GhostWidths {
    std::array<int32_t, 3> low{};
    std::array<int32_t, 3> high{};

    GhostWidths clipped(int32_t depth) const; // at most `depth` layers; 0: as they are
    bool operator==(const GhostWidths &) const = default;
};

// Offset of an element from a part's centre, -1, 0 or 1 per direction.
using ElementOffset = std::array<int32_t, 3>;
ElementOffset element_offset(int32_t element);

enum class EdgeEnds : uint8_t { local, send, receive };

// One directed edge with at least one end on this rank: what the receiving part's ghosts take from the sending part.
// Boxes are in each part's own index space: (0, 0, 0) is its first owned cell.
struct Edge {
    int64_t send_gid;
    int64_t recv_gid;
    int32_t send_rank;
    int32_t recv_rank;
    int32_t element; // of the sender
    EdgeEnds ends;
    halo_box send;
    halo_box receive;
};
using EdgeSink = std::function<void(const Edge &)>;

class Topology {
public:
    explicit Topology(Context &context) : context_(context) { ++context_.children; }
    virtual ~Topology() { --context_.children; }
    Topology(const Topology &) = delete;
    Topology &operator=(const Topology &) = delete;

    Context &context() const { return context_; }
    const std::vector<int64_t> &local_parts() const { return local_parts_; }
    // Place of a gid among the local parts; -1: not here.
    int64_t local_index(int64_t gid) const;
    // As local_index, but fails with the gid and both ranks.
    int64_t require_local(int64_t gid) const;

    virtual int32_t n_dims() const = 0;
    virtual int64_t n_parts() const = 0;
    virtual halo_part part(int64_t gid) const = 0;
    virtual std::vector<halo_neighbour> neighbours(int64_t gid) const = 0;
    virtual std::vector<int32_t> peers() const = 0;
    // Largest ghost width that a part supports, per direction.
    virtual Extent widest_ghosts() const = 0;
    // Cells of a local part per direction.
    virtual Extent cells(int64_t local_index) const = 0;
    // Ghost regions outside the domain.
    virtual std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths) const = 0;
    // All edges of a field with these ghosts that have an end here, local edges once. `stencil` is a HALO_STENCIL_...
    virtual void edges(const GhostWidths &widths, int32_t stencil, const EdgeSink &sink) const = 0;

    int64_t fields = 0;     // that use it
    int32_t next_field = 0; // ordinal of the next field created on it

protected:
    Context &context_;
    std::vector<int64_t> local_parts_;
};

} // namespace halo
