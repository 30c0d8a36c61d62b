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

LocalMap map_locally(const MeshDescription &mesh, const KnownMesh &known, size_t m, const LocalOrder &from, const LocalOrder &to) {
    LocalMap map;
    map.arity = static_cast<int32_t>(mesh.maps[m].arity);
    map.n_rows = from.set.layer_ends.back();
    map.to.reserve(static_cast<size_t>(map.n_rows) * mesh.maps[m].arity);
    const KnownSet &set = known.sets[mesh.maps[m].from];
    for (int64_t i = 0; i < map.n_rows; ++i)
        for (const uint32_t target : known.row(mesh, m, set.row_of(from.numbers[static_cast<size_t>(i)])))
            map.to.push_back(target == KnownSet::none ? HALO_NO_INDEX : to.indices[target]);
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

void Mesh::make_local(const MeshDescription &mesh, const KnownMesh &known, std::vector<Moved> moved) {
    std::vector<LocalOrder> orders;
    for (size_t s = 0; s < mesh.sets.size(); ++s) orders.push_back(order_locally(mesh, known, s, context_.rank()));
    for (size_t m = 0; m < mesh.maps.size(); ++m) maps_.push_back(map_locally(mesh, known, m, orders[mesh.maps[m].from], orders[mesh.maps[m].to]));
    for (size_t s = 0; s < mesh.sets.size(); ++s) {
        for (auto &[from, numbers] : moved[s].here)
            for (uint32_t &number : numbers) number = orders[s].indices[number];
        orders[s].set.moved = std::move(moved[s]);
        orders[s].set.brought = std::move(orders[s].indices); // numbers begin with what was brought
        orders[s].set.brought.resize(mesh.sets[s].keys.size());
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

std::unique_ptr<Topology> Mesh::topology(int32_t number) const {
    Terms terms;
    terms.add("set", std::to_string(number));
    agree(context_, "mesh topology", terms); // else keys of two sets would be taken for the same
    const LocalSet &local = set(number);
    std::vector<int32_t> flags(local.keys.size(), HALO_KEY_WANT);
    std::fill_n(flags.begin(), local.layer_ends[0], 0);
    std::vector<uint32_t> groups(local.keys.size(), 0);
    std::ranges::copy(local.groups, groups.begin() + local.layer_ends[0]);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(local.keys);
    desc.keys = local.keys.data();
    desc.flags = flags.data();
    desc.owners = local.owners.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    auto topology = std::make_unique<KeysTopology>(context_, desc);
    topology->set_sections(groups);
    return topology;
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
