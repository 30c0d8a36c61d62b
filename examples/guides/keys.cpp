// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int64_t n_all = 24; // a closed ring: element e lies between the nodes e and e + 1

uint64_t key_of(int64_t node) { return 1000003u * static_cast<uint64_t>(node % n_all); } // any numbers

void run(const halo::Field &field, int32_t kind) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.op = HALO_SUM;
    halo::Exchange exchange({ field }, desc);
    exchange.start();
    exchange.finish();
}

} // namespace

int main() try {
    const halo::Context context;
    const int64_t rank = context.rank(), n_ranks = context.n_ranks();

    // This rank's elements, and the nodes that they touch: those at both ends are also other ranks'.
    const int64_t first = n_all * rank / n_ranks, n_elements = n_all * (rank + 1) / n_ranks - first;
    std::vector<uint64_t> keys(static_cast<size_t>(n_ranks == 1 ? n_all : n_elements + 1));
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(first + static_cast<int64_t>(i));

    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size()), desc.keys = keys.data();
    const halo::Topology nodes(context, desc);
    const std::vector<uint32_t> index = nodes.local_indices(); // from my position to the library's: owned nodes first, then ghosts
    const std::vector<int32_t> owners = nodes.owners();

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT; // a double for each node
    field_desc.name = "u";
    std::vector<double> u(keys.size());
    halo::Field field(nodes, field_desc);
    field.bind(rank, u.data()); // every rank is one part: gid = rank

    for (size_t e = 0; e < static_cast<size_t>(n_elements); ++e) { // assembly: each element adds to both of its nodes
        u[index[e]] += 1;
        u[index[(e + 1) % keys.size()]] += 1;
    }
    run(field, HALO_KIND_SHARED_REDUCE); // every copy of a node gets the sum over all ranks
    int wrong = 0;
    for (const double sum : u) wrong += sum != 2;

    for (size_t i = 0; i < static_cast<size_t>(nodes.keys_report().n_owned); ++i) u[i] = static_cast<double>(rank);
    run(field, HALO_KIND_GHOSTS); // owners' values to all copies
    for (size_t i = 0; i < u.size(); ++i) wrong += u[i] != owners[i];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
