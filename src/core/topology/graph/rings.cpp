// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/rings.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "topology/discovery.h"
#include "topology/graph/graph_keys.h"
#include "topology/keys/said_owners.h"

namespace halo {

namespace {

constexpr int32_t nobody = -1;
constexpr int32_t unknown = -2; // in a message also: no neighbour
constexpr int64_t sampled = 64; // one key in so many tells where keys lie

void check_rows(const halo_graph_desc &desc) {
    if (desc.offsets || desc.neighbours || desc.owners) fail(HALO_ERR_ARGUMENT, "graph: rows go with no offsets, neighbours, owners");
    int64_t n = 0;
    for (int64_t i = 0; i < desc.n_owned; ++i) {
        const int64_t length = desc.lengths ? desc.lengths[i] : desc.width;
        if (length < 0 || (length > 0 && !desc.rows[i]))
            fail(HALO_ERR_ARGUMENT, "graph: row of point %lld: %lld neighbours at address %p", static_cast<long long>(i),
                 static_cast<long long>(length), static_cast<const void *>(desc.rows[i]));
        check_limit("graph: neighbours", length, limits::graph_entries);
        check_limit("graph: neighbours", n += length, limits::graph_entries);
    }
}

void check_offsets(const halo_graph_desc &desc) {
    for (int64_t i = 0; i < desc.n_owned; ++i)
        if (desc.offsets[i] < 0 || desc.offsets[i] > desc.offsets[i + 1])
            fail(HALO_ERR_ARGUMENT, "graph: offsets %lld and %lld of point %lld", static_cast<long long>(desc.offsets[i]),
                 static_cast<long long>(desc.offsets[i + 1]), static_cast<long long>(i));
    if (desc.n_owned > 0) check_limit("graph: the last of offsets", desc.offsets[desc.n_owned], limits::graph_entries);
}

void check_width(const halo_graph_desc &desc) {
    if (desc.width < 0) fail(HALO_ERR_ARGUMENT, "graph: width %lld", static_cast<long long>(desc.width));
    const std::string entries = format("graph: n_owned %lld * width %lld", static_cast<long long>(desc.n_owned), static_cast<long long>(desc.width));
    (Checked(desc.n_owned) * desc.width).value(entries.c_str(), limits::graph_entries);
}

void check_tables(const halo_graph_desc &desc) {
    if (desc.rings < 1) fail(HALO_ERR_ARGUMENT, "graph: %d rings, there must be 1 or more", desc.rings);
    check_limit("graph: n_owned", desc.n_owned, limits::points);
    if (desc.n_owned < 0 || (desc.n_owned > 0 && !desc.keys))
        fail(HALO_ERR_ARGUMENT, "graph: %lld points, keys at address %p", static_cast<long long>(desc.n_owned), static_cast<const void *>(desc.keys));
    if (desc.lengths && !desc.rows && desc.n_owned > 0) fail(HALO_ERR_ARGUMENT, "graph: lengths of no rows");
    if (desc.owners && desc.owner_of) fail(HALO_ERR_ARGUMENT, "graph: owners and owner_of: one of them tells who owns neighbours");
    if (!desc.offsets && !desc.lengths) check_width(desc);
    if (desc.rows) check_rows(desc);
    if (desc.offsets) check_offsets(desc);
}

// Rows of ghosts go behind those of own points.
size_t with_room_for_ghosts(int64_t n) { return static_cast<size_t>(n + n / 8); }

DenseKeys where_own_keys_lie(const halo_graph_desc &desc) {
    uint64_t low = UINT64_MAX, high = 0;
    for (int64_t i = 0; i < desc.n_owned; i += sampled) {
        low = std::min(low, desc.keys[i]);
        high = std::max(high, desc.keys[i]);
    }
    return dense_range(low, high, static_cast<uint64_t>(desc.n_owned));
}

class RingFinder {
public:
    RingFinder(Context &context, const halo_graph_desc &desc) : context_(context), desc_(desc) {}

    FoundPoints find();

private:
    int64_t n_owned() const { return desc_.n_owned; }
    int64_t length(size_t point) const;
    uint64_t key(uint32_t point) const { return found_.index.keys()[point]; }
    size_t ghost(uint32_t point) const { return point - static_cast<size_t>(n_owned()); }
    int32_t owner(uint32_t point) const { return point < n_owned() ? context_.rank() : found_.owners[ghost(point)]; }
    // A ghost that this rank is said to own, but does not, is nobody's.
    int32_t owner_of_ghost(int32_t said) const { return said == context_.rank() ? nobody : said; }
    void check_owner(uint64_t key, int32_t owner) const;
    int32_t owner_of(uint64_t key) const;
    void check_that_entries_agree(uint32_t point, int32_t said) const;
    void compare_owners() const;
    uint32_t add_neighbour(uint64_t key, const int32_t *owner);
    void take_own_points();
    bool take_own_points_of_row(std::span<const uint64_t> neighbours, const int32_t *owners, uint32_t *to) const;
    void take_row(std::span<const uint64_t> neighbours, const int32_t *owners, uint32_t *to);
    void take_own_rows();
    void find_owners();
    void next_ring(Discovery &discovery, int32_t ring);
    std::vector<uint64_t> tables_of(const std::vector<uint64_t> &keys) const;
    void take_tables(const std::vector<uint32_t> &asked, const std::vector<uint64_t> &tables, int32_t rank, int32_t ring);
    uint32_t neighbour(uint64_t key, int32_t owner, int32_t ring);

    Context &context_;
    const halo_graph_desc &desc_;
    FoundPoints found_;
    bool skips_own_point_ = false; // the entry that leads nowhere is the key of a point
};

uint32_t RingFinder::neighbour(uint64_t key, int32_t owner, int32_t ring) {
    const auto [number, is_new] = found_.index.add(key);
    if (is_new) {
        found_.range.widen(key);
        found_.owners.push_back(owner_of_ghost(owner));
        found_.rings.push_back(ring);
    }
    return number;
}

void RingFinder::take_own_points() {
    check_tables(desc_);
    found_.index = KeyIndex(with_room_for_ghosts(n_owned()), where_own_keys_lie(desc_));
    if (const uint32_t twice = found_.index.add_first({ desc_.keys, static_cast<size_t>(n_owned()) }); twice != KeyIndex::none)
        fail(HALO_ERR_ARGUMENT, "graph: key %llu is owned twice by this rank", static_cast<unsigned long long>(desc_.keys[twice]));
    KeyRange range = no_keys;
    for (int64_t i = 0; i < n_owned(); ++i) range.widen(desc_.keys[i]);
    found_.range = range;
    take_own_rows();
}

void RingFinder::check_owner(uint64_t key, int32_t owner) const {
    if (owner < 0 || owner >= context_.size())
        fail(HALO_ERR_ARGUMENT, "graph: owner %d of neighbour %llu; there are ranks 0 to %d", owner, static_cast<unsigned long long>(key),
             context_.size() - 1);
}

int64_t RingFinder::length(size_t point) const {
    if (desc_.lengths) return desc_.lengths[point];
    return desc_.offsets ? desc_.offsets[point + 1] - desc_.offsets[point] : desc_.width;
}

int32_t RingFinder::owner_of(uint64_t key) const {
    if (!desc_.owner_of) return unknown;
    const CallRules::Callback inside(context_.call_rules(), Inside::callback, "owner_of");
    const int32_t owner = desc_.owner_of(desc_.owner_user, key);
    if (owner >= 0) check_owner(key, owner);
    return std::max(owner, nobody);
}

// With the first entry of the key, or with who owns it.
void RingFinder::check_that_entries_agree(uint32_t point, int32_t said) const {
    if (owner(point) == (point < n_owned() ? said : owner_of_ghost(said))) return;
    const int32_t before = owner(point) == nobody ? context_.rank() : owner(point);
    fail(HALO_ERR_ARGUMENT, "graph: owner %d of neighbour %llu, which %s; a key has one", said, static_cast<unsigned long long>(key(point)),
         point < n_owned() ? "this rank owns" : format("another entry gives to rank %d", before).c_str());
}

// Of own points, and of what lies around them.
void RingFinder::compare_owners() const {
    std::vector<SaidOwner> said;
    for (uint32_t point = 0; point < found_.n_points(); ++point) said.push_back({ key(point), owner(point) });
    halo::compare_owners(context_, "graph", said);
}

uint32_t RingFinder::add_neighbour(uint64_t key, const int32_t *owner) {
    if (const uint32_t number = found_.index.find(key); number != KeyIndex::none) return number;
    return neighbour(key, owner ? *owner : owner_of(key), 1);
}

// Numbers of own points that the table knows. False: something else is among them, which is to be looked at one by one.
bool RingFinder::take_own_points_of_row(std::span<const uint64_t> neighbours, const int32_t *owners, uint32_t *to) const {
    const DenseNumbers own = found_.index.dense();
    const auto n_own = static_cast<uint32_t>(n_owned());
    const int32_t rank = context_.rank();
    bool others = false;
    for (size_t i = 0; i < neighbours.size(); ++i) {
        to[i] = own.find(neighbours[i]);
        others |= to[i] >= n_own;
    }
    for (size_t i = 0; owners && i < neighbours.size(); ++i) others |= owners[i] != rank;
    return !others && !skips_own_point_;
}

void RingFinder::take_row(std::span<const uint64_t> neighbours, const int32_t *owners, uint32_t *to) {
    for (size_t i = 0; i < neighbours.size(); ++i) {
        to[i] = skipped_neighbour;
        if (desc_.has_skip && neighbours[i] == desc_.skip) continue;
        if (owners) check_owner(neighbours[i], owners[i]);
        to[i] = add_neighbour(neighbours[i], owners ? owners + i : nullptr);
        if (owners) check_that_entries_agree(to[i], owners[i]);
    }
}

void RingFinder::take_own_rows() {
    const bool of_one_width = !desc_.lengths && !desc_.offsets;
    found_.offsets = of_one_width ? RowOffsets(n_owned(), desc_.width) : RowOffsets::of(n_owned(), [&](size_t point) { return length(point); });
    const int64_t n = found_.offsets.n_entries();
    if (n > 0 && !desc_.rows && !desc_.neighbours) fail(HALO_ERR_ARGUMENT, "graph: %lld neighbours at no address", static_cast<long long>(n));
    found_.own_rows.reserve(with_room_for_ghosts(n));
    found_.own_rows.resize(static_cast<size_t>(n));
    skips_own_point_ = desc_.has_skip && found_.index.find(desc_.skip) != KeyIndex::none;
    const int64_t first = desc_.offsets && n_owned() > 0 ? desc_.offsets[0] : 0;
    for (int64_t point = 0; point < n_owned(); ++point) {
        const int64_t begin = found_.offsets.begin(point);
        const uint64_t *neighbours = desc_.rows ? desc_.rows[point] : desc_.neighbours + first + begin;
        const int32_t *owners = desc_.owners ? desc_.owners + first + begin : nullptr;
        __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(neighbours) + 2048)); // where pages end, hardware does not
        const std::span row(neighbours, static_cast<size_t>(found_.offsets.end(point) - begin));
        uint32_t *to = found_.own_rows.data() + begin;
        if (take_own_points_of_row(row, owners, to)) continue;
        take_row(row, owners, to);
        found_.border.push_back(static_cast<uint32_t>(point));
    }
}

// The directory decides who owns the ghosts: those that claim them, which can only be one.
void RingFinder::find_owners() {
    found_.owners = GraphKeys(found_, context_).find_owners();
    found_.knows_owners = true;
}

// For each key: the length of its row, or -1 where it is not owned here; then the row, with the owner behind each neighbour.
std::vector<uint64_t> RingFinder::tables_of(const std::vector<uint64_t> &keys) const {
    std::vector<uint64_t> tables;
    for (const uint64_t asked : keys) {
        const uint32_t point = found_.index.find(asked);
        if (point >= n_owned()) {
            tables.push_back(UINT64_MAX);
            continue;
        }
        const auto begin = static_cast<size_t>(found_.offsets.begin(point)), end = static_cast<size_t>(found_.offsets.end(point));
        tables.push_back(end - begin);
        for (size_t i = begin; i < end; ++i) {
            const uint32_t number = found_.own_rows[i];
            const bool skip = number == skipped_neighbour;
            tables.push_back(skip ? 0 : key(number));
            tables.push_back(static_cast<uint64_t>(int64_t{ skip ? unknown : owner(number) }));
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
            found_.owners[ghost(point)] = nobody;
            continue;
        }
        if (length > (tables.size() - at) / 2) cut_off();
        std::vector<uint32_t> row;
        for (uint64_t i = 0; i < length; ++i, at += 2) {
            const auto owner = static_cast<int32_t>(static_cast<int64_t>(tables[at + 1]));
            row.push_back(owner == unknown ? skipped_neighbour : neighbour(tables[at], owner, ring));
        }
        found_.rows.resize(found_.rings.size());
        found_.rows[ghost(point)] = std::move(row);
    }
}

// Asks the owners of the ring before for their tables.
void RingFinder::next_ring(Discovery &discovery, int32_t ring) {
    std::map<int32_t, std::vector<uint32_t>> ask;
    for (size_t i = 0; i < found_.rings.size(); ++i)
        if (found_.rings[i] == ring - 1 && found_.owners[i] >= 0)
            ask[found_.owners[i]].push_back(static_cast<uint32_t>(static_cast<size_t>(n_owned()) + i));
    const auto keys_of = [&](const std::vector<uint32_t> &points) {
        std::vector<uint64_t> keys;
        keys.reserve(points.size());
        for (const uint32_t point : points) keys.push_back(key(point));
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

FoundPoints RingFinder::find() {
    together(context_, "graph", [&] { take_own_points(); });
    found_.n_rings = desc_.rings;
    found_.directory = desc_.directory;
    const bool has_rows = found_.offsets.n_entries() > 0;
    const bool knows = desc_.owners || desc_.owner_of;
    const bool any_knows = allreduce_max(context_, has_rows && knows ? 1 : 0) > 0;
    found_.knows_owners = has_rows ? knows : any_knows; // who has no neighbours does as the others
    Terms terms;
    terms.add("rings", std::to_string(desc_.rings));
    terms.add("directory", std::to_string(desc_.directory));
    terms.add("owners", found_.knows_owners ? "given" : "not given");
    agree(context_, "graph", terms);
    if (found_.knows_owners && context_.check_mode()) compare_owners();
    if (!found_.knows_owners && desc_.rings > 1) find_owners();
    Discovery discovery(context_, discovery_kind(context_), "graph");
    for (int32_t ring = 2; ring <= desc_.rings; ++ring) {
        const size_t known = found_.rings.size();
        next_ring(discovery, ring);
        const bool last = ring == desc_.rings;
        if (!last && allreduce_max(context_, found_.rings.size() > known ? 1 : 0) == 0) break; // nor has any ring farther out
    }
    return std::move(found_);
}

} // namespace

FoundPoints find_rings(Context &context, const halo_graph_desc &desc) { return RingFinder(context, desc).find(); }

} // namespace halo
