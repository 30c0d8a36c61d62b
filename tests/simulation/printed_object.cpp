// SPDX-License-Identifier: BSD-3-Clause
#include "printed.h"
#include "relation.h"

namespace programs {

using conformance::text_of;

namespace {

// Names of an object's end in its number: `#` in a piece of C.
class Printer {
public:
    Printer(const Program &program, size_t number) : program_(program), made_(program.objects[number]), number_(std::to_string(number)) {}

    std::string print() {
        switch (made_.what) {
        case What::blocks: return blocks(), exchange(static_cast<int>(made_.fields.size())), text_;
        case What::sparse: return sparse(), exchange(made_.with_dense ? 2 : 1), text_;
        case What::batch: return blocks(), batch(), text_;
        case What::points: return points(), exchange(1), text_;
        case What::loops: return points(), loops(), text_;
        case What::boxes: return boxes(), exchange(1), text_;
        case What::regions: return regions(), exchange(1), text_;
        case What::transfer: return transfer(), text_;
        case What::channels: return channels(), text_;
        case What::reduction: return reduction(), text_;
        case What::strays: return strays(), text_;
        default: return sums(), text_;
        }
    }

private:
    void add(const std::string &piece) {
        for (const char c : piece) c == '#' ? text_ += number_ : text_ += c;
    }
    void table(const char *type, const char *name, const std::string &values) {
        add(text_of("static const %s %s_#[] = ", type, name) + values + ";\n");
    }
    static std::string number(int64_t value) { return std::to_string(value); }
    static std::string value(double value) { return text_of("%.17g", value); }

    // ---- topologies

    void blocks() {
        const Grid &grid = made_.grid;
        table("int32_t", "owner", list_of(grid.owner));
        add("static _Thread_local halo_topology *topology_#;\nstatic _Thread_local halo_field *fields_#[8];\nstatic void create_topology_#(void) {\n"
            "    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;\n    blocks.n_dims = " +
            number(grid.n_dims) + ", blocks.order = " + number(grid.order) + ", blocks.owner = owner_#, blocks.n_owner = " + number(grid.n_blocks()) +
            ";\n");
        for (size_t d = 0; d < 3; ++d)
            add(text_of("    blocks.n_blocks[%zu] = %d, blocks.n_cells[%zu] = %d, blocks.periodic[%zu] = %d;\n", d, static_cast<int>(grid.blocks[d]),
                        d, static_cast<int>(grid.cells[d]), d, grid.periodic[d] ? 1 : 0));
        add("    CALL(halo_topology_create_blocks(context, &blocks, &topology_#));\n}\n");
        add("static void create_fields_#(void) {\n    create_topology_#();\n");
        if (made_.what == What::sparse) {
            field(0, made_.sparse.field.name, made_.sparse.field.n_components, made_.sparse.field.ghosts, true);
            if (made_.with_dense) field(1, made_.fields[0].name, made_.fields[0].n_components, made_.fields[0].ghosts, false);
        } else {
            for (size_t i = 0; i < made_.fields.size(); ++i)
                field(i, made_.fields[i].name, made_.fields[i].n_components, made_.fields[i].ghosts, false);
        }
        add("}\n");
    }
    void field(size_t i, const std::string &name, int32_t n_components, const conformance::Ghosts &ghosts, bool sparse) {
        add("    {\n        halo_field_desc desc = HALO_FIELD_DESC_INIT;\n        desc.name = \"" + name +
            "\", desc.n_components = " + number(n_components) + ";\n");
        for (size_t d = 0; d < 3; ++d)
            add(text_of("        desc.ghost_low[%zu] = %d, desc.ghost_high[%zu] = %d;\n", d, ghosts.low[d], d, ghosts.high[d]));
        if (sparse)
            add("        desc.sparse = 1, desc.threshold = " + value(made_.sparse.threshold) + ", desc.fill = " + value(made_.sparse.fill) + ";\n");
        add(text_of("        CALL(halo_field_create(topology_#, &desc, &fields_#[%zu]));\n", i));
        if (!sparse) add(text_of("        CALL(halo_field_allocate(fields_#[%zu], -1));\n", i));
        add("    }\n");
    }
    void cells_field() {
        add("static void create_fields_#(void) {\n    create_topology_#();\n");
        field(0, "c", made_.n_components, made_.ghosts, false);
        add("}\n");
    }
    void boxes() {
        std::string boxes;
        std::vector<int32_t> owners;
        for (const Part &part : made_.parts) {
            boxes += (boxes.empty() ? "" : ", ") + box_of(part.cells);
            owners.push_back(part.owner);
        }
        table("halo_box", "boxes", "{ " + boxes + " }");
        table("int32_t", "owner", list_of(owners));
        add("static _Thread_local halo_topology *topology_#;\nstatic _Thread_local halo_field *fields_#[8];\nstatic void create_topology_#(void) {\n"
            "    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;\n    const halo_box domain = " +
            box_of(made_.domain) + ";\n    desc.n_dims = " + number(made_.n_dims) + ", desc.domain = domain;\n");
        for (int d = 0; d < 3; ++d) add(text_of("    desc.periodic[%d] = %d;\n", d, made_.periodic[d] ? 1 : 0));
        const std::string n = number(std::ssize(owners));
        if (made_.distributed)
            add("    halo_box own[" + n + "];\n    int64_t n = 0;\n    for (int i = 0; i < " + n +
                "; ++i)\n        if (owner_#[i] == rank) own[n++] = boxes_#[i];\n    desc.distributed = 1, desc.reach = " + number(made_.reach) +
                ", desc.boxes = own, desc.n_boxes = n;\n");
        else
            add("    desc.boxes = boxes_#, desc.n_boxes = " + n + ", desc.owner = owner_#;\n");
        add("    CALL(halo_topology_create_boxes(context, &desc, &topology_#));\n}\n");
        cells_field();
    }
    void regions() {
        std::vector<int64_t> cells;
        std::vector<int32_t> owners;
        for (const Part &part : made_.parts) {
            cells.insert(cells.end(), part.cells.high, part.cells.high + 3);
            owners.push_back(part.owner);
        }
        std::string joins;
        for (const halo_join &join : made_.joins)
            joins += "\n    { " + number(join.send_gid) + ", " + number(join.receive_gid) + ", " + box_of(join.send) + ", " + box_of(join.receive) +
                     ", " + list_of(std::vector<int64_t>(join.axis, join.axis + 3)) + ", " + list_of(std::vector<int64_t>(join.sign, join.sign + 3)) +
                     " },";
        table("int64_t", "cells", list_of(cells));
        table("int32_t", "owner", list_of(owners));
        if (!joins.empty()) table("halo_join", "joins", "{" + joins + "\n}");
        add("static _Thread_local halo_topology *topology_#;\nstatic _Thread_local halo_field *fields_#[8];\nstatic void create_topology_#(void) {\n"
            "    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;\n    desc.n_dims = " +
            number(made_.n_dims) + ", desc.reach = " + number(made_.reach) + ";\n    desc.cells = cells_#, desc.owner = owner_#, desc.n_parts = " +
            number(std::ssize(owners)) + ";\n    desc.joins = " + (joins.empty() ? "NULL" : "joins_#") +
            ", desc.n_joins = " + number(std::ssize(made_.joins)) + ";\n    CALL(halo_topology_create_regions(context, &desc, &topology_#));\n}\n");
        cells_field();
    }

    // ---- topologies of points

    static std::string local(const char *type, const char *name, const std::string &values) {
        return text_of("        static const %s %s[] = ", type, name) + values + ";\n";
    }
    std::string points_of(int32_t rank) const {
        const Relation relation(made_);
        const std::vector<uint64_t> points = relation.points(rank);
        const std::string sharers = number(made_.desc.kind == HALO_KIND_SHARED_REDUCE);
        if (made_.made == Made::star) {
            const Relation::Star star = relation.star(rank);
            return local("int32_t", "ranks", list_of(star.ranks)) + local("uint32_t", "indices", list_of(star.indices)) +
                   "        halo_star_desc desc = HALO_STAR_DESC_INIT;\n        desc.sharers = " + sharers +
                   ", desc.n_points = " + number(std::ssize(points)) + ", desc.n_leaves = " + number(std::ssize(star.ranks)) +
                   ";\n        desc.ranks = ranks, desc.indices = indices;\n        CALL(halo_topology_create_star(context, &desc, &topology_#));\n";
        }
        if (made_.made == Made::lists) {
            const Relation::Lists lists = relation.lists(rank);
            return local("int32_t", "peers", list_of(lists.peers)) + local("int64_t", "send_offsets", list_of(lists.send_offsets)) +
                   local("uint32_t", "send", list_of(lists.send)) + local("int64_t", "receive_offsets", list_of(lists.receive_offsets)) +
                   local("uint32_t", "receive", list_of(lists.receive)) +
                   "        halo_lists_desc desc = HALO_LISTS_DESC_INIT;\n        desc.sharers = " + sharers +
                   ", desc.n_points = " + number(std::ssize(points)) + ", desc.n_peers = " + number(std::ssize(lists.peers)) +
                   ", desc.peers = peers;\n        desc.send = send, desc.send_offsets = send_offsets, desc.receive = receive, desc.receive_offsets "
                   "= "
                   "receive_offsets;\n        CALL(halo_topology_create_lists(context, &desc, &topology_#));\n";
        }
        if (made_.made == Made::graph) {
            const Relation::Graph graph = relation.graph(rank);
            return local("uint64_t", "keys", list_of(graph.own)) + local("uint64_t", "neighbours", list_of(graph.neighbours)) +
                   local("int64_t", "offsets", list_of(graph.offsets)) +
                   "        halo_graph_desc desc = HALO_GRAPH_DESC_INIT;\n        desc.rings = " + number(made_.rings) +
                   ", desc.n_owned = " + number(std::ssize(graph.own)) +
                   ", desc.keys = keys;\n        desc.offsets = offsets, desc.neighbours = neighbours;\n"
                   "        CALL(halo_topology_create_graph(context, &desc, &topology_#));\n";
        }
        return local("uint64_t", "keys", list_of(points)) +
               "        halo_keys_desc desc = HALO_KEYS_DESC_INIT;\n        desc.keys = keys, desc.n_keys = " + number(std::ssize(points)) +
               ", desc.numbering = HALO_NUMBERING_AS_GIVEN, desc.directory = " +
               (made_.made == Made::keys_by_hash ? "HALO_DIRECTORY_HASH" : "HALO_DIRECTORY_AUTO") +
               ";\n        CALL(halo_topology_create_keys(context, &desc, &topology_#));\n";
    }
    void points() {
        add("static _Thread_local halo_topology *topology_#;\n");
        if (made_.what != What::strays) add("static _Thread_local halo_field *fields_#[8];\n");
        add("static void create_topology_#(void) {\n");
        for (int32_t rank = 0; rank < program_.n_ranks; ++rank) add(text_of("    if (rank == %d) {\n", rank) + points_of(rank) + "    }\n");
        add("}\n");
        if (made_.what == What::strays) return;
        add("static void create_fields_#(void) {\n    create_topology_#();\n");
        field(0, "p", made_.n_components, {}, false);
        add("}\n");
    }

    // ---- what is done over fields

    void destroy(int n_fields, const std::string &before) {
        add("static void destroy_#(void) {\n" + before);
        for (int i = 0; i < n_fields; ++i) add(text_of("    CALL_UNTIL_FREE(halo_field_destroy(&fields_#[%d]));\n", i));
        add("    CALL_UNTIL_FREE(halo_topology_destroy(&topology_#));\n}\n");
    }
    std::string description(const char *desc) const {
        std::string text =
            text_of("    %s.messages = %d, %s.receive = %d, %s.timeout_seconds = 2;\n", desc, made_.desc.messages, desc, made_.desc.receive, desc);
        if (made_.what == What::transfer) return text;
        return text + text_of("    %s.kind = %d, %s.op = %d, %s.pattern = %d, %s.source_stable = %d;\n", desc, made_.desc.kind, desc, made_.desc.op,
                              desc, made_.desc.pattern, desc, made_.desc.source_stable);
    }
    void exchange(int n_fields) {
        add("static _Thread_local halo_exchange *exchange_#;\nstatic void create_#(void) {\n    create_fields_#();\n"
            "    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;\n" +
            description("desc"));
        if (made_.what == What::sparse) add("    desc.arrival = arrive_#;\n");
        add("    CALL(halo_exchange_create(fields_#, " + number(n_fields) + ", &desc, &exchange_#));\n}\n");
        if (!made_.mask.empty()) table("int32_t", "mask", list_of(made_.mask));
        add("static void start_#(int64_t time) {\n    halo_run run = HALO_RUN_INIT;\n    run.first_component = " + number(made_.run.first_component) +
            ", run.n_components = " + number(made_.run.n_components) + ", run.depth = " + number(made_.run.depth) + ";\n");
        if (!made_.mask.empty()) add("    run.n_fields = " + number(std::ssize(made_.mask)) + ", run.field_mask = mask_#;\n");
        if (made_.what == What::sparse) add("    give_storage_#(time);\n");
        for (int i = 0; i < n_fields; ++i) add(text_of("    fill(topology_#, fields_#[%d], (double)(time + 1));\n", i));
        add(text_of("    start(exchange_#, &run, %d);\n}\nstatic void finish_#(void) { finish(exchange_#, %d); }\n", made_.phases, made_.phases));
        destroy(n_fields, "    halo_exchange_abandon(exchange_#);\n    CALL_UNTIL_FREE(halo_exchange_destroy(&exchange_#));\n");
    }
    // Parts with storage by time, and arrivals of which two in three are taken.
    void sparse() {
        blocks();
        std::vector<int32_t> allocated;
        conformance::SparseModel model = made_.sparse;
        model.grid = &made_.grid;
        for (size_t time = 0; time < program_.steps.size(); ++time)
            for (int64_t gid = 0; gid < made_.grid.n_blocks(); ++gid) allocated.push_back(model.allocated(gid, static_cast<int64_t>(time)));
        table("int32_t", "has_storage", list_of(allocated));
        add("static void give_storage_#(int64_t time) {\n    const int64_t *gids;\n    int64_t n;\n"
            "    CALL(halo_topology_local_parts(topology_#, &gids, &n));\n    for (int64_t i = 0; i < n; ++i) {\n"
            "        const halo_binding nothing = HALO_BINDING_INIT;\n        CALL_UNTIL_FREE(halo_field_bind(fields_#[0], gids[i], &nothing));\n"
            "        if (has_storage_#[time * " +
            number(made_.grid.n_blocks()) +
            " + gids[i]]) CALL(halo_field_allocate(fields_#[0], gids[i]));\n    }\n}\n"
            "static halo_status arrive_#(void *user, const halo_arrival *arrival) {\n    (void)user;\n"
            "    return arrival->gid % 3 == 2 ? HALO_DECLINED : halo_field_allocate(arrival->field, arrival->gid);\n}\n");
    }
    void batch() {
        add("static _Thread_local halo_batch *batch_#;\nstatic void create_#(void) { create_fields_#(); }\nstatic void start_#(int64_t time) {\n"
            "    fill(topology_#, fields_#[0], (double)(time + 1));\n    CALL(halo_access_mark_fresh(fields_#[0], 0, HALO_ON_HOST));\n"
            "    CALL(halo_access_mark_dirty(fields_#[0], 0, HALO_ON_HOST));\n");
        begin("HALO_READ", "HALO_VIA_MAP", "HALO_STYLE_REDUNDANT");
        add("}\n");
        end_of_batch();
    }
    void begin(const std::string &mode, const std::string &through, const std::string &style) {
        add("    {\n        halo_access access = HALO_ACCESS_INIT;\n        access.field = fields_#[0], access.mode = " + mode +
            ", access.through = " + through + (mode == "HALO_WRITE" ? ", access.whole = 1" : "") +
            ";\n        CALL(halo_access_begin(context, &access, 1, sizeof access, " + style +
            ", HALO_ON_HOST, HALO_STREAM_NONE, &batch_#));\n    }\n");
    }
    void end_of_batch() {
        add("static void finish_#(void) {\n    CALL(halo_access_ready(batch_#));\n    CALL(halo_access_end(batch_#));\n    batch_# = NULL;\n}\n");
        destroy(1, "    if (batch_#) halo_access_abandon(batch_#);\n    batch_# = NULL;\n");
    }
    void loops() {
        static const char *const modes[] = { "", "HALO_INC", "HALO_ACCESS_MIN", "HALO_ACCESS_MAX" };
        const std::string run = "    CALL(halo_access_ready(batch_#));\n    fill(topology_#, fields_#[0], (double)(time + 1));\n"
                                "    CALL(halo_access_end(batch_#));\n";
        add("static _Thread_local halo_batch *batch_#;\nstatic void create_#(void) { create_fields_#(); }\nstatic void start_#(int64_t time) {\n"
            "    CALL(halo_access_mark_fresh(fields_#[0], 0, HALO_ON_HOST));\n");
        begin("HALO_WRITE", "HALO_DIRECT", "HALO_STYLE_REVERSE");
        add(run);
        begin(modes[made_.desc.op], "HALO_VIA_MAP", "HALO_STYLE_REVERSE");
        add(run);
        begin("HALO_READ", "HALO_VIA_MAP", "HALO_STYLE_REVERSE");
        add("}\n");
        end_of_batch();
    }

    // ---- the rest

    void transfer() {
        for (int side = 0; side < 2; ++side) {
            std::string boxes;
            for (size_t i = 0; i + 1 < made_.cuts[side].size(); ++i)
                boxes += (i > 0 ? ", " : "") + box_of({ { made_.cuts[side][i], 0, 0 }, { made_.cuts[side][i + 1], 1, 1 } });
            table("halo_box", side == 0 ? "from" : "to", "{ " + boxes + " }");
            table("int32_t", side == 0 ? "from_owner" : "to_owner", list_of(made_.owners[side]));
        }
        const auto side = [&](int which) {
            const std::string name = which == 0 ? "from" : "to", at = number(which);
            return "    {\n        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;\n        const halo_box domain = " +
                   box_of({ { 0, 0, 0 }, { made_.cuts[which].back(), 1, 1 } }) +
                   ";\n        desc.n_dims = 1, desc.domain = domain, desc.boxes = " + name +
                   "_#, desc.n_boxes = " + number(std::ssize(made_.owners[which])) + ", desc.owner = " + name +
                   "_owner_#;\n        CALL(halo_topology_create_boxes(context, &desc, &topologies_#[" + at +
                   "]));\n        halo_field_desc field = HALO_FIELD_DESC_INIT;\n        field.name = \"" + name +
                   "\";\n        CALL(halo_field_create(topologies_#[" + at + "], &field, &fields_#[" + at +
                   "]));\n        CALL(halo_field_allocate(fields_#[" + at + "], -1));\n    }\n";
        };
        add("static _Thread_local halo_topology *topologies_#[2];\nstatic _Thread_local halo_field *fields_#[2];\n"
            "static _Thread_local halo_exchange *exchange_#;\nstatic void create_#(void) {\n" +
            side(0) + side(1) + "    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;\n" + description("desc") +
            "    CALL(halo_exchange_create_transfer(&fields_#[0], &fields_#[1], 1, &desc, &exchange_#));\n}\n"
            "static void start_#(int64_t time) {\n    halo_run run = HALO_RUN_INIT;\n    fill(topologies_#[0], fields_#[0], (double)time);\n" +
            text_of("    start(exchange_#, &run, %d);\n}\nstatic void finish_#(void) { finish(exchange_#, %d); }\n", made_.phases, made_.phases) +
            "static void destroy_#(void) {\n    halo_exchange_abandon(exchange_#);\n    CALL_UNTIL_FREE(halo_exchange_destroy(&exchange_#));\n"
            "    for (int side = 0; side < 2; ++side) {\n        CALL_UNTIL_FREE(halo_field_destroy(&fields_#[side]));\n"
            "        CALL_UNTIL_FREE(halo_topology_destroy(&topologies_#[side]));\n    }\n}\n");
    }
    void channels() {
        std::string rows;
        for (const ChannelCase &channel : made_.channels)
            rows += text_of("%s{ %d, %d, %d, %d }", rows.empty() ? "" : ", ", channel.send_rank, channel.receive_rank,
                            static_cast<int>(channel.count), channel.sparse ? 1 : 0);
        const std::string n = number(std::ssize(made_.channels));
        add("static const int32_t channels_#[][4] = { " + rows + " }; /* from, to, values, sparse */\nstatic _Thread_local halo_channel *handles_#[" +
            n + "];\nstatic _Thread_local int ends_#[" + n +
            "];\nstatic _Thread_local int n_ends_#, in_flight_#;\nstatic _Thread_local halo_group *group_#;\n" +
            "static void create_#(void) {\n    n_ends_# = 0;\n    for (int i = 0; i < " + n + R"(; ++i) {
        if (channels_#[i][0] != rank && channels_#[i][1] != rank) continue;
        halo_channel_key key = { channels_#[i][0], channels_#[i][1], #, 0, i };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = channels_#[i][0], desc.receive_rank = channels_#[i][1], desc.count = channels_#[i][2], desc.sparse = channels_#[i][3];
        CALL(halo_channel_register(context, &key, &desc, &handles_#[n_ends_#]));
        ends_#[n_ends_#++] = i;
    }
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = )" +
            number(made_.desc.messages) + R"(, desc.timeout_seconds = 2;
    CALL(halo_group_create(context, handles_#, n_ends_#, &desc, &group_#));
}
)");
        made_.desc.messages != HALO_MESSAGES_PER_CHANNEL ? channels_together() : channels_alone();
        add(R"(static void destroy_#(void) {
    if (in_flight_#) halo_group_abandon(group_#);
    in_flight_# = 0;
    CALL_UNTIL_FREE(halo_group_destroy(&group_#));
    for (int i = 0; i < n_ends_#; ++i) CALL_UNTIL_FREE(halo_channel_destroy(&handles_#[i]));
}
)");
    }
    void channels_together() {
        add(R"(static void start_#(int64_t time) {
    int32_t writable;
    uint8_t nulls[sizeof ends_# / sizeof ends_#[0]];
    CALL_UNTIL(writable, halo_group_writable(group_#, &writable));
    for (int i = 0; i < n_ends_#; ++i) nulls[i] = (time + ends_#[i]) % 3 == 0;
    CALL_UNTIL_FREE(halo_group_send(group_#, nulls, HALO_STREAM_NONE));
    in_flight_# = 1;
}
static void finish_#(void) {
    int32_t done;
    CALL_UNTIL(done, halo_group_try_receive(group_#, &done));
    CALL(halo_group_stale(group_#, HALO_STREAM_NONE));
    in_flight_# = 0;
}
)");
    }
    void channels_alone() {
        add(R"(static void start_#(int64_t time) {
    in_flight_# = 1;
    for (int i = 0; i < n_ends_#; ++i) {
        int32_t writable;
        if (channels_#[ends_#[i]][0] != rank) {
            CALL(halo_channel_start_receive(handles_#[i]));
            continue;
        }
        CALL_UNTIL(writable, halo_channel_writable(handles_#[i], &writable));
        if ((time + ends_#[i]) % 3 == 0) {
            CALL(halo_channel_send_null(handles_#[i], HALO_STREAM_NONE));
        } else {
            CALL(halo_channel_allocate(handles_#[i]));
            CALL(halo_channel_send(handles_#[i], HALO_STREAM_NONE));
        }
    }
}
static void finish_#(void) {
    for (int i = 0; i < n_ends_#; ++i) {
        int32_t done;
        if (channels_#[ends_#[i]][1] != rank) continue;
        CALL_UNTIL(done, halo_channel_try_receive(handles_#[i], &done, NULL));
        CALL(halo_channel_stale(handles_#[i], HALO_STREAM_NONE));
    }
    in_flight_# = 0;
}
)");
    }
    void reduction() {
        const std::string n = number(made_.n_values);
        add("static _Thread_local halo_reduction *reduction_#;\nstatic void create_#(void) { CALL(halo_reduction_create(context, " + n +
            ", HALO_FLOAT64, HALO_SUM, &reduction_#)); }\nstatic void start_#(int64_t time) {\n    double values[" + n +
            "];\n    for (int i = 0; i < " + n +
            "; ++i) values[i] = (double)(time + rank);\n    CALL(halo_reduction_begin(reduction_#, values));\n}\nstatic void finish_#(void) {\n    "
            "double sums[" +
            n +
            "];\n    CALL(halo_reduction_end(reduction_#, sums));\n}\n"
            "static void destroy_#(void) { CALL_UNTIL_FREE(halo_reduction_destroy(&reduction_#)); }\n");
    }
    // It stays with the object that it has called first.
    void strays() {
        points();
        add("static void create_#(void) {}\nstatic void start_#(int64_t time) {\n    const uint32_t groups[5] = { 1, 1, 1, 1, 1 };\n"
            "    halo_keys_report report = HALO_KEYS_REPORT_INIT;\n    (void)time;\n    create_topology_#();\n"
            "    CALL(halo_topology_keys_report(topology_#, &report));\n"
            "    CALL(halo_topology_set_sections(topology_#, groups, report.n_points));\n    "
            "CALL_UNTIL_FREE(halo_topology_destroy(&topology_#));\n}\n"
            "static void finish_#(void) {}\nstatic void destroy_#(void) {}\n");
    }
    void sums() {
        const std::string n = number(made_.n_values);
        add("static void create_#(void) {}\nstatic void start_#(int64_t time) {\n    double values[" + n + "], sums[" + n +
            "];\n    for (int i = 0; i < " + n +
            "; ++i) values[i] = (double)(time + rank);\n    CALL(halo_context_barrier(context));\n    CALL(halo_context_allreduce(context, values, "
            "sums, " +
            n + ", HALO_FLOAT64, HALO_SUM));\n}\nstatic void finish_#(void) {}\nstatic void destroy_#(void) {}\n");
    }

    const Program &program_;
    const ObjectCase &made_;
    std::string number_, text_;
};

} // namespace

std::string printed_object(const Program &program, size_t number) {
    return "\n/* object " + std::to_string(number) + ": " + name_of(program.objects[number].what) + " */\n" + Printer(program, number).print();
}

} // namespace programs
