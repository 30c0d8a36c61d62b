// SPDX-License-Identifier: BSD-3-Clause
// Sparse edges of a run: what is null, what arrives where there is no storage, what ghosts of null neighbours hold.
#pragma once

#include <vector>

#include "exchange/run.h"

namespace halo {

// What the caller gives storage to, where data come for a part of a piece's field: that, or the one which it stands beside.
int32_t own_field(const Run &run, size_t piece);
// Is what goes from a part that has storage data, whatever the values?
bool is_always_data(const PlanPiece &planned);
// Is a sparse edge's region null? Copies the region to `into` on the way when it is not.
EdgeState pack_single(PieceRun &piece, const PlanPiece &planned, const SingleEdge &single, void *into);
// Write what came for an edge into the ghosts, or the fill value. Parts without storage are left alone.
void unpack_single(PieceRun &piece, const PlanPiece &planned, const SingleEdge &single, EdgeState state, const void *from);
halo_null_test null_test(const Field &field);

// Gives each of the single edges that `takes` its place, one behind the other in what `memory` hands out for all of them. Returns how much that is.
template <class Takes, class Memory>
size_t place_singles(PieceRun &piece, const std::vector<SingleEdge> &singles, Takes &&takes, Memory &&memory) {
    int64_t bytes = 0, end = 0;
    for (const SingleEdge &single : singles)
        if (takes(single)) place_single(single, bytes);
    if (bytes == 0) return 0;
    std::byte *const begin = memory(static_cast<size_t>(bytes));
    for (const SingleEdge &single : singles)
        if (takes(single)) piece.bases[single.base] = begin + place_single(single, end);
    return static_cast<size_t>(bytes);
}

// Parts to which data came while they have no storage.
class Arrivals {
public:
    void clear() {
        wanted_.clear();
        staged_.clear();
    }
    void reserve(size_t edges) {
        wanted_.reserve(edges);
        staged_.reserve(edges);
    }
    // Data came for an edge of a piece: its field hears of it, unless they have only been moved; a part without storage is remembered, and that of
    // the field's controller.
    void note(const Run &run, const std::vector<Field *> &fields, size_t piece, const SingleEdge &single);
    // Same-rank sparse edges, at start: copy, fill, or set aside in pool memory until the receiver has storage.
    struct Copied {
        int64_t bytes = 0;
        int64_t edges = 0;
        int64_t nulls = 0;
    };
    Copied copy_local(Run &run, const std::vector<Field *> &fields, Context &context);
    // Those on devices, by flags that the device, or who knows already, sets before; and what has become of them, once the device is done.
    static void put_local_on_devices(Run &run);
    Copied note_local_on_devices(Run &run, const std::vector<Field *> &fields);

    struct Part {
        int32_t field;
        int64_t part;
        bool operator==(const Part &) const = default;
    };
    const std::vector<Part> &wanted() const { return wanted_; }
    // Take over the storage that the caller has bound since: its whole content becomes the fill value.
    void adopt(Run &run, const std::vector<Field *> &fields, Context &context);
    // Write what was set aside.
    void unpack_staged(Run &run);

private:
    void want(Part part);
    struct Staged {
        size_t piece;
        const SingleEdge *single;
        Buffer buffer; // on the host
    };
    std::vector<Part> wanted_;
    std::vector<Staged> staged_;
};

} // namespace halo
