// SPDX-License-Identifier: BSD-3-Clause
// Any description of the C interface, on one rank: it is refused by an error with a text, or what it makes can be asked, used and destroyed.
// Lists have their true length or one that no list can have: that a pointer leads to as many values as the caller says, nobody can check.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "halo_access.h"

namespace {

constexpr int64_t most_bytes = 1 << 16; // of storage: larger parts are described, but not filled

void check(bool holds) {
    if (!holds) std::abort();
}

// An error has a text; a defect of the library is none.
bool made(halo_status status) {
    check(status >= HALO_SUCCESS && status != HALO_ERR_INTERNAL);
    check(status == HALO_SUCCESS || *halo_last_error());
    return status == HALO_SUCCESS;
}

template <class Handle>
void destroy(halo_status (*call)(Handle **), Handle *handle) {
    if (handle) check(call(&handle) == HALO_SUCCESS);
}

class Input {
public:
    Input(const unsigned char *data, size_t bytes) : data_(data, bytes) {}

    bool flip() { return (data_.ConsumeIntegral<uint8_t>() & 1) != 0; }
    int32_t pick(int32_t least, int32_t most) { return data_.ConsumeIntegralInRange(least, most); }
    // A constant of some list of `n`, or hardly ever another number.
    int32_t choice(int32_t n, int32_t first = 0) { return rarely() ? integer() : pick(first, first + n - 1); }
    // A length or width that may be meant, or hardly ever one that cannot.
    int64_t size(int64_t most = 6) {
        static constexpr std::array<int64_t, 10> extremes{
            INT64_MIN,     -1,       INT32_MAX, int64_t{ 1 } << 31, int64_t{ 1 } << 32, int64_t{ 1 } << 40, int64_t{ 1 } << 61, int64_t{ 1 } << 62,
            INT64_MAX - 1, INT64_MAX
        };
        return rarely() ? data_.PickValueInArray(extremes) : data_.ConsumeIntegralInRange<int64_t>(0, most);
    }
    // Of a list that has `n` values.
    int64_t length(int64_t n) {
        const int64_t given = size(n);
        return given > n && given <= int64_t{ 1 } << 32 ? n : given;
    }
    int32_t narrow(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)); }
    int32_t width(int32_t most = 3) { return narrow(size(most)); }
    template <class T, size_t n>
    std::array<T, n> values(T least, T most) {
        std::array<T, n> all;
        for (T &value : all) value = rarely() ? data_.ConsumeIntegral<T>() : data_.ConsumeIntegralInRange<T>(least, most);
        return all;
    }
    // A struct of another version, hardly ever.
    template <class Desc>
    void version(Desc &desc) {
        if (rarely()) desc.struct_size = data_.ConsumeIntegralInRange<size_t>(0, sizeof desc);
        if (!rarely()) return;
        const int32_t layout = integer(); // stands behind struct_size in all of them
        std::memcpy(reinterpret_cast<char *>(&desc) + sizeof desc.struct_size, &layout, sizeof layout);
    }

private:
    bool rarely() { return data_.ConsumeIntegral<uint8_t>() >= 240; }
    int32_t integer() { return data_.ConsumeIntegral<int32_t>(); }

    FuzzedDataProvider data_;
};

halo_context *the_context() {
    static halo_context *context = [] {
        halo_inproc *group = nullptr;
        halo_context *opened = nullptr;
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        const halo_setting settings[] = { { "pool.cap", "64MiB" }, { "timeout", "1s" } };
        options.settings = settings, options.n_settings = 2, options.log = [](void *, int32_t, const char *) {};
        check(halo_inproc_create(1, &group) == HALO_SUCCESS && halo_context_create_inproc(group, 0, &options, &opened) == HALO_SUCCESS);
        return opened;
    }();
    return context;
}

halo_topology *blocks(Input &in) {
    const auto owner = in.values<int32_t, 8>(0, 0);
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = in.choice(3, 1);
    for (int d = 0; d < 3; ++d) desc.n_blocks[d] = in.size(3), desc.n_cells[d] = in.size(), desc.periodic[d] = in.choice(2);
    desc.order = in.choice(2);
    if (in.flip()) desc.owner = owner.data(), desc.n_owner = in.length(8);
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_blocks(the_context(), &desc, &topology));
    return topology;
}

halo_box box(Input &in) {
    halo_box made_box;
    const auto low = in.values<int64_t, 3>(0, 3);
    const auto high = in.values<int64_t, 3>(0, 4);
    for (int d = 0; d < 3; ++d) made_box.low[d] = low[d], made_box.high[d] = high[d];
    return made_box;
}

halo_topology *boxes(Input &in) {
    std::array<halo_box, 3> list;
    for (halo_box &one : list) one = box(in);
    const auto owner = in.values<int32_t, 3>(0, 0);
    const auto priority = in.values<int32_t, 3>(-1, 2);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = in.choice(3, 1);
    desc.domain = in.flip() ? halo_box{ { 0, 0, 0 }, { 4, 4, 4 } } : box(in);
    for (int32_t &periodic : desc.periodic) periodic = in.choice(2);
    desc.distributed = in.choice(2);
    if (in.flip()) desc.boxes = list.data(), desc.n_boxes = in.length(3);
    if (in.flip()) desc.owner = owner.data();
    if (in.flip()) desc.priority = priority.data();
    desc.reach = in.width();
    desc.n_parts_per_rank = in.width();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_boxes(the_context(), &desc, &topology));
    return topology;
}

halo_topology *regions(Input &in) {
    const auto cells = in.values<int64_t, 6>(1, 4);
    const auto owner = in.values<int32_t, 2>(0, 0);
    std::array<halo_join, 2> joins;
    for (halo_join &join : joins) {
        join.send_gid = in.size(1), join.recv_gid = in.size(1), join.send = box(in), join.receive = box(in);
        for (int d = 0; d < 3; ++d) {
            if (in.flip()) join.receive.low[d] = -1, join.receive.high[d] = 0;
            join.axis[d] = in.choice(3), join.sign[d] = in.flip() ? 1 : -1;
        }
    }
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = in.choice(3, 1), desc.cells = cells.data(), desc.n_parts = in.length(2), desc.joins = joins.data(), desc.n_joins = in.length(2);
    desc.reach = in.width();
    if (in.flip()) desc.owner = owner.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_regions(the_context(), &desc, &topology));
    return topology;
}

halo_topology *edited(Input &in, halo_topology *from) {
    const auto remove = in.values<int64_t, 3>(0, 5);
    const auto add = in.values<uint64_t, 3>(0, 9);
    const auto flags = in.values<int32_t, 3>(0, 15);
    halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
    edit.n_remove = in.length(3), edit.remove = remove.data(), edit.n_add = in.length(3), edit.add = add.data();
    if (in.flip()) edit.flags = flags.data();
    in.version(edit);
    halo_topology *topology = nullptr;
    if (!made(halo_topology_edit_keys(from, &edit, &topology))) return from;
    destroy(halo_topology_destroy, from);
    return topology;
}

halo_topology *keys(Input &in) {
    const auto list = in.values<uint64_t, 6>(0, 9);
    const auto flags = in.values<int32_t, 6>(0, 15);
    const auto weights = in.values<int64_t, 6>(-3, 3);
    const auto owners = in.values<int32_t, 6>(0, 0);
    auto offsets = in.values<int64_t, 4>(0, 6);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.owner_rule = in.choice(4), desc.numbering = in.choice(3), desc.directory = in.choice(3), desc.editable = in.choice(2);
    desc.n_keys = in.length(6), desc.keys = list.data();
    if (in.flip()) desc.flags = flags.data();
    if (in.flip()) desc.weights = weights.data();
    if (in.flip()) desc.owners = owners.data();
    if (in.flip()) desc.n_parts = in.narrow(in.length(3)), desc.part_offsets = offsets.data();
    if (in.flip()) desc.numbering = HALO_NUMBERING_AS_GIVEN, desc.editable = 0, offsets[0] = 0, offsets[1] = desc.n_keys;
    in.version(desc);
    halo_topology *topology = nullptr;
    if (made(halo_topology_create_keys(the_context(), &desc, &topology)) && in.flip()) topology = edited(in, topology);
    return topology;
}

halo_topology *graph(Input &in) {
    const auto points = in.values<uint64_t, 4>(0, 9);
    const auto neighbours = in.values<uint64_t, 12>(0, 9);
    const auto owners = in.values<int32_t, 12>(0, 0);
    auto offsets = in.values<int64_t, 5>(0, 12);
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = in.width(), desc.n_owned = in.length(4), desc.keys = points.data(), desc.neighbours = neighbours.data();
    desc.width = in.length(3), desc.has_skip = in.choice(2), desc.skip = 3, desc.directory = in.choice(3);
    for (int64_t &offset : offsets) offset = std::min<int64_t>(offset, 12);
    if (in.flip()) desc.offsets = offsets.data();
    if (in.flip()) desc.owners = owners.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_graph(the_context(), &desc, &topology));
    return topology;
}

// Few points, or more than there can be.
int64_t points(Input &in) {
    const int64_t given = in.size();
    return given > 6 && given < int64_t{ 1 } << 32 ? 6 : given;
}

halo_topology *star(Input &in) {
    const auto leaves = in.values<uint32_t, 4>(0, 6);
    const auto ranks = in.values<int32_t, 4>(0, 0);
    const auto indices = in.values<uint32_t, 4>(0, 6);
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.sharers = in.choice(2), desc.n_points = points(in), desc.n_leaves = in.length(4), desc.ranks = ranks.data(), desc.indices = indices.data();
    if (in.flip()) desc.leaves = leaves.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_star(the_context(), &desc, &topology));
    return topology;
}

halo_topology *lists(Input &in) {
    const auto peers = in.values<int32_t, 2>(0, 0);
    const auto send = in.values<uint32_t, 4>(0, 6);
    const auto receive = in.values<uint32_t, 4>(0, 6);
    std::array<std::array<int64_t, 3>, 2> offsets;
    for (auto &list : offsets)
        for (int64_t &offset : list) offset = in.length(4);
    halo_lists_desc desc = HALO_LISTS_DESC_INIT;
    desc.n_peers = in.narrow(in.length(2)), desc.n_points = points(in), desc.peers = peers.data(), desc.sharers = in.choice(2);
    for (int64_t &offset : offsets[0]) // the list that is sent may be as long as its offsets say
        if (offset > 4) offset = 4;
    desc.send_offsets = offsets[0].data(), desc.send = send.data(), desc.receive_offsets = offsets[1].data(), desc.receive = receive.data();
    if (desc.n_points > 4)
        for (int64_t &offset : offsets[1]) offset = std::min<int64_t>(offset, 4);
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_lists(the_context(), &desc, &topology));
    return topology;
}

// A field of any description; its storage, where there is little, is the library's or bound with any layout.
halo_field *field_on(Input &in, halo_topology *topology, bool &runs) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = in.choice(7, 1), desc.element_bytes = in.size(), desc.n_components = in.width(4), desc.centring = in.choice(10);
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = in.width(2), desc.ghost_high[d] = in.width(2);
    desc.sparse = in.choice(2), desc.n_sets = in.choice(2, 1), desc.vector = in.choice(2);
    desc.threshold = in.pick(-1, 3), desc.fill = in.pick(-1, 1);
    in.version(desc);
    halo_field *field = nullptr;
    if (!made(halo_field_create(topology, &desc, &field))) return nullptr;
    const int64_t *gids = nullptr;
    int64_t n = 0;
    check(halo_topology_local_parts(topology, &gids, &n) == HALO_SUCCESS);
    for (int64_t i = 0; i < n; ++i) {
        halo_layout layout = HALO_LAYOUT_INIT;
        check(halo_field_layout(field, gids[i], &layout) == HALO_SUCCESS);
        const int64_t bytes = desc.type == HALO_BYTES ? desc.element_bytes : 16;
        if (in.pick(0, 7) == 0) {
            layout.elements = in.size(2000), layout.first_owned = in.size(), layout.component_stride = in.size(100),
            layout.place_stride = in.size(100);
            for (int64_t &stride : layout.stride) stride = in.size(30);
            halo_binding binding = HALO_BINDING_INIT;
            binding.layout = &layout, binding.set = in.choice(2), binding.memory = in.choice(2);
            in.version(layout);
            in.version(binding);
            made(halo_field_bind(field, gids[i], &binding)); // without storage: what is bound next has this layout
            layout = HALO_LAYOUT_INIT;
            check(halo_field_layout(field, gids[i], &layout) == HALO_SUCCESS);
        }
        if (layout.elements > most_bytes / bytes)
            runs = false;
        else
            made(halo_field_allocate(field, gids[i]));
        int64_t n_boundaries = 0;
        int32_t n_rim = 0;
        halo_box interior, rim[6];
        made(halo_field_interior_rim(field, gids[i], in.width(), &interior, rim, &n_rim));
        if (runs) made(halo_field_boundaries(field, gids[i], nullptr, 0, &n_boundaries));
    }
    return field;
}

void run(Input &in, halo_exchange *exchange) {
    const auto mask = in.values<int32_t, 2>(0, 1);
    const auto sets = in.values<int32_t, 2>(0, 1);
    halo_run narrowed = HALO_RUN_INIT;
    narrowed.first_component = in.width(), narrowed.n_components = in.width(), narrowed.depth = in.width();
    if (in.flip()) narrowed.field_mask = mask.data();
    if (in.flip()) narrowed.sets = sets.data();
    in.version(narrowed);
    if (made(halo_exchange_start(exchange, in.flip() ? &narrowed : nullptr, HALO_STREAM_NONE)))
        made(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

void combine(void *, void *, const void *, int64_t, halo_type, int64_t) {}

halo_exchange *exchange_over(Input &in, halo_field **fields, int32_t n_fields) {
    const auto sections = in.values<uint32_t, 2>(0, 3);
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = in.choice(3), desc.messages = in.choice(3), desc.receive = in.choice(3), desc.edges = in.choice(3),
    desc.source_stable = in.choice(2);
    desc.kind = in.choice(4), desc.op = in.choice(12), desc.shared = in.choice(3), desc.pattern = in.choice(2), desc.combine_order = in.choice(2);
    desc.timeout_seconds = in.pick(-2, 2);
    if (in.flip()) desc.combine = combine;
    if (in.flip()) desc.sections = sections.data();
    in.version(desc);
    halo_transfer_desc transfer = HALO_TRANSFER_DESC_INIT;
    transfer.op = in.choice(2), transfer.messages = in.choice(3), transfer.receive = in.choice(3);
    for (int32_t &ghosts : transfer.source_ghosts) ghosts = in.width(1);
    for (int32_t &ghosts : transfer.destination_ghosts) ghosts = in.width(1);
    in.version(transfer);
    halo_exchange *exchange = nullptr;
    if (n_fields == 2 && in.flip())
        made(halo_exchange_create_transfer(fields, fields + 1, 1, &transfer, &exchange));
    else
        made(halo_exchange_create(fields, n_fields, &desc, &exchange));
    return exchange;
}

void access(Input &in, halo_field *field) {
    std::array<halo_access, 2> all;
    for (halo_access &one : all) {
        one = HALO_ACCESS_INIT;
        one.field = field, one.mode = in.choice(6, HALO_READ), one.through = in.choice(2);
        one.sections = static_cast<uint32_t>(in.choice(16)), one.whole = in.choice(2), one.set = in.choice(2), one.reserved = in.choice(1);
    }
    halo_batch *batch = nullptr;
    const int64_t n = in.length(2);
    if (made(halo_access_begin(the_context(), all.data(), in.narrow(n), sizeof all[0], in.choice(2, 1), in.choice(2), HALO_STREAM_NONE, &batch)) &&
        made(halo_access_ready(batch)))
        made(halo_access_end(batch));
    else if (batch)
        made(halo_access_abandon(batch));
}

void ask(Input &in, halo_topology *topology) {
    halo_part part = HALO_PART_INIT;
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    in.version(part);
    in.version(report);
    int64_t n = 0;
    made(halo_topology_part(topology, in.size(), &part));
    made(halo_topology_neighbours(topology, in.size(), nullptr, 0, &n));
    made(halo_topology_peers(topology, nullptr, in.size(0), &n));
    made(halo_topology_sharers(topology, in.size(), nullptr, 0, &n));
    made(halo_topology_keys_report(topology, &report));
    const auto groups = in.values<uint32_t, 12>(0, 15);
    if (in.pick(0, 3) == 0) made(halo_topology_set_sections(topology, groups.data(), in.length(12)));
}

// Fields, exchanges and batches on one topology, then all of it destroyed.
void use(Input &in, halo_topology *topology) {
    if (!topology) return;
    ask(in, topology);
    bool runs = true;
    std::array<halo_field *, 2> fields{ field_on(in, topology, runs), nullptr };
    if (fields[0] && in.flip()) fields[1] = field_on(in, topology, runs);
    if (fields[0] && runs) {
        halo_exchange *exchange = exchange_over(in, fields.data(), fields[1] ? 2 : 1);
        for (int times = in.pick(0, 2); exchange && times > 0; --times) run(in, exchange);
        destroy(halo_exchange_destroy, exchange);
        if (in.flip()) access(in, fields[0]);
    }
    for (halo_field *field : fields) destroy(halo_field_destroy, field);
    destroy(halo_topology_destroy, topology);
}

void channels(Input &in) {
    static double memory[8];
    std::array<halo_channel *, 2> all{};
    size_t n = 0;
    for (int i = 0; i < 2; ++i) {
        const halo_channel_key key{ in.size(), in.size(), in.choice(3), in.choice(27), i };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = in.choice(1), desc.recv_rank = in.choice(1), desc.type = in.choice(7, 1), desc.count = in.size(4);
        desc.element_bytes = in.size(), desc.sparse = in.choice(2), desc.buffer_kind = in.choice(3);
        if (desc.count * in.pick(0, 1) <= 4 && desc.type != HALO_BYTES && desc.type != HALO_COMPLEX128) desc.buffer = memory;
        in.version(desc);
        if (made(halo_channel_register(the_context(), &key, &desc, &all[n]))) ++n;
    }
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = in.choice(3), desc.timeout_seconds = in.pick(-1, 1);
    in.version(desc);
    halo_group *group = nullptr;
    made(halo_group_create(the_context(), all.data(), static_cast<int64_t>(n), &desc, &group));
    destroy(halo_group_destroy, group);
    for (size_t i = 0; i < n; ++i) destroy(halo_channel_destroy, all[i]);
}

void context(Input &in) {
    static constexpr std::array<const char *, 7> keys{ "timeout", "check", "messages", "pool.cap", "strict", "no such key", "log_level" };
    static constexpr std::array<const char *, 7> values{ "1s", "yes", "aggregate", "64MiB", "-1", "", "info" };
    std::array<halo_setting, 2> settings;
    for (halo_setting &setting : settings) setting = { keys[static_cast<size_t>(in.pick(0, 6))], values[static_cast<size_t>(in.pick(0, 6))] };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings.data(), options.n_settings = in.narrow(in.length(2)), options.log = [](void *, int32_t, const char *) {};
    halo_allocator allocator{ in.choice(4), in.choice(2), nullptr,
                              [](void *, size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); },
                              [](void *, void *pointer, size_t) { std::free(pointer); } };
    options.allocators = &allocator, options.n_allocators = in.narrow(in.length(1));
    in.version(options);
    halo_inproc *group = nullptr;
    if (!made(halo_inproc_create(in.pick(0, 15) == 0 ? in.width(0) : 1, &group))) return;
    halo_context *opened = nullptr;
    made(halo_context_create_inproc(group, in.choice(1), &options, &opened));
    destroy(halo_context_destroy, opened);
    destroy(halo_inproc_destroy, group);
}

// Few values, or more than can be reduced.
int64_t reduced(Input &in) {
    const int64_t n = in.size(4);
    return n > 4 && n < int64_t{ 1 } << 61 ? 4 : n;
}

void reduce(Input &in) {
    std::array<double, 8> values{};
    made(halo_allreduce(the_context(), values.data(), values.data(), reduced(in), in.choice(7, 1), in.choice(11, 1)));
    halo_reduction *reduction = nullptr;
    if (made(halo_reduction_create(the_context(), reduced(in), in.choice(7, 1), in.choice(11, 1), &reduction)) &&
        made(halo_reduction_begin(reduction, values.data())))
        made(halo_reduction_end(reduction, values.data()));
    destroy(halo_reduction_destroy, reduction);
    void *memory = nullptr;
    int64_t bytes = in.size(1000);
    if (made(halo_memory_allocate(the_context(), in.choice(4), bytes, &memory))) check(halo_memory_release(the_context(), &memory) == HALO_SUCCESS);
}

void sections(Input &in) {
    const auto owners = in.values<int32_t, 4>(0, 1);
    const auto to = in.values<uint32_t, 8>(0, 3);
    const auto given = in.values<int32_t, 4>(0, 3);
    halo_map map{ to.data(), owners.data(), in.pick(0, 4), in.narrow(in.length(2)), 0 };
    std::array<int32_t, 4> found;
    std::array<uint32_t, 4> order, groups{};
    halo_section_sizes sizes = HALO_SECTION_SIZES_INIT;
    in.version(sizes);
    made(halo_sections_classify(0, owners.data(), in.length(4), &map, in.pick(0, 1), found.data(), order.data(), &sizes));
    made(halo_sections_reach(&map, given.data(), in.length(4), static_cast<uint32_t>(in.choice(16)), 1, groups.data()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    Input in(data, size);
    switch (in.pick(0, 10)) {
    case 0: use(in, blocks(in)); break;
    case 1: use(in, boxes(in)); break;
    case 2: use(in, regions(in)); break;
    case 3: use(in, keys(in)); break;
    case 4: use(in, graph(in)); break;
    case 5: use(in, star(in)); break;
    case 6: use(in, lists(in)); break;
    case 7: channels(in); break;
    case 8: context(in); break;
    case 9: reduce(in); break;
    default: sections(in); break;
    }
    return 0;
}
