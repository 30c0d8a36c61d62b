// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/rows.h"

#include "base/bytes.h"
#include "base/error.h"
#include "mesh/packing.h"

namespace halo {

namespace {

constexpr uint32_t nowhere = UINT32_MAX;
constexpr size_t named_bytes = sizeof(uint64_t) + sizeof(int32_t); // a key and its owner

// Where an entity leads by all maps of its set, and itself before that.
size_t row_entries(const MeshDescription &mesh, size_t set) {
    size_t entries = 1;
    for (const size_t m : mesh.sets[set].maps_from) entries += mesh.maps[m].arity;
    return entries;
}

// One message: of each set the keys and owners of what rows name, each once; then of each set its rows, of places among those.
class RowPacker {
public:
    RowPacker(const MeshDescription &mesh, const KnownMesh &known) : mesh_(mesh), known_(known), named_(mesh.sets.size(), KeyIndex(0)) {}

    std::vector<std::byte> pack(const std::vector<std::vector<uint32_t>> &rows_of_sets);

private:
    uint32_t name(size_t set, uint32_t number) { return named_[set].add(number).first; }
    void add_row(size_t set, uint32_t entity);

    const MeshDescription &mesh_;
    const KnownMesh &known_;
    std::vector<KeyIndex> named_; // numbers of what is known
    std::vector<uint32_t> entries_;
};

void RowPacker::add_row(size_t set, uint32_t entity) {
    entries_.push_back(name(set, entity));
    for (const size_t m : mesh_.sets[set].maps_from)
        for (const uint32_t target : known_.row(mesh_, m, known_.sets[set].row_of(entity)))
            entries_.push_back(target == KnownSet::none ? nowhere : name(mesh_.maps[m].to, target));
}

std::vector<std::byte> RowPacker::pack(const std::vector<std::vector<uint32_t>> &rows_of_sets) {
    size_t n_entries = 0;
    for (size_t s = 0; s < rows_of_sets.size(); ++s) n_entries += rows_of_sets[s].size() * row_entries(mesh_, s);
    entries_.reserve(n_entries);
    for (size_t s = 0; s < rows_of_sets.size(); ++s)
        for (const uint32_t entity : rows_of_sets[s]) add_row(s, entity);

    size_t n_bytes = 2 * rows_of_sets.size() * sizeof(uint64_t) + n_entries * sizeof(uint32_t);
    for (const KeyIndex &numbers : named_) n_bytes += numbers.keys().size() * named_bytes;
    Packer message(n_bytes);
    for (size_t s = 0; s < named_.size(); ++s) {
        message.add(uint64_t{ named_[s].keys().size() });
        for (const uint64_t number : named_[s].keys()) {
            message.add(known_.sets[s].key(static_cast<uint32_t>(number)));
            message.add(known_.sets[s].owners[number]);
        }
    }
    for (const std::vector<uint32_t> &rows : rows_of_sets) message.add(uint64_t{ rows.size() });
    message.add(std::span<const uint32_t>(entries_));
    return message.take();
}

class RowTaker {
public:
    RowTaker(const MeshDescription &mesh, KnownMesh &known, const Delivery &came, const Receiver &receiver)
        : mesh_(mesh),
          known_(known),
          receiver_(receiver),
          message_(came, receiver.n_ranks),
          named_(mesh.sets.size()) {}

    std::vector<std::vector<uint32_t>> take();

private:
    uint32_t take_named(size_t set);
    uint32_t take_row(size_t set);

    const MeshDescription &mesh_;
    KnownMesh &known_;
    Receiver receiver_;
    Unpacker message_;
    std::vector<std::vector<uint32_t>> named_; // numbers, by place in the message
};

uint32_t RowTaker::take_named(size_t set) {
    KnownSet &of = known_.sets[set];
    const auto key = message_.next<uint64_t>();
    const int32_t owner = message_.next_rank();
    const uint32_t number = of.add(key, owner);
    if (of.owners[number] != owner)
        fail(HALO_ERR_WIRE, "mesh: rank %d says that rank %d owns entity %llu, which rank %d does", message_.from(), owner,
             static_cast<unsigned long long>(key), of.owners[number]);
    return number;
}

uint32_t RowTaker::take_row(size_t set) {
    const uint32_t entity = named_[set][message_.next_place(named_[set].size())];
    if (const int32_t owner = known_.sets[set].owners[entity]; (owner == receiver_.rank) != receiver_.takes_own)
        fail(HALO_ERR_WIRE, "mesh: rank %d sends the row of entity %llu of set %s, which rank %d owns", message_.from(),
             static_cast<unsigned long long>(known_.sets[set].key(entity)), mesh_.sets[set].name.c_str(), owner);
    const bool is_new = !known_.sets[set].has_row(entity);
    if (is_new) known_.sets[set].add_row(entity);
    for (const size_t m : mesh_.sets[set].maps_from) {
        const std::vector<uint32_t> &targets = named_[mesh_.maps[m].to];
        for (size_t i = 0; i < mesh_.maps[m].arity; ++i) {
            const uint32_t place = message_.next_place(targets.size(), nowhere);
            if (is_new) known_.rows[m].push_back(place == nowhere ? KnownSet::none : targets[place]);
        }
    }
    return entity;
}

std::vector<std::vector<uint32_t>> RowTaker::take() {
    for (size_t s = 0; s < named_.size(); ++s)
        for (uint64_t n = message_.next_count(named_bytes); n > 0; --n) named_[s].push_back(take_named(s));
    std::vector<uint64_t> n_rows;
    for (size_t s = 0; s < named_.size(); ++s) n_rows.push_back(message_.next_count(row_entries(mesh_, s) * sizeof(uint32_t)));
    std::vector<std::vector<uint32_t>> entities(named_.size());
    for (size_t s = 0; s < named_.size(); ++s) {
        entities[s].reserve(n_rows[s]);
        for (uint64_t n = n_rows[s]; n > 0; --n) entities[s].push_back(take_row(s));
    }
    message_.end();
    return entities;
}

} // namespace

std::vector<uint32_t> &list_for(RowLists &lists, const MeshDescription &mesh, int32_t rank, size_t set) {
    auto &of_sets = lists[rank];
    of_sets.resize(mesh.sets.size());
    return of_sets[set];
}

std::vector<Delivery> pack_rows(const MeshDescription &mesh, const KnownMesh &known, const RowLists &lists) {
    std::vector<Delivery> out;
    for (const auto &[rank, rows_of_sets] : lists) out.push_back({ rank, RowPacker(mesh, known).pack(rows_of_sets) });
    return out;
}

std::vector<std::vector<uint32_t>> take_rows(const MeshDescription &mesh, KnownMesh &known, const Delivery &came, const Receiver &receiver) {
    return RowTaker(mesh, known, came, receiver).take();
}

} // namespace halo
