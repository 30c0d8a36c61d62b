// SPDX-License-Identifier: BSD-3-Clause
// Fields, exchanges and accesses.
#include <cstring>
#include <vector>

#include "descriptions.h"

namespace fuzz {

namespace {

constexpr int64_t most_bytes = 1 << 16;  // of storage: larger parts are described, but not filled
constexpr int64_t most_points = 1 << 12; // of a part: of larger ones, exchanges take long to make

// What may be done with some fields.
struct Able {
    bool runs = true;
    bool makes = true; // exchanges over them, at least
};

// Values at some of the points; which part has how many is told here alone.
void map_points(Input &in, halo_field *field, int64_t gid, int64_t n_points) {
    std::array<int64_t, 8> positions = in.values<int64_t, 8>(-1, 7);
    if (in.flip())
        for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i);
    made(halo_field_map_points(field, gid, positions.data(), n_points <= 8 ? n_points : in.length(8)));
}

// A field of any description; its storage, where there is little, is the library's or bound with any layout.
halo_field *field_on(Input &in, halo_topology *topology, Able &able) {
    Newer<halo_field_desc> desc{ HALO_FIELD_DESC_INIT, {} };
    desc.type = in.choice(HALO_BFLOAT16, 1), desc.element_bytes = in.size(), desc.n_components = in.width(4), desc.centring = in.choice(10);
    const int n_dims = static_cast<int>(in.pick(1, 3)); // which may be the topology's
    if (desc.centring > HALO_CENTRE_CELL && desc.centring < HALO_CENTRE_NODE) desc.centring &= (1 << n_dims) - 1;
    for (int d = 0; d < n_dims; ++d) desc.ghost_low[d] = in.width(2), desc.ghost_high[d] = in.width(2);
    desc.sparse = in.choice(2), desc.n_sets = in.choice(2, 1), desc.vector = in.choice(2);
    desc.threshold = in.pick(-1, 3), desc.fill = in.pick(-1, 1);
    in.version(desc);
    halo_field *field = nullptr;
    if (!made(halo_field_create(topology, &desc, &field))) return nullptr;
    if (in.pick(0, 7) == 0) {
        Newer<halo_layout_desc> rule{ HALO_LAYOUT_DESC_INIT, {} };
        rule.alignment = in.pick(0, 9) > 0 ? 1 << in.pick(0, 12) : in.width(100);
        for (int32_t &entry : rule.order) entry = in.flip() ? entry : in.choice(5);
        for (int d = 0; d < 3; ++d) rule.ghost_low[d] = in.width(4), rule.ghost_high[d] = in.width(4);
        in.version(rule);
        made(halo_field_set_layout(field, &rule));
    }
    const int64_t *gids = nullptr;
    int64_t n = 0;
    check(halo_topology_local_parts(topology, &gids, &n) == HALO_SUCCESS);
    for (int64_t i = 0; i < n; ++i) {
        Newer<halo_layout> layout{ HALO_LAYOUT_INIT, {} };
        check(halo_field_layout(field, gids[i], &layout) == HALO_SUCCESS);
        if (in.pick(0, 7) == 0) {
            map_points(in, field, gids[i], layout.elements);
            layout = { HALO_LAYOUT_INIT, {} };
            check(halo_field_layout(field, gids[i], &layout) == HALO_SUCCESS);
        }
        able.makes = able.makes && layout.elements / desc.n_components <= most_points;
        const int64_t bytes = desc.type == HALO_BYTES ? desc.element_bytes : 16;
        if (in.pick(0, 7) == 0) {
            layout.elements = in.size(2000), layout.first_owned = in.size(), layout.component_stride = in.size(100),
            layout.place_stride = in.size(100);
            for (int64_t &stride : layout.stride) stride = in.size(30);
            Newer<halo_binding> binding{ HALO_BINDING_INIT, {} };
            binding.layout = &layout, binding.set = in.choice(2), binding.memory = in.choice(2);
            in.version(layout);
            in.version(binding);
            made(halo_field_bind(field, gids[i], &binding)); // without storage: what is bound next has this layout
            layout = { HALO_LAYOUT_INIT, {} };
            check(halo_field_layout(field, gids[i], &layout) == HALO_SUCCESS);
        }
        if (layout.elements > most_bytes / bytes)
            able.runs = false;
        else
            made(halo_field_allocate(field, gids[i]));
        int64_t n_boundaries = 0;
        int32_t n_rim = 0;
        halo_box interior, rim[6];
        made(halo_field_interior_rim(field, gids[i], in.width(), &interior, rim, &n_rim));
        if (able.runs) made(halo_field_boundaries(field, gids[i], sizeof(halo_boundary), nullptr, 0, &n_boundaries));
    }
    return field;
}

// The phases, one after the other.
void run_in_phases(halo_exchange *exchange, const halo_run *narrowed) {
    if (!made(halo_exchange_post(exchange, narrowed)) || !made(halo_exchange_send(exchange, HALO_STREAM_NONE))) return;
    int32_t done = 0;
    halo_arrival arrivals[4];
    int64_t n = 0;
    if (!made(halo_exchange_test(exchange, &done))) return;
    check(done != 0); // nobody else is waited for
    made(halo_exchange_arrivals(exchange, arrivals, 4, &n));
    if (made(halo_exchange_unpack(exchange, HALO_STREAM_NONE))) made(halo_exchange_refine(exchange, HALO_STREAM_NONE));
}

// `n_parts` of each of two fields.
void run(Input &in, halo_exchange *exchange, int64_t n_parts) {
    alignas(64) static std::byte storage[most_bytes];
    static const std::vector<void *> everywhere(64, storage); // any part's, of this run alone
    const auto mask = in.values<int32_t, 2>(0, 1);
    const auto sets = in.values<int32_t, 2>(0, 1);
    Newer<halo_run> narrowed{ HALO_RUN_INIT, {} };
    narrowed.first_component = in.width(), narrowed.n_components = in.width(), narrowed.depth = in.width();
    if (in.flip()) {
        narrowed.has_ghosts = static_cast<int32_t>(in.pick(0, 2));
        for (int32_t *widths : { narrowed.ghost_low, narrowed.ghost_high })
            for (int d = 0; d < 3; ++d) widths[d] = in.width();
    }
    if (in.flip()) narrowed.field_mask = mask.data();
    if (in.flip()) narrowed.sets = sets.data();
    if (in.pick(0, 3) == 0 && 2 * n_parts <= std::ssize(everywhere)) narrowed.data = everywhere.data(), narrowed.n_data = n_parts * in.pick(1, 2);
    if (narrowed.field_mask || narrowed.sets) narrowed.n_fields = static_cast<int32_t>(in.pick(1, 2));
    if (in.flip()) narrowed.op = in.choice(12);
    in.version(narrowed);
    const halo_run *const given = in.flip() ? &narrowed : nullptr;
    if (in.pick(0, 3) == 0)
        run_in_phases(exchange, given);
    else if (made(halo_exchange_start(exchange, given, HALO_STREAM_NONE)))
        made(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    Newer<halo_exchange_stats> stats{ HALO_EXCHANGE_STATS_INIT, {} };
    in.version(stats);
    made(halo_exchange_get_stats(exchange, &stats));
}

halo_status combine(void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; }

halo_exchange *exchange_over(Input &in, halo_field **fields, int32_t n_fields, bool runs) {
    const auto sections = in.values<uint32_t, 2>(0, 3);
    Newer<halo_exchange_desc> desc{ HALO_EXCHANGE_DESC_INIT, {} };
    desc.stencil = in.choice(3), desc.messages = in.choice(3), desc.receive = in.choice(3), desc.edges = in.choice(3),
    desc.source_stable = in.choice(2);
    desc.kind = in.choice(4), desc.op = in.choice(12), desc.shared = in.choice(3), desc.pattern = in.choice(2), desc.combine_order = in.choice(2);
    desc.timeout_seconds = in.pick(-2, 2);
    if (in.flip()) desc.combine = combine;
    if (in.flip()) desc.sections = sections.data();
    if (!runs) desc.combine_order = HALO_COMBINE_BY_GID; // the other one lists every value
    in.version(desc);
    Newer<halo_transfer_desc> transfer{ HALO_TRANSFER_DESC_INIT, {} };
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

// What the library knows of the field's values, and what it is told of them.
void look(Input &in, halo_field *field) {
    if (in.flip()) made(halo_access_mark_dirty(field, in.choice(2), in.choice(3)));
    if (in.flip()) made(halo_access_mark_fresh(field, in.choice(2), in.choice(3)));
    if (in.pick(0, 7) == 0) made(halo_access_freeze(field, in.choice(2)));
    Newer<halo_access_state> state{ HALO_ACCESS_STATE_INIT, {} };
    Newer<halo_access_stats> stats{ HALO_ACCESS_STATS_INIT, {} };
    in.version(state);
    in.version(stats);
    made(halo_access_get_state(field, in.choice(2), &state));
    made(halo_access_get_stats(the_context(), nullptr, &stats));
}

void access(Input &in, halo_field *field) {
    std::array<halo_access, 2> all;
    for (halo_access &one : all) {
        one = HALO_ACCESS_INIT;
        one.field = field, one.mode = in.choice(6, HALO_READ), one.through = in.choice(2);
        one.sections = static_cast<uint32_t>(in.choice(16)), one.whole = in.choice(2), one.set = in.choice(2), one.may_lose = in.choice(2);
    }
    halo_batch *batch = nullptr;
    const int64_t n = in.length(2);
    const size_t bytes = in.pick(0, 7) == 0 ? static_cast<size_t>(in.size(4100)) : sizeof all[0];
    alignas(halo_access) static std::byte memory[2 * 4096];
    std::fill(std::begin(memory), std::end(memory), std::byte{ 0 });
    for (size_t i = 0; bytes <= 4096 && i < 2; ++i) std::memcpy(memory + i * bytes, &all[i], std::min(bytes, sizeof all[i]));
    const auto *const given = reinterpret_cast<const halo_access *>(memory);
    if (made(halo_access_begin(the_context(), given, in.narrow(n), bytes, in.choice(2, 1), in.choice(2), HALO_STREAM_NONE, &batch)) &&
        made(halo_access_ready(batch)))
        made(halo_access_end(batch));
    else if (batch)
        made(halo_access_abandon(batch));
    look(in, field);
}

} // namespace

void use(Input &in, halo_topology *topology) {
    if (!topology) return;
    Able able;
    std::array<halo_field *, 2> fields{ field_on(in, topology, able), nullptr };
    if (fields[0] && in.flip()) fields[1] = field_on(in, topology, able);
    if (fields[0] && able.makes) {
        const int64_t *gids = nullptr;
        int64_t n_parts = 0;
        check(halo_topology_local_parts(topology, &gids, &n_parts) == HALO_SUCCESS);
        halo_exchange *exchange = exchange_over(in, fields.data(), fields[1] ? 2 : 1, able.runs);
        for (int times = in.pick(0, 2); exchange && able.runs && times > 0; --times) run(in, exchange, n_parts);
        if (exchange) made(halo_exchange_describe(exchange, nullptr, 0, nullptr));
        destroy(halo_exchange_destroy, exchange);
        if (able.runs && in.flip()) access(in, fields[0]);
    }
    for (halo_field *field : fields) destroy(halo_field_destroy, field);
    destroy(halo_topology_destroy, topology);
}

} // namespace fuzz
