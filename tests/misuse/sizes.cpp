// SPDX-License-Identifier: BSD-3-Clause
// Sizes that no caller can mean: as large or as negative as they go, or with products that overflow. Each is refused by name, before memory is
// taken or a pointer is followed.
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <functional>
#include <string>
#include <vector>

#include "halo_access.h"
#include "halo_channel.h"

namespace {

constexpr int64_t most = INT64_MAX;
constexpr int64_t one_position[] = { 0 };
constexpr int64_t least = INT64_MIN;

// One rank with a ring of three blocks, four points known by keys that can be edited, and a field on each.
struct World {
    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_topology *points = nullptr;
    halo_field *u = nullptr;
    halo_field *values = nullptr;

    World() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
        const halo_blocks_desc blocks = ring_desc();
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &ring), HALO_SUCCESS);
        static const uint64_t some[] = { 1, 2, 3, 4 };
        halo_keys_desc keys = HALO_KEYS_DESC_INIT;
        keys.n_keys = 4, keys.keys = some, keys.editable = 1;
        EXPECT_EQ(halo_topology_create_keys(context, &keys, &points), HALO_SUCCESS) << halo_last_error();
        const halo_field_desc desc = field_desc("u");
        EXPECT_EQ(halo_field_create(ring, &desc, &u), HALO_SUCCESS);
        const halo_field_desc other = HALO_FIELD_DESC_INIT;
        EXPECT_EQ(halo_field_create(points, &other, &values), HALO_SUCCESS);
    }
    ~World() {
        for (halo_field **field : { &u, &values }) EXPECT_EQ(halo_field_destroy(field), HALO_SUCCESS);
        for (halo_topology **topology : { &ring, &points }) EXPECT_EQ(halo_topology_destroy(topology), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    static halo_blocks_desc ring_desc() {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1, desc.n_blocks[0] = 3, desc.n_cells[0] = 4, desc.periodic[0] = 1;
        return desc;
    }
    static halo_field_desc field_desc(const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.ghost_low[0] = desc.ghost_high[0] = 1;
        return desc;
    }
};

struct Hostile {
    const char *name;
    halo_status status;
    std::vector<const char *> parts;
    std::function<halo_status(World &)> call;
};

// What must not be made: destroyed again, so that the case fails by its status alone.
template <class Desc>
halo_status create(World &w, halo_status (*call)(halo_context *, const Desc *, halo_topology **), Desc desc,
                   const std::function<void(Desc &)> &change) {
    change(desc);
    halo_topology *topology = nullptr;
    const halo_status status = call(w.context, &desc, &topology);
    if (topology) {
        EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS);
    }
    return status;
}

halo_status blocks(World &w, const std::function<void(halo_blocks_desc &)> &change) {
    return create(w, halo_topology_create_blocks, World::ring_desc(), change);
}

halo_status boxes(World &w, const std::function<void(halo_boxes_desc &)> &change) {
    static const halo_box two[] = { { { 0, 0, 0 }, { 4, 1, 1 } }, { { 4, 0, 0 }, { 8, 1, 1 } } };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.domain.high[0] = 8, desc.boxes = two, desc.n_boxes = 2;
    return create(w, halo_topology_create_boxes, desc, change);
}

halo_status regions(World &w, const std::function<void(halo_regions_desc &, halo_join &)> &change) {
    static const int64_t extents[] = { 4, 1, 1, 4, 1, 1 };
    halo_join join{ 0, 1, { { 3, 0, 0 }, { 4, 1, 1 } }, { { -1, 0, 0 }, { 0, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 1, desc.cells = extents, desc.n_parts = 2, desc.reach = 1, desc.n_joins = 1;
    return create<halo_regions_desc>(w, halo_topology_create_regions, desc, [&](auto &d) {
        d.joins = &join;
        change(d, join);
    });
}

halo_status keys(World &w, const std::function<void(halo_keys_desc &)> &change) {
    static const uint64_t some[] = { 1, 2, 3 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 3, desc.keys = some;
    return create(w, halo_topology_create_keys, desc, change);
}

halo_status edit(World &w, int64_t n_remove, int64_t n_add) {
    static const int64_t remove[] = { 0 };
    static const uint64_t add[] = { 9 };
    halo_keys_edit change = HALO_KEYS_EDIT_INIT;
    change.n_remove = n_remove, change.remove = remove, change.n_add = n_add, change.add = add;
    halo_topology *edited = nullptr;
    return halo_topology_edit_keys(w.points, &change, &edited);
}

// A line of three points.
halo_status graph(World &w, const std::function<void(halo_graph_desc &)> &change) {
    static const uint64_t points[] = { 1, 2, 3 };
    static const uint64_t neighbours[] = { 2, 2, 1, 3, 2, 2 };
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.n_owned = 3, desc.keys = points, desc.neighbours = neighbours, desc.width = 2;
    return create(w, halo_topology_create_graph, desc, change);
}

halo_status star(World &w, int64_t n_points, int64_t n_leaves) {
    static const int32_t ranks[] = { 0 };
    static const uint32_t indices[] = { 0 };
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = n_points, desc.n_leaves = n_leaves, desc.ranks = ranks, desc.indices = indices;
    return create<halo_star_desc>(w, halo_topology_create_star, desc, [](auto &) {});
}

using Offsets = std::array<int64_t, 2>;
constexpr Offsets one_point{ 0, 1 }, from_below{ least, most }, beyond_all{ 0, most };

halo_status lists(World &w, int32_t n_peers, const Offsets &send, const Offsets &receive) {
    static const int32_t peers[] = { 0 };
    static const uint32_t points[] = { 0, 1 };
    halo_lists_desc desc = HALO_LISTS_DESC_INIT;
    desc.n_points = 2, desc.n_peers = n_peers, desc.peers = peers, desc.send_offsets = send.data(), desc.receive_offsets = receive.data();
    desc.send = desc.receive = points;
    return create<halo_lists_desc>(w, halo_topology_create_lists, desc, [](auto &) {});
}

halo_status field_on(halo_topology *topology, const std::function<void(halo_field_desc &)> &change) {
    halo_field_desc desc = World::field_desc("wrong");
    change(desc);
    halo_field *field = nullptr;
    const halo_status status = halo_field_create(topology, &desc, &field);
    EXPECT_EQ(field, nullptr);
    return status;
}

halo_status bind(World &w, const std::function<void(halo_layout &)> &change) {
    static double storage[6];
    halo_layout layout = HALO_LAYOUT_INIT;
    EXPECT_EQ(halo_field_layout(w.u, 0, &layout), HALO_SUCCESS);
    change(layout);
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = storage, binding.layout = &layout;
    return halo_field_bind(w.u, 0, &binding);
}

halo_status bind_parts(World &w, int64_t part_stride) {
    static double storage[64];
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = storage + 32;
    return halo_field_bind_many(w.u, part_stride, &binding);
}

// A layout that is allowed, of more memory than there is.
halo_status allocate(World &w, int64_t elements) {
    halo_layout layout = HALO_LAYOUT_INIT;
    EXPECT_EQ(halo_field_layout(w.u, 0, &layout), HALO_SUCCESS);
    layout.elements = elements;
    halo_binding binding = HALO_BINDING_INIT;
    binding.layout = &layout;
    const halo_status status = halo_field_bind(w.u, 0, &binding);
    return status == HALO_SUCCESS ? halo_field_allocate(w.u, 0) : status;
}

halo_status memory(World &w, int64_t bytes) {
    void *pointer = nullptr;
    const halo_status status = halo_memory_allocate(w.context, HALO_MEMORY_HOST, bytes, &pointer);
    EXPECT_EQ(pointer, nullptr);
    return status;
}

halo_status channel(World &w, const std::function<void(halo_channel_desc &)> &change) {
    const halo_channel_key key{ 3, 7, 2, 14, 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.count = 8;
    change(desc);
    halo_channel *made = nullptr;
    return halo_channel_register(w.context, &key, &desc, &made);
}

// The table of a group of two channels.
halo_status rows(World &w, size_t row_bytes) {
    halo_channel *two[2] = {};
    for (int i = 0; i < 2; ++i) {
        const halo_channel_key key{ i, 7, 0, 13, 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.count = 8;
        EXPECT_EQ(halo_channel_register(w.context, &key, &desc, &two[i]), HALO_SUCCESS);
    }
    halo_group *group = nullptr;
    EXPECT_EQ(halo_group_create(w.context, two, 2, nullptr, &group), HALO_SUCCESS);
    const halo_group_row *rows = nullptr;
    int64_t n = 0;
    const halo_status status = halo_group_table(group, row_bytes, &rows, &n);
    const std::string text = halo_last_error();
    EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
    for (halo_channel *&one : two) EXPECT_EQ(halo_channel_destroy(&one), HALO_SUCCESS);
    EXPECT_EQ(halo_last_error(), text);
    return status;
}

// `second_bytes`: struct_size of the second one; 0: as it should be.
halo_status register_two(World &w, size_t desc_bytes, size_t second_bytes) {
    const halo_channel_key keys[2] = { { 0, 7, 0, 13, 0 }, { 1, 7, 0, 13, 0 } };
    halo_channel_desc descs[2] = { HALO_CHANNEL_DESC_INIT, HALO_CHANNEL_DESC_INIT };
    if (second_bytes > 0) descs[1].struct_size = second_bytes;
    halo_channel *made[2] = {};
    return halo_channel_register_many(w.context, keys, descs, desc_bytes, 2, made);
}

halo_status context_with(const std::function<void(halo_context_options &)> &change) {
    static const halo_setting setting{ "timeout", "1s" };
    static const halo_allocator allocator{};
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting, options.allocators = &allocator;
    change(options);
    halo_context *context = nullptr;
    const halo_status status = halo_context_create(&options, &context);
    EXPECT_EQ(context, nullptr);
    return status;
}

halo_status accesses(World &w, int32_t n, size_t bytes) {
    halo_access access = HALO_ACCESS_INIT;
    access.field = w.u, access.mode = HALO_READ;
    halo_batch *batch = nullptr;
    return halo_access_begin(w.context, &access, n, bytes, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
}

// Two items, of which the second begins as the initialiser has it, one value behind the first.
halo_status reduce(World &w, const std::function<void(halo_reduction_item &)> &change, int32_t n = 2, int64_t n_first = 1,
                   size_t bytes = sizeof(halo_reduction_item)) {
    halo_reduction_item items[] = { HALO_REDUCTION_ITEM_INIT, HALO_REDUCTION_ITEM_INIT };
    items[0].n = n_first, items[1].offset = 8;
    if (change) change(items[1]);
    halo_reduction *reduction = nullptr;
    return halo_reduction_create_items(w.context, items, bytes, n, &reduction);
}

const std::vector<Hostile> &cases() { // NOLINT(readability-function-size): a table
    constexpr halo_status limit = HALO_ERR_LIMIT, argument = HALO_ERR_ARGUMENT;
    static const std::vector<Hostile> all{
        { "cells_of_a_block",
          limit,
          { "n_cells 2147483648 exceeds 2147483647" },
          [](World &w) { return blocks(w, [](auto &d) { d.n_cells[0] = int64_t{ 1 } << 31; }); } },
        { "cells_of_a_row_of_blocks",
          limit,
          { "n_blocks 9223372036854775807 * n_cells 4 of direction 0 exceeds 1099511627776" },
          [](World &w) { return blocks(w, [](auto &d) { d.n_blocks[0] = most; }); } },
        { "product_of_blocks",
          limit,
          { "number of blocks", "exceeds 1099511627776" },
          [](World &w) {
              return blocks(w, [](auto &d) {
                  d.n_dims = 3;
                  for (int i = 0; i < 3; ++i) d.n_blocks[i] = int64_t{ 1 } << 22, d.n_cells[i] = 1; // 2^66
              });
          } },
        { "blocks_of_one_rank",
          limit,
          { "blocks per rank 274877906944 exceeds 134217728" },
          [](World &w) { return blocks(w, [](auto &d) { d.n_blocks[0] = int64_t{ 1 } << 38; }); } },
        { "negative_blocks", argument, { "must be 1 or more" }, [](World &w) { return blocks(w, [](auto &d) { d.n_blocks[0] = least; }); } },
        { "domain",
          limit,
          { "domain", "exceeds 1099511627776 cells from the origin" },
          [](World &w) { return boxes(w, [](auto &d) { d.domain.low[0] = least, d.domain.high[0] = most; }); } },
        { "boxes", limit, { "n_boxes 9223372036854775807 exceeds" }, [](World &w) { return boxes(w, [](auto &d) { d.n_boxes = most; }); } },
        { "negative_boxes", argument, { "-9223372036854775808 boxes" }, [](World &w) { return boxes(w, [](auto &d) { d.n_boxes = least; }); } },
        { "box",
          argument,
          { "box 0", "leaves the domain" },
          [](World &w) {
              static const halo_box huge{ { least, 0, 0 }, { most, 1, 1 } };
              return boxes(w, [](auto &d) { d.boxes = &huge, d.n_boxes = 1; });
          } },
        { "parts_that_are_cut",
          limit,
          { "n_parts_per_rank * ranks 2147483647 exceeds 16777216" },
          [](World &w) { return boxes(w, [](auto &d) { d.boxes = nullptr, d.n_boxes = 0, d.n_parts_per_rank = INT32_MAX; }); } },
        { "reach_of_boxes", limit, { "reach 2147483647 exceeds 16777216" }, [](World &w) { return boxes(w, [](auto &d) { d.reach = INT32_MAX; }); } },
        { "parts_of_regions",
          limit,
          { "n_parts 9223372036854775807 exceeds" },
          [](World &w) { return regions(w, [](auto &d, auto &) { d.n_parts = most; }); } },
        { "joins", limit, { "n_joins 9223372036854775807 exceeds" }, [](World &w) { return regions(w, [](auto &d, auto &) { d.n_joins = most; }); } },
        { "reach_of_regions",
          limit,
          { "reach 2147483647 exceeds 16777216" },
          [](World &w) { return regions(w, [](auto &d, auto &) { d.reach = INT32_MAX; }); } },
        { "cells_of_a_region",
          limit,
          { "cells of a part 9223372036854775807 exceeds 2147483647" },
          [](World &w) {
              static const int64_t extents[] = { most, 1, 1, 4, 1, 1 };
              return regions(w, [](auto &d, auto &) { d.cells = extents; });
          } },
        { "cells_that_a_join_sends",
          HALO_ERR_BOUNDS,
          { "join 0", "does not own all cells" },
          [](World &w) { return regions(w, [](auto &, auto &join) {
                             join.send = { { least, 0, 0 }, { most, 1, 1 } };
                         }); } },
        { "cells_that_a_join_fills",
          HALO_ERR_BOUNDS,
          { "join 0", "farther than 1 cells" },
          [](World &w) { return regions(w, [](auto &, auto &join) {
                             join.receive = { { least, least, least }, { 0, most, most } };
                         }); } },
        { "keys", limit, { "n_keys 9223372036854775807 exceeds 4294967294" }, [](World &w) { return keys(w, [](auto &d) { d.n_keys = most; }); } },
        { "parts_of_keys",
          limit,
          { "n_parts 2147483647 exceeds 134217728" },
          [](World &w) {
              static const int64_t offsets[] = { 0, 3 };
              return keys(w, [](auto &d) { d.n_parts = INT32_MAX, d.part_offsets = offsets, d.numbering = HALO_NUMBERING_AS_GIVEN; });
          } },
        { "removed_keys", limit, { "n_remove 9223372036854775807 exceeds 4" }, [](World &w) { return edit(w, most, 0); } },
        { "added_keys", limit, { "n_add 9223372036854775807 exceeds 4294967294" }, [](World &w) { return edit(w, 0, most); } },
        { "keys_in_all", limit, { "number of keys", "exceeds 4294967294" }, [](World &w) { return edit(w, 0, UINT32_MAX - 1); } },
        { "points_of_a_graph",
          limit,
          { "graph: n_owned 1099511627776 exceeds 4294967294" },
          [](World &w) { return graph(w, [](auto &d) { d.n_owned = int64_t{ 1 } << 40; }); } },
        { "width_of_a_graph",
          limit,
          { "n_owned 3 * width 9223372036854775807 exceeds 1099511627776" },
          [](World &w) { return graph(w, [](auto &d) { d.width = most; }); } },
        { "offsets_of_a_graph",
          limit,
          { "offsets 9223372036854775807 exceeds" },
          [](World &w) {
              static const int64_t offsets[] = { 0, 2, 4, most };
              return graph(w, [](auto &d) { d.offsets = offsets; });
          } },
        { "points_of_a_star", limit, { "star: n_points 9223372036854775807 exceeds 4294967294" }, [](World &w) { return star(w, most, 0); } },
        { "leaves_of_a_star", argument, { "9223372036854775807 leaves" }, [](World &w) { return star(w, 3, most); } },
        { "peers_of_lists", limit, { "n_peers 2147483647 exceeds 1" }, [](World &w) { return lists(w, INT32_MAX, one_point, one_point); } },
        { "sent_from_below", argument, { "offsets begin at -9223372036854775808" }, [](World &w) { return lists(w, 1, from_below, one_point); } },
        { "received_from_below", argument, { "0 and -9223372036854775808" }, [](World &w) { return lists(w, 1, one_point, from_below); } },
        { "received_beyond_all",
          limit,
          { "from rank 0 9223372036854775807 exceeds 2" },
          [](World &w) { return lists(w, 1, one_point, beyond_all); } },
        { "components_of_a_field",
          limit,
          { "field wrong, part 0", "2147483647 bytes", "exceeds the 1152921504606846976" },
          [](World &w) { return field_on(w.ring, [](auto &d) { d.type = HALO_BYTES, d.element_bytes = INT32_MAX, d.n_components = INT32_MAX; }); } },
        { "points_of_a_part", // 2^66: nothing, if no step were looked at
          limit,
          { "field wrong, part 0", "exceeds" },
          [](World &w) {
              halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
              for (int64_t &n : desc.n_cells) n = int64_t{ 1 } << 22;
              halo_topology *cube = nullptr;
              EXPECT_EQ(halo_topology_create_blocks(w.context, &desc, &cube), HALO_SUCCESS) << halo_last_error();
              const halo_status status = field_on(cube, [](auto &d) { d.ghost_low[0] = d.ghost_high[0] = 0; });
              EXPECT_EQ(halo_topology_destroy(&cube), HALO_SUCCESS);
              return status;
          } },
        { "bytes_of_an_element",
          limit,
          { "element_bytes 9223372036854775807 exceeds 2147483647" },
          [](World &w) { return field_on(w.ring, [](auto &d) { d.type = HALO_BYTES, d.element_bytes = most; }); } },
        { "ghosts", argument, { "2147483647", "0 to 768" }, [](World &w) { return field_on(w.ring, [](auto &d) { d.ghost_low[0] = INT32_MAX; }); } },
        { "sets",
          limit,
          { "field wrong: n_sets 2147483647 exceeds 64" },
          [](World &w) { return field_on(w.ring, [](auto &d) { d.n_sets = INT32_MAX; }); } },
        { "elements_of_a_layout", limit, { "field u, part 0", "exceeds" }, [](World &w) { return bind(w, [](auto &l) { l.elements = most; }); } },
        { "stride_of_one_component",
          limit,
          { "a stride or first_owned of 4611686018427387904" },
          [](World &w) { return bind(w, [](auto &l) { l.component_stride = most / 2 + 1; }); } },
        { "stride_below_all",
          limit,
          { "a stride or first_owned of -9223372036854775808" },
          [](World &w) { return bind(w, [](auto &l) { l.place_stride = least; }); } },
        { "negative_elements", argument, { "-9223372036854775808 elements" }, [](World &w) { return bind(w, [](auto &l) { l.elements = least; }); } },
        { "strides_of_a_layout",
          HALO_ERR_BOUNDS,
          { "field u, part 0" },
          [](World &w) {
              return bind(w, [](auto &l) { l.stride[0] = l.component_stride = int64_t{ 1 } << 56, l.first_owned = -(int64_t{ 1 } << 56); });
          } },
        { "stride_between_parts", limit, { "part_stride 9223372036854775807, of 3 parts, exceeds" }, [](World &w) { return bind_parts(w, most); } },
        { "parts_in_descending_order", argument, { "field u", "part_stride is -6" }, [](World &w) { return bind_parts(w, -6); } },
        { "points_of_a_map",
          argument,
          { "9223372036854775807 points" },
          [](World &w) { return halo_field_map_points(w.values, 0, one_position, most); } },
        { "points_of_a_map_of_cells",
          argument,
          { "field u, part 0", "a map of 9223372036854775807 points", "with its ghosts" },
          [](World &w) { return halo_field_map_points(w.u, 0, one_position, most); } },
        { "position_in_a_map",
          HALO_ERR_BOUNDS,
          { "position 9223372036854775807" },
          [](World &w) {
              static const int64_t positions[] = { 0, 1, 2, most };
              return halo_field_map_points(w.values, 0, positions, 4);
          } },
        { "storage_of_2_to_the_64_bytes", limit, { "field u, part 0", "exceeds" }, [](World &w) { return allocate(w, int64_t{ 1 } << 61); } },
#ifndef HALO_SANITIZED // sanitizers end the process where memory cannot be had
        { "storage_of_2_to_the_59_bytes", HALO_ERR_MEMORY, { "576460752303423" }, [](World &w) { return allocate(w, int64_t{ 1 } << 56); } },
#endif
        { "memory", limit, { "memory: bytes 9223372036854775807 exceeds" }, [](World &w) { return memory(w, most); } },
#ifndef HALO_SANITIZED // sanitizers end the process where memory cannot be had
        { "memory_that_is_not_there", HALO_ERR_MEMORY, { "1152921504606846976 bytes" }, [](World &w) { return memory(w, int64_t{ 1 } << 60); } },
#endif
        { "fields_of_an_exchange",
          limit,
          { "n_fields 2147483647 exceeds 65536" },
          [](World &w) {
              halo_exchange *exchange = nullptr;
              return halo_exchange_create(&w.u, INT32_MAX, nullptr, &exchange);
          } },
        { "fields_of_a_transfer",
          limit,
          { "n_fields 2147483647 exceeds 65536" },
          [](World &w) {
              halo_exchange *exchange = nullptr;
              return halo_exchange_create_transfer(&w.u, &w.values, INT32_MAX, nullptr, &exchange);
          } },
        { "values_of_an_allreduce", // 2^64 bytes
          limit,
          { "allreduce", "exceeds 1099511627776" },
          [](World &w) {
              double value = 1;
              return halo_context_allreduce(w.context, &value, &value, int64_t{ 1 } << 61, HALO_FLOAT64, HALO_SUM);
          } },
        { "values_of_a_reduction",
          limit,
          { "reduction", "exceeds 1099511627776" },
          [](World &w) {
              halo_reduction *reduction = nullptr;
              return halo_reduction_create(w.context, most, HALO_COMPLEX128, HALO_SUM, &reduction);
          } },
        { "items_of_a_reduction", limit, { "reduction", "items 65537 exceeds 65536" }, [](World &w) { return reduce(w, {}, 65537); } },
        { "values_of_an_item",
          limit,
          { "reduction, item 1", "exceeds 1099511627776" },
          [](World &w) { return reduce(w, [](auto &item) { item.n = most; }); } },
        { "values_of_all_items",
          limit,
          { "reduction, item 1", "exceeds 1099511627776" },
          [](World &w) { return reduce(w, {}, 2, int64_t{ 1 } << 37); } },
        { "offset_of_an_item",
          limit,
          { "reduction, item 1: offset", "exceeds 1152921504606846976" },
          [](World &w) { return reduce(w, [](auto &item) { item.offset = most; }); } },
        { "size_of_items",
          limit,
          { "halo_reduction_item: its size 18446744073709551615 exceeds 4096" },
          [](World &w) { return reduce(w, {}, 2, 1, SIZE_MAX); } },
        { "count_of_a_channel",
          limit,
          { "9223372036854775807 elements of 8 bytes exceeds 1099511627776" },
          [](World &w) { return channel(w, [](auto &d) { d.count = most; }); } },
        { "elements_of_a_channel",
          limit,
          { "3 elements of 9223372036854775807 bytes exceeds" },
          [](World &w) { return channel(w, [](auto &d) { d.count = 3, d.type = HALO_BYTES, d.element_bytes = most; }); } },
        { "registered_channels",
          limit,
          { "n 9223372036854775807 exceeds" },
          [](World &w) {
              const halo_channel_key key{};
              const halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
              halo_channel *made = nullptr;
              return halo_channel_register_many(w.context, &key, &desc, sizeof desc, most, &made);
          } },
        { "grouped_channels",
          limit,
          { "group: n 9223372036854775807 exceeds 2147483647" },
          [](World &w) {
              halo_channel *none = nullptr;
              halo_group *group = nullptr;
              return halo_group_create(w.context, &none, most, nullptr, &group);
          } },
        { "settings", limit, { "n_settings 2147483647 exceeds" }, [](World &) { return context_with([](auto &o) { o.n_settings = INT32_MAX; }); } },
        { "allocators",
          limit,
          { "n_allocators 2147483647 exceeds 64" },
          [](World &) { return context_with([](auto &o) { o.n_allocators = INT32_MAX; }); } },
        { "ranks_of_a_process",
          limit,
          { "n_ranks 2147483647 exceeds 4096" },
          [](World &) {
              halo_inproc *group = nullptr;
              return halo_inproc_create(INT32_MAX, &group);
          } },
        { "no_ranks_of_a_process",
          argument,
          { "n_ranks is 0, it must be 1 or more" },
          [](World &) {
              halo_inproc *group = nullptr;
              return halo_inproc_create(0, &group);
          } },
        { "accesses", limit, { "accesses 2147483647 exceeds 65536" }, [](World &w) { return accesses(w, INT32_MAX, sizeof(halo_access)); } },
        { "bytes_of_an_access",
          limit,
          { "halo_access: its size 18446744073709551615 exceeds 4096" },
          [](World &w) { return accesses(w, 1, SIZE_MAX); } },
        { "bytes_of_a_row", limit, { "row_bytes 1099511627776 exceeds 4096" }, [](World &w) { return rows(w, size_t{ 1 } << 40); } },
        { "rows_of_2_to_the_64_bytes", limit, { "row_bytes 9223372036854775808 exceeds 4096" }, [](World &w) { return rows(w, size_t{ 1 } << 63); } },
        { "bytes_of_a_channel", limit, { "desc_bytes 18446744073709551615 exceeds 4096" }, [](World &w) { return register_two(w, SIZE_MAX, 0); } },
        { "second_channel_longer_than_a_row",
          HALO_ERR_VERSION,
          { "desc_bytes is 80, but struct_size is 4096" },
          [](World &w) { return register_two(w, sizeof(halo_channel_desc), 4096); } },
        { "entities_of_a_set",
          limit,
          { "entities 9223372036854775807 exceeds 4294967295" },
          [](World &) {
              const int32_t owner = 0;
              return halo_sections_classify(0, &owner, most, nullptr, 0, nullptr, nullptr, nullptr);
          } },
        { "arity_of_a_map",
          limit,
          { "arity of a map 2147483647 exceeds 65536" },
          [](World &) {
              const uint32_t to[] = { 0 };
              const int32_t section = HALO_SECTION_CORE;
              uint32_t groups[] = { 0 };
              const halo_map map{ to, nullptr, 1, INT32_MAX, 0 };
              return halo_sections_reach(&map, &section, 1, 1, 1, groups);
          } },
        { "sharers_of_a_point",
          argument,
          { "point -9223372036854775808" },
          [](World &w) {
              int64_t n = 0;
              return halo_topology_sharers(w.points, least, nullptr, 0, &n);
          } },
        { "part",
          HALO_ERR_NOT_FOUND,
          { "part 9223372036854775807" },
          [](World &w) {
              halo_part part = HALO_PART_INIT;
              return halo_topology_part(w.ring, most, &part);
          } },
    };
    return all;
}

class Sizes : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(Misuse, Sizes, testing::ValuesIn(cases()), [](const auto &parameter) { return std::string(parameter.param.name); });

TEST_P(Sizes, AreRefusedByName) {
    World world;
    EXPECT_EQ(GetParam().call(world), GetParam().status) << halo_last_error();
    const std::string text = halo_last_error();
    for (const char *part : GetParam().parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(SizesThatAreAllowed, AsManyRingsAsThereAre) {
    World world;
    EXPECT_EQ(graph(world, [](auto &d) { d.rings = INT32_MAX; }), HALO_SUCCESS) << halo_last_error();
}

// Each ghost would be an image of the one cell there is.
TEST(SizesThatAreAllowed, GhostsReachAroundASmallPeriodADefiniteNumberOfTimes) {
    World world;
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.periodic[0] = 1, desc.n_parts_per_rank = 1;
    halo_topology *one_cell = nullptr;
    ASSERT_EQ(halo_topology_create_boxes(world.context, &desc, &one_cell), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(field_on(one_cell, [](auto &d) { d.ghost_low[0] = 65; }), HALO_ERR_ARGUMENT);
    halo_field_desc field = World::field_desc("widest");
    field.ghost_low[0] = field.ghost_high[0] = 64;
    halo_field *made = nullptr;
    EXPECT_EQ(halo_field_create(one_cell, &field, &made), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
    EXPECT_EQ(halo_topology_destroy(&one_cell), HALO_SUCCESS);
}

} // namespace
