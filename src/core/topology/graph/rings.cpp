// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/rings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "topology/discovery.h"
#include "topology/keys/key_index.h"
#include "topology/keys/keys.h"

namespace halo {

namespace {

constexpr int32_t nobody = -1;
constexpr int32_t unknown = -2; // in a message also: no neighbour

void check_tables(const halo_graph_desc &desc) {
    if (desc.rings < 1) fail(HALO_ERR_ARGUMENT, "graph: %d rings, there must be 1 or more", desc.rings);
    check_limit("graph: n_owned", desc.n_owned, limits::points);
    if (desc.n_owned < 0 || (desc.n_owned > 0 && !desc.keys))
        fail(HALO_ERR_ARGUMENT, "graph: %lld points, keys at address %p", static_cast<long long>(desc.n_owned), static_cast<const void *>(desc.keys));
    if (!desc.offsets && desc.width < 0) fail(HALO_ERR_ARGUMENT, "graph: width %lld", static_cast<long long>(desc.width));
    const std::string entries = format("graph: n_owned %lld * width %lld", static_cast<long long>(desc.n_owned), static_cast<long long>(desc.width));
    if (!desc.offsets) (Checked(desc.n_owned) * desc.width).value(entries.c_str(), limits::graph_entries);
    for (int64_t i = 0; desc.offsets && i < desc.n_owned; ++i)
        if (desc.offsets[i] < 0 || desc.offsets[i] > desc.offsets[i + 1])
            fail(HALO_ERR_ARGUMENT, "graph: offsets %lld and %lld of point %lld", static_cast<long long>(desc.offsets[i]),
                 static_cast<long long>(desc.offsets[i + 1]), static_cast<long long>(i));
    if (desc.offsets && desc.n_owned > 0) check_limit("graph: the last of offsets", desc.offsets[desc.n_owned], limits::graph_entries);
}

class RingFinder {
public:
    RingFinder(Context &context, const halo_graph_desc &desc) : context_(context), desc_(desc) {}

    GraphPoints find();

private:
    int64_t n_owned() const { return desc_.n_owned; }
    int64_t row_begin(int64_t point) const { return desc_.offsets ? desc_.offsets[point] : point * desc_.width; }
    int64_t row_end(int64_t point) const { return desc_.offsets ? desc_.offsets[point + 1] : (point + 1) * desc_.width; }
    void check_owner(uint64_t key, int32_t owner) const;
    void take_own_points();
    void take_own_rows();
    void find_owners();
    void next_ring(Discovery &discovery, int32_t ring);
    std::vector<uint64_t> tables_of(const std::vector<uint64_t> &keys) const;
    void take_tables(const std::vector<uint32_t> &asked, const std::vector<uint64_t> &tables, int32_t rank, int32_t ring);
    uint32_t neighbour(uint64_t key, int32_t owner, int32_t ring);
    GraphPoints in_order() const;

    Context &context_;
    const halo_graph_desc &desc_;
    // Points by number: in the order in which they are found.
    KeyIndex index_{ 0 };
    std::vector<int32_t> owners_;
    std::vector<int32_t> rings_;
    std::vector<std::vector<uint32_t>> ghost_rows_; // by number, less n_owned; those not asked for are empty
    std::vector<uint32_t> own_rows_;                // all behind each other
    bool knows_owners_ = false;
};

// A ghost that this rank is said to own, but does not, is nobody's.
uint32_t RingFinder::neighbour(uint64_t key, int32_t owner, int32_t ring) {
    const auto [number, is_new] = index_.add(key);
    if (is_new) {
        owners_.push_back(owner == context_.rank() ? nobody : owner);
        rings_.push_back(ring);
    }
    return number;
}

void RingFinder::take_own_points() {
    check_tables(desc_);
    index_ = KeyIndex(static_cast<size_t>(n_owned()));
    for (int64_t i = 0; i < n_owned(); ++i)
        if (!index_.add(desc_.keys[i]).second)
            fail(HALO_ERR_ARGUMENT, "graph: key %llu is owned twice by this rank", static_cast<unsigned long long>(desc_.keys[i]));
    owners_.assign(static_cast<size_t>(n_owned()), context_.rank());
    rings_.assign(static_cast<size_t>(n_owned()), 0);
    const int64_t first = n_owned() > 0 ? row_begin(0) : 0, end = n_owned() > 0 ? row_end(n_owned() - 1) : 0;
    if (end > first && !desc_.neighbours) fail(HALO_ERR_ARGUMENT, "graph: %lld neighbours at no address", static_cast<long long>(end - first));
    own_rows_.reserve(static_cast<size_t>(end - first));
    take_own_rows();
}

void RingFinder::check_owner(uint64_t key, int32_t owner) const {
    if (owner < 0 || owner >= context_.size())
        fail(HALO_ERR_ARGUMENT, "graph: owner %d of neighbour %llu; there are ranks 0 to %d", owner, static_cast<unsigned long long>(key),
             context_.size() - 1);
}

void RingFinder::take_own_rows() {
    for (int64_t point = 0; point < n_owned(); ++point)
        for (int64_t i = row_begin(point); i < row_end(point); ++i) {
            const uint64_t key = desc_.neighbours[i];
            if (desc_.has_skip && key == desc_.skip) {
                own_rows_.push_back(GraphPoints::skipped);
                continue;
            }
            if (desc_.owners) check_owner(key, desc_.owners[i]);
            own_rows_.push_back(neighbour(key, desc_.owners ? desc_.owners[i] : unknown, 1));
        }
}

// The directory decides who owns the ghosts: those that claim them, which can only be one.
void RingFinder::find_owners() {
    std::vector<int32_t> flags(index_.keys().size(), HALO_KEY_WANT);
    std::fill_n(flags.begin(), n_owned(), HALO_KEY_CLAIM);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.owner_rule = HALO_OWNER_CLAIM;
    desc.n_keys = std::ssize(index_.keys());
    desc.keys = index_.keys().data();
    desc.flags = flags.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.directory = desc_.directory;
    const KeysTopology keys(context_, desc);
    const halo_keys_report report = keys.report();
    if (report.n_several_claim > 0)
        together(context_, "graph", [&] {
            if (report.n_several_claim_here > 0)
                fail(HALO_ERR_ARGUMENT, "graph: key %llu is owned by rank %d and another; there are %lld such keys",
                     static_cast<unsigned long long>(report.several_claim[0]), context_.rank(), static_cast<long long>(report.n_several_claim));
        });
    owners_ = keys.owners();
}

// For each key: the length of its row, or -1 where it is not owned here; then the row, with the owner behind each neighbour.
std::vector<uint64_t> RingFinder::tables_of(const std::vector<uint64_t> &keys) const {
    std::vector<uint64_t> tables;
    for (const uint64_t key : keys) {
        const uint32_t point = index_.find(key);
        if (point >= n_owned()) {
            tables.push_back(UINT64_MAX);
            continue;
        }
        const int64_t first = row_begin(0), begin = row_begin(point), end = row_end(point);
        tables.push_back(static_cast<uint64_t>(end - begin));
        for (int64_t i = begin; i < end; ++i) {
            const uint32_t number = own_rows_[static_cast<size_t>(i - first)];
            const bool skip = number == GraphPoints::skipped;
            tables.push_back(skip ? 0 : index_.keys()[number]);
            tables.push_back(static_cast<uint64_t>(int64_t{ skip ? unknown : owners_[number] }));
        }
    }
    return tables;
}

void RingFinder::take_tables(const std::vector<uint32_t> &asked, const std::vector<uint64_t> &tables, int32_t rank, int32_t ring) {
    const auto cut_off = [&] {
        fail(HALO_ERR_WIRE, "graph: tables of %zu points from rank %d end after %zu words", asked.size(), rank, tables.size());
    };
    size_t at = 0;
    for (const uint32_t point : asked) {
        if (at >= tables.size()) cut_off();
        const uint64_t length = tables[at++];
        if (length == UINT64_MAX) {
            owners_[point] = nobody;
            continue;
        }
        if (length > (tables.size() - at) / 2) cut_off();
        std::vector<uint32_t> row;
        for (uint64_t i = 0; i < length; ++i, at += 2) {
            const auto owner = static_cast<int32_t>(static_cast<int64_t>(tables[at + 1]));
            row.push_back(owner == unknown ? GraphPoints::skipped : neighbour(tables[at], owner, ring));
        }
        ghost_rows_.resize(index_.keys().size() - static_cast<size_t>(n_owned()));
        ghost_rows_[point - static_cast<size_t>(n_owned())] = std::move(row);
    }
}

// Asks the owners of the ring before for their tables.
void RingFinder::next_ring(Discovery &discovery, int32_t ring) {
    std::map<int32_t, std::vector<uint32_t>> ask;
    for (auto point = static_cast<uint32_t>(n_owned()); point < rings_.size(); ++point)
        if (rings_[point] == ring - 1 && owners_[point] >= 0) ask[owners_[point]].push_back(point);
    const auto keys_of = [&](const std::vector<uint32_t> &points) {
        std::vector<uint64_t> keys;
        keys.reserve(points.size());
        for (const uint32_t point : points) keys.push_back(index_.keys()[point]);
        return keys;
    };
    std::vector<Delivery> out;
    std::vector<int32_t> ranks;
    for (const auto &[rank, points] : ask) {
        out.push_back({ rank, to_bytes(keys_of(points)) });
        ranks.push_back(rank);
    }
    std::vector<Delivery> answers;
    for (const Delivery &question : discovery.exchange(std::move(out)))
        answers.push_back({ question.rank, to_bytes(tables_of(from_bytes<uint64_t>(question.bytes))) });
    for (const Delivery &told : discovery.answer(std::move(answers), ranks))
        take_tables(ask[told.rank], from_bytes<uint64_t>(told.bytes), told.rank, ring);
}

GraphPoints RingFinder::in_order() const {
    std::vector<uint32_t> order(index_.keys().size()), place(order.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto rank = [&](uint32_t i) { return std::make_tuple(owners_[i] == nobody, rings_[i], owners_[i], index_.keys()[i]); };
    std::sort(order.begin() + n_owned(), order.end(), [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
    for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

    GraphPoints points;
    const auto add_row = [&](const uint32_t *begin, size_t n) {
        for (size_t i = 0; i < n; ++i) points.neighbours.push_back(begin[i] == GraphPoints::skipped ? GraphPoints::skipped : place[begin[i]]);
        points.offsets.push_back(std::ssize(points.neighbours));
    };
    for (const uint32_t from : order) {
        points.keys.push_back(index_.keys()[from]);
        points.owners.push_back(owners_[from]);
        points.rings.push_back(rings_[from]);
        if (from < n_owned()) {
            add_row(own_rows_.data() + (row_begin(from) - row_begin(0)), static_cast<size_t>(row_end(from) - row_begin(from)));
        } else if (rings_[from] < desc_.rings && owners_[from] != nobody) {
            const std::vector<uint32_t> &row = ghost_rows_[from - static_cast<size_t>(n_owned())];
            add_row(row.data(), row.size());
        }
    }
    return points;
}

GraphPoints RingFinder::find() {
    together(context_, "graph", [&] { take_own_points(); });
    const bool any_knows = allreduce_max(context_, !own_rows_.empty() && desc_.owners ? 1 : 0) > 0;
    knows_owners_ = own_rows_.empty() ? any_knows : desc_.owners != nullptr; // who has no neighbours does as the others
    Terms terms;
    terms.add("rings", std::to_string(desc_.rings));
    terms.add("directory", std::to_string(desc_.directory));
    terms.add("owners", knows_owners_ ? "given" : "not given");
    agree(context_, "graph", terms);
    if (!knows_owners_) find_owners();
    Discovery discovery(context_, discovery_kind(context_), "graph");
    for (int32_t ring = 2; ring <= desc_.rings; ++ring) {
        const size_t known = index_.keys().size();
        next_ring(discovery, ring);
        const bool last = ring == desc_.rings;
        if (!last && allreduce_max(context_, index_.keys().size() > known ? 1 : 0) == 0) break; // nor has any ring farther out
    }
    return in_order();
}

} // namespace

GraphPoints find_rings(Context &context, const halo_graph_desc &desc) { return RingFinder(context, desc).find(); }

} // namespace halo
