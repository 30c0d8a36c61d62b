// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/mesh.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "mesh/local_order.h"
#include "mesh/owners.h"
#include "topology/keys/keys.h"

namespace halo {

namespace {

// Rows are taken out of what is known. Those that were brought lie by number.
LocalMap map_locally(const MeshDescription &mesh, KnownMesh &known, size_t m, const LocalOrder &from, const LocalOrder &to) {
    LocalMap map;
    map.name = mesh.maps[m].name;
    map.from = static_cast<int32_t>(mesh.maps[m].from);
    map.into = static_cast<int32_t>(mesh.maps[m].to);
    map.arity = static_cast<int32_t>(mesh.maps[m].arity);
    map.n_rows = from.set.layer_ends.back();
    map.to = std::move(known.rows[m]);
    const KnownSet &set = known.sets[mesh.maps[m].from];
    const auto core_end = from.numbers.begin() + from.set.n_core;
    const auto n_in_place = static_cast<size_t>(std::lower_bound(from.numbers.begin(), core_end, set.n_brought()) - from.numbers.begin());
    put_in_order(
        map.to, mesh.maps[m].arity, static_cast<size_t>(map.n_rows), n_in_place, [&](size_t i) { return set.row_of(from.numbers[i]); },
        [&](uint32_t target) { return target == KnownSet::none ? HALO_NO_INDEX : to.indices[target]; });
    return map;
}

// Values of so many bytes, as they lie in a message.
std::vector<std::byte> gather(const std::byte *from, const std::vector<uint32_t> &places, size_t bytes) {
    std::vector<std::byte> values(places.size() * bytes);
    for (size_t i = 0; i < places.size(); ++i) std::memcpy(values.data() + i * bytes, from + places[i] * bytes, bytes);
    return values;
}

void scatter(const std::byte *values, std::byte *to, const std::vector<uint32_t> &places, size_t bytes) {
    for (size_t i = 0; i < places.size(); ++i) std::memcpy(to + places[i] * bytes, values + i * bytes, bytes);
}

// From the places `out` for each other rank to the places `in` of what comes.
void move_values(Context &context, const std::map<int32_t, std::vector<uint32_t>> &out, const std::byte *from,
                 const std::map<int32_t, std::vector<uint32_t>> &in, std::byte *to, size_t bytes) {
    std::vector<Delivery> leaving;
    std::vector<int32_t> ranks;
    for (const auto &[rank, places] : out) leaving.push_back({ rank, gather(from, places, bytes) });
    for (const auto &[rank, places] : in) ranks.push_back(rank);
    const std::vector<Delivery> came = Discovery(context, discovery_kind(context), "mesh values").answer(std::move(leaving), ranks);
    for (const Delivery &delivery : came) {
        const std::vector<uint32_t> &places = in.at(delivery.rank);
        if (delivery.bytes.size() != places.size() * bytes)
            fail(HALO_ERR_WIRE, "mesh: rank %d sends %zu bytes of values, %zu of %zu bytes are wanted", delivery.rank, delivery.bytes.size(),
                 places.size(), bytes);
        scatter(delivery.bytes.data(), to, places, bytes);
    }
}

} // namespace

Mesh::Mesh(Context &context, FunctionRef<MeshDescription()> describe) : context_(context), id_(context.next_topology()) {
    MeshDescription mesh;
    KnownMesh known;
    together(context, "mesh", [&] {
        mesh = describe();
        known.add_brought(mesh);
    });
    agree(context, "mesh", mesh.terms());
    depth_ = mesh.depth;
    find_owners(context, mesh, known);
    std::vector<Moved> moved = move_to_owners(context, mesh, known);
    lay_layers(context, mesh, known);
    together(context, "mesh", [&] { make_local(mesh, known, std::move(moved)); });
    ++context_.children;
}

void Mesh::make_local(const MeshDescription &mesh, KnownMesh &known, std::vector<Moved> moved) {
    std::vector<LocalOrder> orders;
    for (size_t s = 0; s < mesh.sets.size(); ++s) orders.push_back(order_locally(mesh, known, s, context_.rank()));
    for (size_t m = 0; m < mesh.maps.size(); ++m) maps_.push_back(map_locally(mesh, known, m, orders[mesh.maps[m].from], orders[mesh.maps[m].to]));
    for (size_t s = 0; s < mesh.sets.size(); ++s) {
        for (auto &[from, numbers] : moved[s].here)
            for (uint32_t &number : numbers) number = orders[s].indices[number];
        orders[s].set.name = mesh.sets[s].name;
        orders[s].set.moved = std::move(moved[s]);
        orders[s].set.brought = std::move(orders[s].indices); // numbers begin with what was brought
        orders[s].set.brought.resize(mesh.sets[s].keys.size());
        if (orders[s].set.brought.capacity() > 2 * orders[s].set.brought.size()) orders[s].set.brought.shrink_to_fit(); // the table of spread keys
        sets_.push_back(std::move(orders[s].set));
    }
}

const LocalSet &Mesh::set(int32_t number) const {
    if (number < 0 || number >= std::ssize(sets_)) fail(HALO_ERR_ARGUMENT, "mesh: set %d; there are %zu", number, sets_.size());
    return sets_[static_cast<size_t>(number)];
}

const LocalMap &Mesh::map(int32_t number) const {
    if (number < 0 || number >= std::ssize(maps_)) fail(HALO_ERR_ARGUMENT, "mesh: map %d; there are %zu", number, maps_.size());
    return maps_[static_cast<size_t>(number)];
}

const Columns &Mesh::columns(int32_t number) const {
    if (number < 0 || number >= std::ssize(columns_)) fail(HALO_ERR_ARGUMENT, "mesh: columns %d; there are %zu", number, columns_.size());
    return columns_[static_cast<size_t>(number)];
}

void Mesh::agree_that(const char *what, const char *item, int32_t number) const {
    Terms terms;
    terms.add(item, std::to_string(number));
    agree(context_, what, terms);
}

std::unique_ptr<Topology> Mesh::topology(int32_t number) const {
    agree_that("mesh topology", "set", number); // else keys of two sets would be taken for the same
    const LocalSet &local = set(number);
    return stored_topology(local.keys, local.n_owned(), local.owners, local.groups);
}

std::unique_ptr<Topology> Mesh::stored_topology(std::span<const uint64_t> keys, size_t n_owned, std::span<const int32_t> owners,
                                                std::span<const uint32_t> groups_of_ghosts) const {
    std::vector<int32_t> flags(keys.size(), HALO_KEY_WANT);
    std::fill_n(flags.begin(), n_owned, 0);
    std::vector<uint32_t> groups(keys.size(), 0);
    std::ranges::copy(groups_of_ghosts, groups.begin() + static_cast<std::ptrdiff_t>(n_owned));
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(keys);
    desc.keys = keys.data();
    desc.flags = flags.data();
    desc.owners = owners.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    auto topology = std::make_unique<KeysTopology>(context_, desc);
    topology->set_sections(groups);
    return topology;
}

std::unique_ptr<Topology> Mesh::target_topology(int32_t number, const uint64_t *targets, int64_t n) const {
    agree_that("mesh targets", "set", number);
    const LocalSet &local = set(number);
    together(context_, "mesh targets", [&] {
        check_limit("mesh targets: n", n, limits::points);
        if (n < 0 || (n > 0 && !targets))
            fail(HALO_ERR_ARGUMENT, "mesh targets: %lld keys at address %p", static_cast<long long>(n), static_cast<const void *>(targets));
    });
    const size_t n_owned = local.n_owned();
    std::vector<uint64_t> keys(local.keys.begin(), local.keys.begin() + static_cast<std::ptrdiff_t>(n_owned));
    std::vector<int32_t> flags(n_owned, HALO_KEY_CLAIM);
    keys.insert(keys.end(), targets, targets + n);
    flags.resize(keys.size(), HALO_KEY_WANT);
    const int64_t offsets[] = { 0, static_cast<int64_t>(n_owned), std::ssize(keys) };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.owner_rule = HALO_OWNER_CLAIM;
    desc.n_keys = std::ssize(keys);
    desc.keys = keys.data();
    desc.flags = flags.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.n_parts = 2;
    desc.part_offsets = offsets;
    auto topology = std::make_unique<KeysTopology>(context_, desc);
    together(context_, "mesh targets", [&] {
        const halo_keys_report report = topology->report();
        if (report.n_unclaimed_here > 0)
            fail(HALO_ERR_ARGUMENT, "mesh targets: rank %d names entity %llu, which is none of set %s", context_.rank(),
                 static_cast<unsigned long long>(report.unclaimed[0]), local.name.c_str());
    });
    return topology;
}

int32_t Mesh::add_columns(int32_t number, int32_t n_layers, const int32_t *layers) {
    columns_.reserve(columns_.size() + 1);
    agree_that("mesh columns", "set", number);
    const LocalSet &base = set(number);
    columns_.push_back(make_columns(context_, base, n_layers, { layers, layers ? base.n_owned() : 0 }));
    columns_.back().set = number;
    return static_cast<int32_t>(columns_.size()) - 1;
}

std::unique_ptr<Topology> Mesh::column_topology(int32_t number) const {
    agree_that("mesh column topology", "columns", number);
    const Columns &stacked = columns(number);
    const LocalSet &base = set(stacked.set);
    std::vector<uint64_t> keys;
    std::vector<int32_t> owners;
    std::vector<uint32_t> groups;
    const auto n_points = static_cast<size_t>(stacked.starts.back());
    keys.reserve(n_points);
    owners.reserve(n_points);
    for (size_t i = 0; i < base.keys.size(); ++i) {
        const int64_t layers = stacked.layers(i);
        for (int64_t layer = 0; layer < layers; ++layer) keys.push_back(stacked.firsts[i] + static_cast<uint64_t>(layer));
        owners.resize(keys.size(), base.owners[i]);
        if (i >= base.n_owned()) groups.resize(groups.size() + static_cast<size_t>(layers), base.groups[i - base.n_owned()]);
    }
    return stored_topology(keys, static_cast<size_t>(stacked.starts[base.n_owned()]), owners, groups);
}

std::vector<uint32_t> Mesh::column_map(int32_t number, int32_t from, int32_t to, std::span<const halo_column_entry> entries) const {
    const LocalMap &base = map(number);
    const Columns &leading = columns(from), &led_to = columns(to);
    if (leading.set != base.from || led_to.set != base.into)
        fail(HALO_ERR_ARGUMENT, "mesh columns: map %s leads from set %d to set %d, the columns stand over sets %d and %d", base.name.c_str(),
             base.from, base.into, leading.set, led_to.set);
    return map_columns(base, set(leading.set), leading, led_to, entries);
}

size_t Mesh::check_values(int32_t number, const std::byte *brought, const std::byte *local, int64_t bytes) const {
    Terms terms;
    terms.add("set", std::to_string(number));
    terms.add("bytes of a value", std::to_string(bytes));
    agree(context_, "mesh values", terms);
    together(context_, "mesh values", [&] {
        const LocalSet &here = set(number);
        if (bytes < 1) fail(HALO_ERR_ARGUMENT, "mesh values: %lld bytes each", static_cast<long long>(bytes));
        check_limit("mesh values: the bytes of each", bytes, limits::element_bytes);
        if (!here.brought.empty() && !brought)
            fail(HALO_ERR_ARGUMENT, "mesh values: this rank has brought %zu entities, 'brought' is NULL", here.brought.size());
        if (here.n_owned() > 0 && !local) fail(HALO_ERR_ARGUMENT, "mesh values: this rank owns %u entities, 'local' is NULL", here.n_owned());
    });
    return static_cast<size_t>(bytes);
}

void Mesh::distribute(int32_t number, const std::byte *brought, std::byte *local, int64_t bytes_of_each) const {
    const size_t bytes = check_values(number, brought, local, bytes_of_each);
    const LocalSet &here = set(number);
    for (size_t position = 0; position < here.brought.size(); ++position)
        if (here.brought[position] < here.n_owned()) std::memcpy(local + here.brought[position] * bytes, brought + position * bytes, bytes);
    move_values(context_, here.moved.away, brought, here.moved.here, local, bytes);
}

void Mesh::collect(int32_t number, const std::byte *local, std::byte *brought, int64_t bytes_of_each) const {
    const size_t bytes = check_values(number, brought, local, bytes_of_each);
    const LocalSet &here = set(number);
    for (size_t position = 0; position < here.brought.size(); ++position)
        if (here.brought[position] < here.n_owned()) std::memcpy(brought + position * bytes, local + here.brought[position] * bytes, bytes);
    move_values(context_, here.moved.here, local, here.moved.away, brought, bytes);
}

} // namespace halo
