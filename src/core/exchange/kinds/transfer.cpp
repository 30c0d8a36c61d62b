// SPDX-License-Identifier: BSD-3-Clause
// Values from the boxes of one topology to those of another.
#include <algorithm>

#include "exchange/kinds/kinds.h"
#include "topology/boxes/placed_box.h"

namespace halo {

namespace {

constexpr int32_t kind_transfer = 100; // beside what HALO_KIND_... names

// Low x, y, z, high x, y, z; at most what the field has.
GhostWidths read_widths(const int32_t (&given)[6], const Field &field, const char *what) {
    GhostWidths widths;
    const GhostWidths &most = field.spec().ghosts;
    for (int d = 0; d < 3; ++d) {
        widths.low[d] = given[d];
        widths.high[d] = given[3 + d];
        if (given[d] < 0 || given[3 + d] < 0 || given[d] > most.low[d] || given[3 + d] > most.high[d])
            fail(HALO_ERR_ARGUMENT, "transfer: %s_ghosts %d and %d along direction %d, but field %s has %d and %d", what, given[d], given[3 + d], d,
                 field.spec().name.c_str(), most.low[d], most.high[d]);
    }
    return widths;
}

// ", ghosts 1 1 0, 1 1 0 read".
std::string text_of(const int32_t (&widths)[6], const char *done) {
    if (std::all_of(widths, widths + 6, [](int32_t width) { return width == 0; })) return {};
    return format(", ghosts %d %d %d, %d %d %d ", widths[0], widths[1], widths[2], widths[3], widths[4], widths[5]) + done;
}

void check_pair(const Field &source, const Field &destination, halo_op op) {
    const FieldSpec &from = source.spec();
    const FieldSpec &to = destination.spec();
    const auto refuse = [&](const char *why) {
        fail(HALO_ERR_ARGUMENT, "transfer from field %s to field %s: %s", from.name.c_str(), to.name.c_str(), why);
    };
    if (from.type != to.type || from.element_bytes != to.element_bytes) refuse("their types differ");
    if (from.n_components != to.n_components) refuse("their numbers of components differ");
    if (from.places != to.places) refuse("their centrings differ");
    if (from.sparse || to.sparse) refuse("sparse fields cannot be transferred");
    const BoxSource *source_boxes = source.topology().boxes();
    const BoxSource *destination_boxes = destination.topology().boxes();
    if (!source_boxes || !destination_boxes) refuse("a topology is not made of boxes of one index space");
    if (source.topology().n_dims() != destination.topology().n_dims()) refuse("their topologies have different dimensions");
    if (source_boxes->period() != destination_boxes->period()) refuse("their topologies have different periods");
    if (op != op_move) check_op(from, op);
}

} // namespace

std::unique_ptr<Exchange> make_transfer(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const halo_transfer_desc &transfer) {
    if (transfer.op != HALO_TRANSFER_COPY && transfer.op != HALO_TRANSFER_ADD)
        fail(HALO_ERR_ARGUMENT, "transfer: op %d is none of HALO_TRANSFER_...", transfer.op);
    RoundSpec round = round_of(fields, desc);
    const auto n = static_cast<int32_t>(fields.size() / 2);
    Combining combining;
    combining.op = round.op = transfer.op == HALO_TRANSFER_ADD ? HALO_SUM : op_move;
    round.kind = combining.combines() ? "transfer that adds" : "transfer";
    round.kind += text_of(transfer.source_ghosts, "read") + text_of(transfer.destination_ghosts, "filled");
    for (int32_t i = 0; i < n; ++i) {
        const Field &source = *fields[static_cast<size_t>(i)];
        const Field &destination = *fields[static_cast<size_t>(n + i)];
        check_pair(source, destination, combining.op);
        const TransferGhosts ghosts{ read_widths(transfer.source_ghosts, source, "source"),
                                     read_widths(transfer.destination_ghosts, destination, "destination") };
        round.pieces.push_back({ i, n + i, edges_of_transfer(source.topology(), destination.topology(), ghosts, combining.combines()), combining,
                                 meaning_of(kind_transfer, combining, HALO_SHARED_KEEP) });
    }
    std::vector<RoundSpec> rounds;
    rounds.push_back(std::move(round));
    return std::make_unique<Exchange>(fields, std::move(rounds));
}

} // namespace halo
