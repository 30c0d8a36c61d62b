// SPDX-License-Identifier: BSD-3-Clause
// What kinds of exchange there are: each turns what the caller has described into rounds. A new kind is a file here and a line in make_exchange.
#pragma once

#include <memory>
#include <vector>

#include "base/combine.h"
#include "exchange/exchange.h"

namespace halo {

// Between fields of one list and of another; all null: of one list with itself.
struct BetweenLists {
    const halo_transfer_desc *transfer = nullptr; // from the first half of the fields to the second
    const halo_levels_desc *levels = nullptr;     // coarse fields, newer ones perhaps, fine fields
    int32_t n_lists = 1;
};

// Of the fields with themselves (one that comes twice must have other storage in each run), or between lists of them.
std::unique_ptr<Exchange> make_exchange(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const BetweenLists &lists = {});

// That make_exchange takes.
Context::Numbers numbers_of(const Topology &topology, int32_t n_fields, const halo_exchange_desc &desc, const BetweenLists &lists);

// What all kinds take from a description: checked.
RoundSpec round_of(const std::vector<Field *> &fields, const halo_exchange_desc &desc);

// HALO_KIND_GHOSTS, ..._REVERSE, ..._SHARED_REDUCE. `sweep`: direction of the only edges, -1: all.
RoundSpec topology_round(const std::vector<Field *> &fields, const halo_exchange_desc &desc, int32_t sweep = -1);
std::unique_ptr<Exchange> make_transfer(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const halo_transfer_desc &transfer);
std::unique_ptr<Exchange> make_sweeps(const std::vector<Field *> &fields, const halo_exchange_desc &desc);
std::unique_ptr<Exchange> make_by_rank(const std::vector<Field *> &fields, const halo_exchange_desc &desc);
std::unique_ptr<Exchange> make_fetch(const std::vector<Field *> &fields, const halo_exchange_desc &desc);
bool is_forest(const Topology &topology);
std::unique_ptr<Exchange> make_remesh(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const halo_transfer_desc &transfer);
// Of forests: where a block is next to a coarser one, in all ranks' eyes.
bool has_levels(const Topology &topology);
std::unique_ptr<Exchange> make_levels(const std::vector<Field *> &fields, const halo_exchange_desc &desc);
std::unique_ptr<Exchange> make_hierarchy(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const BetweenLists &lists);
std::unique_ptr<Exchange> make_fluxes(const std::vector<Field *> &fields, const halo_exchange_desc &desc);

// Wherever ranks must agree on it.
inline uint64_t meaning_of(int32_t kind, const Combining &combining, int32_t shared) {
    return static_cast<uint64_t>(combining.canonical) << 24 | static_cast<uint64_t>(kind) << 16 | static_cast<uint64_t>(combining.op) << 8 |
           static_cast<uint64_t>(shared);
}

// One component of a part of points.
inline ValuesAt values_of(void *part, const Field &field, int64_t local_index, int32_t component) {
    const PartLayout &layout = field.layout(local_index);
    const int64_t unit = field.spec().element_bytes;
    return { static_cast<std::byte *>(part) + (layout.first_owned + component * layout.component_stride) * unit, layout.stride[0] * unit };
}

// All of one context.
void check_fields(const std::vector<Field *> &fields);
// Can their values be combined as the description says?
void check_combining(const std::vector<Field *> &fields, const halo_exchange_desc &desc);

} // namespace halo
