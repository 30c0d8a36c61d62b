// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/rows.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace halo {

namespace {

class Lowering {
public:
    Lowering(const Piece &piece, const Device &device, const Narrowed &narrowed, bool alone, const PeerPlacements *lent)
        : piece_(piece),
          lent_(lent),
          bases_(piece.bases()),
          done_(begun(piece, device, narrowed, alone)),
          boxes_(done_.boxes(piece)) {}

    Lowered lower() {
        const size_t n_links = edges().links.size();
        done_.send.resize(n_links);
        done_.receive.resize(n_links);
        std::vector<BoxCopy> staged;
        if (done_.combines) staged = stage_local();
        for (size_t link = 0; link < n_links; ++link) pack(link);
        for (size_t link = 0; link < n_links; ++link) unpack(link);
        if (done_.combines)
            done_.local = add(staged);
        else
            copy_local();
        if (done_.combines && piece_.combining().sorts(op()))
            combine_by_value();
        else if (done_.combines)
            combine_by_key();
        done_.table = CopyTable(*done_.device, rows_.program());
        return std::move(done_);
    }

private:
    // An edge that brings something to be combined here, and where that will lie.
    struct Contribution {
        PlacedEdge edge;
        Placement at;
    };

    static Lowered begun(const Piece &piece, const Device &device, const Narrowed &narrowed, bool alone) {
        Lowered begun;
        begun.device = &device;
        begun.narrowed = narrowed;
        begun.alone = alone;
        begun.combines = piece.combining().combines();
        begun.n_bases = piece.bases().n();
        if (narrowed.ghosts != GhostWidths::all()) begun.narrowed_edges = std::make_shared<const PlacedEdges>(piece.narrowed_edges(narrowed.ghosts));
        return begun;
    }

    const PlacedEdges &edges() const { return done_.edges(piece_); }
    // As far as rows depend on it.
    halo_op op() const { return done_.narrowed.op != op_move ? done_.narrowed.op : piece_.combining().op; }
    bool sparse() const { return piece_.destination().sparse; }
    bool alone() const { return done_.alone || sparse(); }
    // Edges of one message that may share its rows.
    size_t most_joined() const { return done_.combines ? 1 : HALO_COPY_PIECES; }

    RowRange add(std::vector<BoxCopy> &boxes) {
        const int64_t first = rows_.add_fused(std::move(boxes));
        boxes.clear();
        return { first, rows_.size() - first };
    }
    RowRange add_pack(const PlacedEdge &edge, const Placement &at) {
        std::vector<BoxCopy> boxes;
        boxes_.pack(edge, at, boxes);
        return add(boxes);
    }
    // An edge may bring no values of a field with mapped points: no row then, whose memory there need not be.
    RowRange add_one(const BoxCopy &box) {
        if (std::ranges::count(box.n, 0u) > 0) return { rows_.size(), 0 };
        return { rows_.add(box), 1 };
    }
    bool on_device() const { return done_.device->has_memory(HALO_MEMORY_DEVICE); }
    SingleEdge single(const PlacedEdge &edge) {
        SingleEdge single;
        single.edge = edge;
        single.bytes = boxes_.bytes(edge) + piece_.bytes_behind();
        single.base = static_cast<uint32_t>(done_.n_bases++);
        return single;
    }
    // Messages are packed without those that are null, so where it lies is known in a run.
    Placement apart(const SingleEdge &single) const { return boxes_.dense(single.edge, single.base, 0); }
    // The next flag says whether it, and so its rows, are null.
    void give_flag(SingleEdge &single) {
        single.flag = done_.n_flags++;
        flag_rows(single);
    }
    void flag_rows(const SingleEdge &single) {
        if (!on_device()) return;
        rows_.set_flag(single.copy.first, single.copy.n, single.flag);
        rows_.set_flag(single.stage.first, single.stage.n, single.flag);
    }

    void copy_local();
    void copy_local_singles();
    void repeat(const RowRange &rows, std::span<const PlacedEdge> part);
    std::vector<BoxCopy> stage_local();
    void pack(size_t link);
    void unpack(size_t link);
    int64_t add_fill(const SingleEdge &one);
    void receive_singles(const std::vector<PlacedEdge> &by_key, LoweredDirection &direction);
    std::vector<PlacedEdge> by_key(const std::vector<PlacedEdge> &edges) const;
    void combine_by_key();
    void combine_by_value();

    const Piece &piece_;
    const PeerPlacements *lent_;
    const BaseNumbers &bases_;
    Lowered done_;
    EdgeBoxes boxes_;
    CopyRows rows_;
    std::vector<Contribution> contributions_;
};

// Part by part: rows never go from one to another. Where the edges of a part lie as those of the last one did, the rows differ in their bases alone.
void Lowering::copy_local() {
    const std::span<const PlacedEdge> local = edges().local;
    if (sparse()) return copy_local_singles();
    const int64_t first_row = rows_.size();
    rows_.reserve(static_cast<size_t>(first_row) + local.size());
    std::span<const PlacedEdge> last;
    RowRange rows_of_last;
    for (size_t first = 0, end = 0; first < local.size(); first = end) {
        for (; end < local.size() && local[end].recv_part == local[first].recv_part; ++end) done_.local_bytes += boxes_.bytes(local[end]);
        const std::span<const PlacedEdge> part = local.subspan(first, end - first);
        if (std::ranges::equal(part, last, [&](const PlacedEdge &a, const PlacedEdge &b) { return boxes_.alike(a, b); })) {
            repeat(rows_of_last, part);
            continue;
        }
        std::vector<BoxCopy> boxes;
        for (const PlacedEdge &edge : part) boxes_.direct(edge, boxes);
        rows_of_last = add(boxes);
        last = part;
    }
    done_.local = { first_row, rows_.size() - first_row };
}

void Lowering::repeat(const RowRange &rows, std::span<const PlacedEdge> part) {
    std::vector<uint32_t> sources;
    for (const PlacedEdge &edge : part) sources.push_back(boxes_.source_base(edge));
    rows_.repeat(rows.first, rows.n, boxes_.destination_base(part[0]), sources);
}

// Rows that a run may do together follow each other.
void Lowering::copy_local_singles() {
    std::vector<SingleEdge> &singles = done_.local_singles;
    for (const PlacedEdge &edge : edges().local) singles.push_back(single(edge));
    for (SingleEdge &one : singles) {
        std::vector<BoxCopy> boxes;
        boxes_.direct(one.edge, boxes);
        one.copy = add(boxes);
        give_flag(one);
    }
    for (SingleEdge &one : singles) one.fill_row = add_fill(one);
    for (SingleEdge &one : singles) {
        one.stage = add_pack(one.edge, apart(one));
        flag_rows(one);
    }
    for (SingleEdge &one : singles) one.unstage_row = rows_.add(boxes_.unpack_dense(one.edge, apart(one)));
}

// Does its work where the edge is null.
int64_t Lowering::add_fill(const SingleEdge &one) {
    const int64_t row = rows_.add(boxes_.repeat(one.edge, bases_.fill()));
    if (on_device()) rows_.set_flag(row, 1, one.flag);
    return row;
}

// The caller may overwrite what contributes as soon as a run has started, so it is copied first. If he has promised not to, contributions of points
// are read where they lie: none of them receives itself.
std::vector<BoxCopy> Lowering::stage_local() {
    const std::vector<PlacedEdge> &local = edges().local;
    for (const PlacedEdge &edge : local) done_.local_bytes += boxes_.bytes(edge);
    std::vector<BoxCopy> boxes;
    if (piece_.combining().reads_in_place && !piece_.combining().has_own_rows(op()) && !boxes_.has_cells()) {
        for (const PlacedEdge &edge : local) contributions_.push_back({ edge, boxes_.at_source(edge) });
        return boxes;
    }
    done_.staging_bytes = place_in_order(boxes_, bases_.staging(), 1, local, [&](const PlacedEdge &edge, const Placement &at) {
        boxes_.pack(edge, at, boxes);
        contributions_.push_back({ edge, at });
    });
    return boxes;
}

std::vector<PlacedEdge> Lowering::by_key(const std::vector<PlacedEdge> &edges) const {
    std::vector<PlacedEdge> sorted = edges;
    std::sort(sorted.begin(), sorted.end(), key_before);
    return sorted;
}

void Lowering::pack(size_t link) {
    LoweredDirection &direction = done_.send[link];
    const std::vector<PlacedEdge> &sent = edges().links[link].send;
    if (alone()) {
        for (const PlacedEdge &edge : by_key(sent)) {
            SingleEdge one = single(edge);
            one.copy = add_pack(edge, apart(one));
            give_flag(one);
            if (direction.sent_by.empty() || direction.sent_by.back().part != edge.send_part) direction.sent_by.push_back({ edge.send_part, 0 });
            direction.sent_by.back().bytes += align_up(one.bytes, sparse_alignment);
            direction.singles.push_back(one);
        }
        return;
    }
    std::vector<BoxCopy> boxes;
    direction.dense_bytes = place_in_order(boxes_, bases_.send(link), most_joined(), sent,
                                           [&](const PlacedEdge &edge, const Placement &at) { boxes_.pack(edge, at, boxes); });
    direction.rows = add(boxes);
}

void Lowering::unpack(size_t link) {
    LoweredDirection &direction = done_.receive[link];
    const std::vector<PlacedEdge> &received = edges().links[link].receive;
    if (alone()) return receive_singles(by_key(received), direction);
    const std::vector<Placement> *lent = lent_ && !(*lent_)[link].empty() ? &(*lent_)[link] : nullptr;
    std::vector<BoxCopy> boxes;
    size_t i = 0;
    int64_t last_group = -1;
    direction.dense_bytes =
        place_in_order(boxes_, bases_.receive(link), most_joined(), received, [&](const PlacedEdge &edge, const Placement &in_message) {
            const Placement &at = lent ? (*lent)[i] : in_message;
            ++i;
            if (done_.combines)
                contributions_.push_back({ edge, at });
            else if (at.group == last_group && !boxes.back().dst_list)
                boxes.back().n[0] += static_cast<uint32_t>(edge.n[0]); // side by side in the message and in the ghosts: one box
            else
                boxes_.unpack(edge, at, boxes);
            last_group = at.group;
        });
    direction.rows = add(boxes);
}

void Lowering::receive_singles(const std::vector<PlacedEdge> &by_key, LoweredDirection &direction) {
    for (const PlacedEdge &edge : by_key) {
        SingleEdge one = single(edge);
        const Placement from = apart(one);
        if (done_.combines) {
            done_.staging_bytes = align_up(done_.staging_bytes, sparse_alignment);
            const Placement staged = boxes_.dense(edge, bases_.staging(), done_.staging_bytes);
            std::vector<BoxCopy> boxes;
            boxes_.between(edge, from, staged, boxes);
            one.copy = add(boxes);
            contributions_.push_back({ edge, staged });
            done_.staging_bytes += one.bytes;
        } else {
            one.copy = add_one(boxes_.unpack_dense(edge, from));
        }
        direction.singles.push_back(one);
    }
    if (!sparse()) return;
    for (SingleEdge &one : direction.singles) one.fill_row = rows_.add(boxes_.repeat(one.edge, bases_.fill()));
}

// The owner's value first (it overwrites, and only where a reduction has been asked of all copies), then the others by key: contributing gid first.
// Rows of different parts never meet.
void Lowering::combine_by_key() {
    const Combining &combining = piece_.combining();
    const auto order = [](const PlacedEdge &edge) { return std::make_tuple(edge.from_owner ? 0 : 1, edge.receive_gid); };
    std::sort(contributions_.begin(), contributions_.end(), [&](const Contribution &a, const Contribution &b) {
        return order(a.edge) != order(b.edge) ? order(a.edge) < order(b.edge) : key_before(a.edge, b.edge);
    });
    std::vector<BoxCopy> boxes;
    for (size_t first = 0, end = 0; first < contributions_.size(); first = end) {
        const bool from_owner = contributions_[first].edge.from_owner;
        CombineStep step{ { rows_.size(), 0 }, from_owner && combining.owner_overwrites };
        const bool by_caller = !step.moves && op() == HALO_USER;
        for (; end < contributions_.size() && contributions_[end].edge.from_owner == from_owner; ++end) {
            boxes.clear();
            boxes_.unpack(contributions_[end].edge, contributions_[end].at, boxes);
            for (const BoxCopy &box : boxes)
                if (by_caller)
                    done_.caller_step.add(box);
                else
                    rows_.add_runs(box);
        }
        step.rows.n = rows_.size() - step.rows.first;
        if (step.rows.n > 0) done_.combine_steps.push_back(step);
    }
}

// Where the owner's value comes with the others, what a copy holds comes too.
void Lowering::combine_by_value() {
    if (contributions_.empty()) return;
    CanonicalStep step(piece_.destination().type, op());
    std::vector<BoxCopy> boxes;
    for (const auto &[edge, at] : contributions_) {
        boxes.clear();
        boxes_.unpack(edge, at, boxes);
        for (const BoxCopy &box : boxes) step.add(box, edge.from_owner);
    }
    step.sort();
    done_.canonical_steps.push_back(std::move(step));
}

} // namespace

Lowered lower(const Piece &piece, const Device &device, const Narrowed &narrowed, bool alone, const PeerPlacements *lent) {
    return Lowering(piece, device, narrowed, alone, lent).lower();
}

} // namespace halo
