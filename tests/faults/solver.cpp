// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

namespace conformance {

Solver::Solver(const Rank &rank, const SolverShape &shape) : shape_(shape) {
    grid_.n_dims = 1;
    grid_.blocks[0] = shape.n_blocks;
    grid_.cells[0] = shape.n_cells;
    grid_.periodic[0] = shape.periodic;
    grid_.number();
    grid_.place_by_curve(rank.size);
    const halo_blocks_desc desc = grid_.desc();
    OK(halo_topology_create_blocks(rank.context, &desc, &topology));
    FieldCase made;
    made.name = shape.name;
    made.type = shape.type;
    made.element_bytes = bytes_of(shape.type);
    made.n_components = shape.n_components;
    made.ghosts.low[0] = shape.ghost_low;
    made.ghosts.high[0] = shape.ghost_high;
    field = std::make_unique<FieldStores>(topology, grid_, rank.rank, made, Random(1));
    make_exchange();
}

void Solver::make_exchange() {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = shape_.stencil;
    desc.messages = shape_.messages;
    desc.receive = shape_.receive;
    desc.source_stable = shape_.source_stable;
    desc.timeout_seconds = shape_.timeout_seconds;
    halo_field *handle = field->handle();
    OK(halo_exchange_create(&handle, 1, &desc, &exchange));
}

void Solver::fill() { field->fill(0, ++time_); }

halo_status Solver::start() { return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE); }

halo_status Solver::finish() { return halo_exchange_finish(exchange, HALO_STREAM_NONE); }

void Solver::check() {
    field->expect_ghosts(0, time_, [](int64_t, const Triple &, int32_t) { return true; });
    if (const std::string difference = field->first_difference(); !difference.empty()) stop("%s", difference.c_str());
}

void Solver::run() {
    fill();
    OK(start());
    OK(finish());
    check();
}

void Solver::bind(bool bound) {
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = bound ? field->store(0, 0).data : nullptr;
    OK(halo_field_bind(field->handle(), field->gid(0), &binding));
}

halo_exchange_stats Solver::stats() const {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats;
}

void Solver::destroy() {
    if (exchange) OK(halo_exchange_destroy(&exchange));
    field->destroy();
    OK(halo_topology_destroy(&topology));
}

halo_channel *add_channel(const Rank &rank, int32_t send_rank, int32_t receive_rank, int32_t field) {
    const halo_channel_key key{ send_rank, receive_rank, field, 0, 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.send_rank = send_rank;
    desc.receive_rank = receive_rank;
    desc.count = 1;
    halo_channel *channel = nullptr;
    OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

halo_field *field_on_box(const Rank &rank, int32_t shift, const char *name, double *storage, halo_topology *&topology) {
    const int64_t low = 8 * ((rank.rank + shift) % rank.size);
    const halo_box box{ { low, 0, 0 }, { low + 8, 1, 1 } };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.domain.high[0] = 8 * rank.size;
    desc.boxes = &box, desc.n_boxes = 1, desc.distributed = 1, desc.reach = 1;
    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
    halo_field_desc of = HALO_FIELD_DESC_INIT;
    of.name = name;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &of, &field));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = storage;
    OK(halo_field_bind_many(field, 8, &binding));
    return field;
}

void expect_failure(halo_status status, halo_status expected, const std::vector<std::string> &words) {
    const std::string text = halo_last_error();
    if (status != expected) stop("%s was expected, %s came: %s", halo_status_name(expected), halo_status_name(status), text.c_str());
    for (const std::string &word : words)
        if (text.find(word) == std::string::npos) stop("the text of %s lacks '%s': %s", halo_status_name(status), word.c_str(), text.c_str());
}

} // namespace conformance
