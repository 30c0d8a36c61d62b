// SPDX-License-Identifier: BSD-3-Clause
// Wrong descriptions of boxes, joins, points, transfers and kinds of exchanges: status and text of each; afterwards the same world still works.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "halo.h"

namespace {

// One rank: a line of two boxes of 4 cells with a field in cells and one at nodes, and an exchange that is run after each case.
struct World {
    halo_context *context = nullptr;
    halo_topology *line = nullptr;
    halo_topology *points = nullptr;
    halo_field *cells = nullptr;
    halo_field *nodes = nullptr;
    halo_field *values = nullptr; // on points
    halo_exchange *exchange = nullptr;

    World() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
        const halo_boxes_desc boxes = line_desc();
        EXPECT_EQ(halo_topology_create_boxes(context, &boxes, &line), HALO_SUCCESS) << halo_last_error();
        halo_keys_desc keys = HALO_KEYS_DESC_INIT;
        static const uint64_t some[] = { 5, 7, 5 };
        keys.n_keys = 3;
        keys.keys = some;
        EXPECT_EQ(halo_topology_create_keys(context, &keys, &points), HALO_SUCCESS) << halo_last_error();
        halo_field_desc field = field_desc("cells");
        EXPECT_EQ(halo_field_create(line, &field, &cells), HALO_SUCCESS);
        field = field_desc("nodes");
        field.centring = HALO_CENTRE_NODE;
        EXPECT_EQ(halo_field_create(line, &field, &nodes), HALO_SUCCESS);
        field = HALO_FIELD_DESC_INIT;
        field.name = "values";
        EXPECT_EQ(halo_field_create(points, &field, &values), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_field_allocate(cells, -1), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_create(&cells, 1, nullptr, &exchange), HALO_SUCCESS);
    }
    ~World() {
        EXPECT_EQ(halo_exchange_destroy(&exchange), HALO_SUCCESS);
        for (halo_field **field : { &cells, &nodes, &values }) EXPECT_EQ(halo_field_destroy(field), HALO_SUCCESS);
        for (halo_topology **topology : { &line, &points }) EXPECT_EQ(halo_topology_destroy(topology), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    static halo_boxes_desc line_desc() {
        static const halo_box boxes[] = { { { 0, 0, 0 }, { 4, 1, 1 } }, { { 4, 0, 0 }, { 8, 1, 1 } } };
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1;
        desc.domain.high[0] = 8;
        desc.boxes = boxes;
        desc.n_boxes = 2;
        desc.reach = 2;
        return desc;
    }
    static halo_field_desc field_desc(const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        return desc;
    }
    void expect_works() const {
        void *left = nullptr, *right = nullptr;
        ASSERT_EQ(halo_field_data(cells, 0, 0, &left), HALO_SUCCESS);
        ASSERT_EQ(halo_field_data(cells, 1, 0, &right), HALO_SUCCESS);
        auto *a = static_cast<double *>(left), *b = static_cast<double *>(right);
        a[4] = 17, b[1] = 23, a[5] = b[0] = 0;
        ASSERT_EQ(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        ASSERT_EQ(halo_exchange_finish(exchange, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(a[5], 23);
        EXPECT_EQ(b[0], 17);
    }
};

struct Misuse {
    const char *name;
    halo_status status;
    std::vector<const char *> parts;
    std::function<halo_status(World &)> call;
};

halo_status boxes(World &w, const std::function<void(halo_boxes_desc &, std::vector<halo_box> &)> &change) {
    halo_boxes_desc desc = World::line_desc();
    std::vector<halo_box> list(desc.boxes, desc.boxes + desc.n_boxes);
    desc.boxes = list.data();
    change(desc, list);
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_boxes(w.context, &desc, &topology);
    EXPECT_EQ(topology, nullptr);
    return status;
}

// Two squares of 4 x 4 cells; the second's lower x side is filled from the first's upper y side, turned.
halo_status regions(World &w, const std::function<void(halo_regions_desc &, std::vector<halo_join> &)> &change) {
    static const int64_t extents[] = { 4, 4, 1, 4, 4, 1 };
    std::vector<halo_join> joins{ { 0, 1, { { 0, 3, 0 }, { 4, 4, 1 } }, { { -1, 0, 0 }, { 0, 4, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } } };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2;
    desc.cells = extents;
    desc.n_parts = 2;
    desc.reach = 1;
    change(desc, joins);
    desc.joins = joins.data();
    desc.n_joins = static_cast<int64_t>(joins.size());
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_regions(w.context, &desc, &topology);
    EXPECT_EQ(topology == nullptr, status != HALO_SUCCESS);
    if (topology) {
        EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS);
    }
    return status;
}

halo_status keys(World &w, const std::function<void(halo_keys_desc &)> &change) {
    static const uint64_t some[] = { 1, 2, 3 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 3;
    desc.keys = some;
    change(desc);
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_keys(w.context, &desc, &topology);
    EXPECT_EQ(topology, nullptr);
    return status;
}

// Three points; the last is a leaf whose root is the first.
halo_status star(World &w, uint32_t leaf, int32_t rank, uint32_t root) {
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = 3;
    desc.n_leaves = 1;
    desc.leaves = &leaf;
    desc.ranks = &rank;
    desc.indices = &root;
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_star(w.context, &desc, &topology);
    EXPECT_EQ(topology, nullptr);
    return status;
}

halo_status field_on(halo_topology *topology, const std::function<void(halo_field_desc &)> &change) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "wrong";
    change(desc);
    halo_field *field = nullptr;
    const halo_status status = halo_field_create(topology, &desc, &field);
    EXPECT_EQ(field, nullptr);
    return status;
}

// One box of two dimensions.
halo_status field_on_square(World &w, const std::function<void(halo_field_desc &)> &change) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2;
    desc.domain.high[0] = desc.domain.high[1] = 4;
    desc.n_parts_per_rank = 1;
    halo_topology *square = nullptr;
    EXPECT_EQ(halo_topology_create_boxes(w.context, &desc, &square), HALO_SUCCESS) << halo_last_error();
    const halo_status status = field_on(square, change);
    const std::string text = halo_last_error();
    EXPECT_EQ(halo_topology_destroy(&square), HALO_SUCCESS);
    EXPECT_EQ(halo_last_error(), text);
    return status;
}

halo_status exchange_over(halo_field *field, const std::function<void(halo_exchange_desc &)> &change) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    change(desc);
    halo_exchange *exchange = nullptr;
    const halo_status status = halo_exchange_create(&field, 1, &desc, &exchange);
    EXPECT_EQ(exchange, nullptr);
    return status;
}

// As exchange_over, on a field that is made for it.
halo_status exchange_over_new(World &w, const std::function<void(halo_field_desc &)> &field_change,
                              const std::function<void(halo_exchange_desc &)> &change) {
    halo_field_desc desc = World::field_desc("made");
    field_change(desc);
    halo_field *field = nullptr;
    EXPECT_EQ(halo_field_create(w.line, &desc, &field), HALO_SUCCESS) << halo_last_error();
    const halo_status status = exchange_over(field, change);
    const std::string text = halo_last_error();
    EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
    EXPECT_EQ(halo_last_error(), text);
    return status;
}

halo_status transfer(halo_field *source, halo_field *destination, const std::function<void(halo_transfer_desc &)> &change) {
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    change(desc);
    halo_exchange *exchange = nullptr;
    const halo_status status = halo_exchange_create_transfer(&source, &destination, 1, &desc, &exchange);
    EXPECT_EQ(exchange, nullptr);
    return status;
}

halo_status transfer_to_new(World &w, const std::function<void(halo_transfer_desc &)> &change) {
    halo_field_desc desc = World::field_desc("made");
    halo_field *other = nullptr;
    EXPECT_EQ(halo_field_create(w.line, &desc, &other), HALO_SUCCESS);
    const halo_status status = transfer(w.cells, other, change);
    EXPECT_EQ(halo_field_destroy(&other), HALO_SUCCESS);
    return status;
}

const auto unchanged = [](auto &...) {};
void reverse(halo_exchange_desc &desc) { desc.kind = HALO_KIND_REVERSE; }

std::vector<Misuse> cases() { // NOLINT(readability-function-size): a table
    return {
        { "box_outside_the_domain",
          HALO_ERR_ARGUMENT,
          { "box 1", "(4, 0, 0)", "domain" },
          [](World &w) { return boxes(w, [](auto &, auto &list) { list[1].high[0] = 9; }); } },
        { "empty_box",
          HALO_ERR_ARGUMENT,
          { "box 0", "no cells" },
          [](World &w) { return boxes(w, [](auto &, auto &list) { list[0].high[0] = 0; }); } },
        { "empty_domain",
          HALO_ERR_ARGUMENT,
          { "domain", "direction 0" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.domain.high[0] = 0; }); } },
        { "boxes_in_four_dimensions",
          HALO_ERR_ARGUMENT,
          { "n_dims is 4" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.n_dims = 4; }); } },
        { "domain_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "the domain, (0, 0, 0) to (8, 1, 3)", "direction 2", "n_dims 1" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.domain.high[2] = 3; }); } },
        { "domain_periodic_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "periodic along direction 1", "n_dims 1" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.periodic[1] = 1; }); } },
        { "box_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "box 1, (4, 1, 0) to (8, 2, 1)", "direction 1", "n_dims 1" },
          [](World &w) { return boxes(w, [](auto &, auto &list) { list[1].low[1] = 1, list[1].high[1] = 2; }); } },
        { "box_of_a_rank_that_is_not",
          HALO_ERR_ARGUMENT,
          { "box 1", "rank 3" },
          [](World &w) {
              static const int32_t owner[] = { 0, 3 };
              return boxes(w, [](auto &desc, auto &) { desc.owner = owner; });
          } },
        { "distributed_without_reach",
          HALO_ERR_ARGUMENT,
          { "reach is 0" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.distributed = 1, desc.reach = 0; }); } },
        { "distributed_with_owners",
          HALO_ERR_ARGUMENT,
          { "owner must be NULL" },
          [](World &w) {
              static const int32_t owner[] = { 0, 0 };
              return boxes(w, [](auto &desc, auto &) { desc.distributed = 1, desc.owner = owner; });
          } },
        { "cut_into_fewer_parts_than_none",
          HALO_ERR_ARGUMENT,
          { "n_parts_per_rank is -1" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.boxes = nullptr, desc.n_boxes = 0, desc.n_parts_per_rank = -1; }); } },
        { "domain_that_cannot_be_cut",
          HALO_ERR_ARGUMENT,
          { "cannot be cut", "9 boxes" },
          [](World &w) { return boxes(w, [](auto &desc, auto &) { desc.boxes = nullptr, desc.n_boxes = 0, desc.n_parts_per_rank = 9; }); } },
        { "ghosts_beyond_reach",
          HALO_ERR_ARGUMENT,
          { "wrong", "3", "direction 0" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.ghost_high[0] = 3; }); } },
        { "ghosts_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "field wrong", "ghost widths 0 and 1 of direction 1", "directions 0 to 0" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.ghost_high[1] = 1; }); } },
        { "field_of_a_name_that_lives",
          HALO_ERR_EXISTS,
          { "field nodes", "topology 0 of this context has a field of this name" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.name = "nodes"; }); } },
        { "box_from_a_foreign_gid",
          HALO_ERR_NOT_FOUND,
          { "part 2" },
          [](World &w) {
              halo_part part = HALO_PART_INIT;
              return halo_topology_part(w.line, 2, &part);
          } },
        { "centring_that_is_not",
          HALO_ERR_ARGUMENT,
          { "centring 10" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.centring = 10; }); } },
        { "edges_in_one_dimension",
          HALO_ERR_ARGUMENT,
          { "wrong", "no edges" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.centring = HALO_CENTRE_EDGES; }); } },
        { "faces_of_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "field wrong", "centring 2", "1 dimension does not have" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.centring = HALO_CENTRE_FACE_Y; }); } },
        { "vector_of_bytes",
          HALO_ERR_ARGUMENT,
          { "wrong", "vector" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.vector = 1, desc.type = HALO_BYTES, desc.element_bytes = 8; }); } },
        { "vector_that_is_not",
          HALO_ERR_ARGUMENT,
          { "field wrong", "vector 3 is none of HALO_VECTOR_" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.vector = 3; }); } },
        { "vector_below_none",
          HALO_ERR_ARGUMENT,
          { "field wrong", "vector -1 is none of HALO_VECTOR_" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.vector = -1; }); } },
        { "vector_along_cells",
          HALO_ERR_ARGUMENT,
          { "field wrong", "HALO_VECTOR_ALONG is for" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.vector = HALO_VECTOR_ALONG; }); } },
        { "vector_along_faces_of_one_direction",
          HALO_ERR_ARGUMENT,
          { "field wrong", "HALO_VECTOR_ALONG is for" },
          [](World &w) { return field_on(w.line, [](auto &desc) { desc.vector = HALO_VECTOR_ALONG, desc.centring = HALO_CENTRE_FACE_X; }); } },
        { "vector_along_edges_of_two_dimensions",
          HALO_ERR_ARGUMENT,
          { "field wrong", "HALO_VECTOR_ALONG is for" },
          [](World &w) { return field_on_square(w, [](auto &desc) { desc.vector = HALO_VECTOR_ALONG, desc.centring = HALO_CENTRE_EDGES; }); } },
        { "join_of_unequal_boxes",
          HALO_ERR_ARGUMENT,
          { "join 0", "4 cells", "3" },
          [](World &w) { return regions(w, [](auto &, auto &joins) { joins[0].send.low[0] = 1; }); } },
        { "join_along_no_permutation",
          HALO_ERR_ARGUMENT,
          { "join 0", "no permutation" },
          [](World &w) {
              return regions(w, [](auto &, auto &joins) { joins[0].axis[1] = 1, joins[0].receive.high[1] = 1, joins[0].send.high[0] = 1; });
          } },
        { "vectors_with_a_sign_of_257",
          HALO_ERR_ARGUMENT,
          { "join 0", "vectors along direction 1 come with sign 257" },
          [](World &w) {
              static const int32_t signs[] = { 1, 257, 1 };
              return regions(w, [](auto &d, auto &) { d.vector_signs = signs; });
          } },
        { "join_with_a_sign_of_two",
          HALO_ERR_ARGUMENT,
          { "join 0", "sign 2" },
          [](World &w) { return regions(w, [](auto &, auto &joins) { joins[0].sign[0] = 2; }); } },
        { "join_from_cells_that_are_not_owned",
          HALO_ERR_BOUNDS,
          { "join 0", "sender" },
          [](World &w) { return regions(w, [](auto &, auto &joins) {
                             joins[0].send = { { 0, 4, 0 }, { 4, 5, 1 } };
                         }); } },
        { "join_into_owned_cells",
          HALO_ERR_BOUNDS,
          { "join 0", "receiver owns" },
          [](World &w) { return regions(w, [](auto &, auto &joins) {
                             joins[0].receive = { { 0, 0, 0 }, { 1, 4, 1 } };
                         }); } },
        { "join_beyond_reach",
          HALO_ERR_BOUNDS,
          { "join 0", "1 cells" },
          [](World &w) { return regions(w, [](auto &, auto &joins) {
                             joins[0].receive = { { -2, 0, 0 }, { -1, 4, 1 } };
                         }); } },
        { "two_joins_into_one_ghost",
          HALO_ERR_ARGUMENT,
          { "joins 0 and 1", "part 1" },
          [](World &w) { return regions(w, [](auto &, auto &joins) { joins.push_back(joins[0]); }); } },
        { "join_of_a_part_that_is_not",
          HALO_ERR_ARGUMENT,
          { "join 0", "parts 0 to 1" },
          [](World &w) { return regions(w, [](auto &, auto &joins) { joins[0].send_gid = 2; }); } },
        { "region_without_cells",
          HALO_ERR_ARGUMENT,
          { "part 0", "0 cells" },
          [](World &w) {
              static const int64_t none[] = { 0, 4, 1, 4, 4, 1 };
              return regions(w, [](auto &desc, auto &) { desc.cells = none; });
          } },
        { "region_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "part 1", "3 cells along direction 2", "n_dims 2" },
          [](World &w) {
              static const int64_t deep[] = { 4, 4, 1, 4, 4, 3 };
              return regions(w, [](auto &desc, auto &) { desc.cells = deep; });
          } },
        { "kind_that_is_not", HALO_ERR_ARGUMENT, { "kind 9" }, [](World &w) { return exchange_over(w.cells, [](auto &desc) { desc.kind = 9; }); } },
        { "shared_that_is_not",
          HALO_ERR_ARGUMENT,
          { "shared 3" },
          [](World &w) { return exchange_over(w.cells, [](auto &desc) { desc.shared = 3; }); } },
        { "op_that_is_not",
          HALO_ERR_ARGUMENT,
          { "op 77" },
          [](World &w) { return exchange_over(w.cells, [](auto &desc) { reverse(desc), desc.op = 77; }); } },
        { "no_function_for_the_op",
          HALO_ERR_ARGUMENT,
          { "HALO_USER", "combine" },
          [](World &w) { return exchange_over(w.cells, [](auto &desc) { reverse(desc), desc.op = HALO_USER; }); } },
        { "order_that_is_not",
          HALO_ERR_ARGUMENT,
          { "combine_order 3" },
          [](World &w) { return exchange_over(w.cells, [](auto &desc) { reverse(desc), desc.combine_order = 3; }); } },
        { "canonical_order_of_a_function",
          HALO_ERR_ARGUMENT,
          { "HALO_COMBINE_CANONICAL", "HALO_USER" },
          [](World &w) {
              return exchange_over(w.cells, [](auto &desc) {
                  reverse(desc), desc.op = HALO_USER, desc.combine_order = HALO_COMBINE_CANONICAL;
                  desc.combine = [](void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; };
              });
          } },
        { "sum_of_bytes",
          HALO_ERR_ARGUMENT,
          { "field made", "values of bytes", "operation 1" },
          [](World &w) {
              return exchange_over_new(
                  w, [](auto &desc) { desc.type = HALO_BYTES, desc.element_bytes = 3; }, reverse);
          } },
        { "greatest_of_complex",
          HALO_ERR_ARGUMENT,
          { "field made", "complex128", "operation 3" },
          [](World &w) {
              return exchange_over_new(
                  w, [](auto &desc) { desc.type = HALO_COMPLEX128; }, [](auto &desc) { reverse(desc), desc.op = HALO_MAX; });
          } },
        { "reverse_of_a_sparse_field",
          HALO_ERR_ARGUMENT,
          { "field made", "sparse" },
          [](World &w) {
              return exchange_over_new(
                  w, [](auto &desc) { desc.sparse = 1; }, reverse);
          } },
        { "transfer_between_centrings",
          HALO_ERR_ARGUMENT,
          { "field cells", "field nodes" },
          [](World &w) { return transfer(w.cells, w.nodes, unchanged); } },
        { "transfer_into_itself", HALO_ERR_ARGUMENT, { "field cells", "twice" }, [](World &w) { return transfer(w.cells, w.cells, unchanged); } },
        { "transfer_by_no_op", HALO_ERR_ARGUMENT, { "op 5" }, [](World &w) { return transfer_to_new(w, [](auto &desc) { desc.op = 5; }); } },
        { "transfer_of_more_ghosts",
          HALO_ERR_ARGUMENT,
          { "source_ghosts 2", "field cells" },
          [](World &w) { return transfer_to_new(w, [](auto &desc) { desc.source_ghosts[0] = 2; }); } },
        { "transfer_of_ghosts_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "destination_ghosts 0 and 1 along direction 2", "field made" },
          [](World &w) { return transfer_to_new(w, [](auto &desc) { desc.destination_ghosts[5] = 1; }); } },
        { "owner_rule_that_is_not",
          HALO_ERR_ARGUMENT,
          { "owner_rule 4" },
          [](World &w) { return keys(w, [](auto &desc) { desc.owner_rule = 4; }); } },
        { "key_with_unknown_flags",
          HALO_ERR_ARGUMENT,
          { "flags 16", "key 2", "position 1" },
          [](World &w) {
              static const int32_t flags[] = { 0, 16, 0 };
              return keys(w, [](auto &desc) { desc.flags = flags; });
          } },
        { "key_of_a_rank_that_is_not",
          HALO_ERR_ARGUMENT,
          { "owner 1", "key 3", "position 2" },
          [](World &w) {
              static const int32_t owners[] = { 0, 0, 1 };
              return keys(w, [](auto &desc) { desc.owners = owners; });
          } },
        { "more_keys_mine_than_keys",
          HALO_ERR_ARGUMENT,
          { "n_mine is 4", "of 3 keys" },
          [](World &w) { return keys(w, [](auto &desc) { desc.n_mine = 4; }); } },
        { "keys_mine_in_parts",
          HALO_ERR_ARGUMENT,
          { "n_mine", "`n_parts`" },
          [](World &w) {
              static const int64_t offsets[] = { 0, 3 };
              return keys(w, [](auto &desc) {
                  desc.n_mine = 1, desc.numbering = HALO_NUMBERING_AS_GIVEN;
                  desc.n_parts = 1, desc.part_offsets = offsets;
              });
          } },
        { "key_wanted_and_mine",
          HALO_ERR_ARGUMENT,
          { "flags 8", "key 2", "position 1" },
          [](World &w) {
              static const int32_t flags[] = { 0, HALO_KEY_WANT, 0 };
              return keys(w, [](auto &desc) { desc.flags = flags, desc.n_mine = 2; });
          } },
        { "centred_field_on_points",
          HALO_ERR_ARGUMENT,
          { "wrong", "lists of points" },
          [](World &w) { return field_on(w.points, [](auto &desc) { desc.centring = HALO_CENTRE_NODE; }); } },
        { "ghosts_of_points",
          HALO_ERR_ARGUMENT,
          { "wrong", "ghost" },
          [](World &w) { return field_on(w.points, [](auto &desc) { desc.ghost_low[0] = 1; }); } },
        { "report_of_boxes",
          HALO_ERR_ARGUMENT,
          { "keys report", "keys or lists" },
          [](World &w) {
              halo_keys_report report = HALO_KEYS_REPORT_INIT;
              return halo_topology_keys_report(w.line, &report);
          } },
        { "root_that_is_no_point", HALO_ERR_BOUNDS, { "star", "point 3" }, [](World &w) { return star(w, 2, 0, 3); } },
        { "root_on_no_rank", HALO_ERR_ARGUMENT, { "star", "leaf 2", "rank 1" }, [](World &w) { return star(w, 2, 1, 0); } },
        { "root_that_is_its_own_leaf", HALO_ERR_ARGUMENT, { "star", "point 2", "received itself" }, [](World &w) { return star(w, 2, 0, 2); } },
    };
}

class Topologies : public testing::TestWithParam<Misuse> {};

TEST_P(Topologies, AreRefusedAndChangeNothing) {
    World world;
    world.expect_works();
    const halo_status status = GetParam().call(world);
    const std::string text = halo_last_error();
    EXPECT_EQ(status, GetParam().status) << halo_status_name(status) << ": " << text;
    for (const char *part : GetParam().parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
    world.expect_works();
}

INSTANTIATE_TEST_SUITE_P(Cases, Topologies, testing::ValuesIn(cases()), [](const auto &one) { return std::string(one.param.name); });

// In cells, on faces and at nodes there is something in any of them.
TEST(Centrings, AreThoseOfTheTopologysDimensions) {
    using Centrings = std::vector<int32_t>;
    const Centrings there_are[] = { { HALO_CENTRE_CELL, HALO_CENTRE_FACE_X, HALO_CENTRE_NODE, HALO_CENTRE_FACES },
                                    { HALO_CENTRE_CELL, HALO_CENTRE_FACE_X, HALO_CENTRE_FACE_Y, HALO_CENTRE_EDGE_Z, HALO_CENTRE_NODE,
                                      HALO_CENTRE_FACES, HALO_CENTRE_EDGES },
                                    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
    World world;
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = n_dims;
        halo_topology *topology = nullptr;
        ASSERT_EQ(halo_topology_create_blocks(world.context, &blocks, &topology), HALO_SUCCESS) << halo_last_error();
        Centrings taken;
        for (int32_t centring = HALO_CENTRE_CELL; centring <= HALO_CENTRE_EDGES; ++centring) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.centring = centring;
            halo_field *field = nullptr;
            if (const halo_status status = halo_field_create(topology, &desc, &field); status != HALO_SUCCESS) {
                EXPECT_EQ(status, HALO_ERR_ARGUMENT) << centring << " in " << n_dims << " dimensions: " << halo_last_error();
                continue;
            }
            taken.push_back(centring);
            EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
        }
        EXPECT_EQ(taken, there_are[n_dims - 1]) << n_dims << " dimensions";
        EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS);
    }
}

TEST(FieldNames, BelongToTheFieldsThatLiveOnATopology) {
    World world;
    const auto create = [](halo_topology *topology, const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        halo_field *field = nullptr;
        EXPECT_EQ(halo_field_create(topology, &desc, &field), HALO_SUCCESS) << halo_last_error();
        return field;
    };
    for (int i = 0; i < 2; ++i) {
        std::vector<halo_field *> fields{ create(world.line, "a"), create(world.points, "a"), create(world.points, "cells") };
        for (const char *name : { static_cast<const char *>(nullptr), "" })
            for (int twice = 0; twice < 2; ++twice) fields.push_back(create(world.line, name)); // each gets a name of its own
        for (halo_field *&field : fields) EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
    }
    EXPECT_EQ(field_on(world.line, [](auto &desc) { desc.name = "a", desc.n_components = 0; }), HALO_ERR_ARGUMENT); // nor does it take the name
    halo_field *field = create(world.line, "a");
    EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
    world.expect_works();
}

} // namespace
