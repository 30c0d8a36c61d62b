// SPDX-License-Identifier: BSD-3-Clause
#include "box_case.h"

#include <algorithm>

#include "ranks.h"
#include "storage.h"

namespace conformance {

namespace {

constexpr int64_t most_points = 12000; // of all parts, ghosts and components of a field: larger cases show nothing new

template <class List>
const char *name_in(const List &names, int64_t number) {
    return names[static_cast<size_t>(number)];
}

void set_domain(BoxModel &model, Random &random) {
    const int64_t most[] = { 24, 11, 7 };
    for (int d = 0; d < model.n_dims; ++d) {
        model.domain.low[d] = pick(random, -3, 3);
        model.domain.high[d] = model.domain.low[d] + pick(random, 1, most[model.n_dims - 1]);
    }
}

// Cuts a box at a random place, again and again.
void split(const BoxModel &model, halo_box box, int32_t depth, int64_t least, Random &random, std::vector<halo_box> &boxes) {
    const int d = static_cast<int>(pick(random, 0, model.n_dims - 1));
    const int64_t cells = box.high[d] - box.low[d];
    if (depth == 0 || cells < 2 * least) {
        boxes.push_back(box);
        return;
    }
    halo_box above = box;
    box.high[d] = above.low[d] = box.low[d] + pick(random, least, cells - least);
    split(model, box, depth - 1, least, random, boxes);
    split(model, above, depth - 1, least, random, boxes);
}

halo_box random_box(const BoxModel &model, Random &random) {
    halo_box box{ { 0, 0, 0 }, { 1, 1, 1 } };
    for (int d = 0; d < model.n_dims; ++d) {
        box.low[d] = pick(random, model.domain.low[d], model.domain.high[d] - 1);
        box.high[d] = pick(random, box.low[d] + 1, model.domain.high[d]);
    }
    return box;
}

std::vector<halo_box> slivers(const BoxModel &model, Random &random) {
    const int d = static_cast<int>(pick(random, 0, model.n_dims - 1));
    std::vector<halo_box> boxes;
    for (int64_t at = model.domain.low[d]; at < model.domain.high[d]; ++at) {
        halo_box box = model.domain;
        box.low[d] = at;
        box.high[d] = at + 1;
        split(model, box, static_cast<int32_t>(pick(random, 0, 1)), 1, random, boxes);
    }
    return boxes;
}

std::vector<halo_box> boxes_of_style(const BoxModel &model, BoxStyle style, Random &random) {
    std::vector<halo_box> boxes;
    switch (style) {
    case BoxStyle::tiles: split(model, model.domain, static_cast<int32_t>(pick(random, 1, 4)), 1, random, boxes); break;
    case BoxStyle::slivers: boxes = slivers(model, random); break;
    case BoxStyle::holes:
        split(model, model.domain, static_cast<int32_t>(pick(random, 2, 4)), 1, random, boxes);
        std::shuffle(boxes.begin(), boxes.end(), random);
        boxes.resize(static_cast<size_t>(pick(random, 1, std::ssize(boxes))));
        break;
    case BoxStyle::overlap:
        for (int64_t n = pick(random, 2, 7); n > 0; --n) boxes.push_back(random_box(model, random));
        break;
    case BoxStyle::alone: boxes.push_back(chance(random, 0.7) ? model.domain : random_box(model, random)); break;
    }
    std::shuffle(boxes.begin(), boxes.end(), random);
    return boxes;
}

void make_blocks(BoxModel &model, int32_t n_ranks, Random &random) {
    model.domain = { { 0, 0, 0 }, { 1, 1, 1 } };
    const int64_t most[] = { 6, 4, 3 };
    Triple blocks{ 1, 1, 1 };
    for (int d = 0; d < model.n_dims; ++d) {
        blocks[d] = pick(random, 1, most[model.n_dims - 1]);
        model.block_cells[d] = pick(random, 1, most[model.n_dims - 1]);
        model.domain.high[d] = blocks[d] * model.block_cells[d];
    }
    for (int64_t z = 0; z < blocks[2]; ++z)
        for (int64_t y = 0; y < blocks[1]; ++y)
            for (int64_t x = 0; x < blocks[0]; ++x) {
                const Triple at{ x, y, z };
                BoxPart part;
                for (int d = 0; d < 3; ++d) {
                    part.cells.low[d] = at[d] * model.block_cells[d];
                    part.cells.high[d] = part.cells.low[d] + model.block_cells[d];
                }
                part.owner = static_cast<int32_t>(pick(random, 0, n_ranks - 1));
                model.parts.push_back(part);
            }
}

// Enough cells for any grid. The parts stand for those that the library will make, which the model then takes over.
void make_cut(BoxModel &model, int32_t n_ranks, Random &random) {
    model.n_parts_per_rank = static_cast<int32_t>(pick(random, 1, 3));
    const int64_t n = int64_t{ n_ranks } * model.n_parts_per_rank;
    for (int d = 0; d < model.n_dims; ++d) model.domain.high[d] = std::max(model.domain.high[d], model.domain.low[d] + (d == 0 ? n : 1));
    for (int64_t gid = 0; gid < n; ++gid) {
        BoxPart part;
        part.cells = model.domain;
        part.cells.low[0] = model.domain.low[0] + (model.domain.high[0] - model.domain.low[0]) * gid / n;
        part.cells.high[0] = model.domain.low[0] + (model.domain.high[0] - model.domain.low[0]) * (gid + 1) / n;
        part.owner = static_cast<int32_t>(gid / model.n_parts_per_rank);
        model.parts.push_back(part);
    }
}

} // namespace

void make_parts(BoxModel &model, BoxStyle style, int32_t n_ranks, Random &random) {
    model.parts.clear();
    if (model.form == BoxForm::blocks) return make_blocks(model, n_ranks, random);
    set_domain(model, random);
    if (model.form == BoxForm::cut) return make_cut(model, n_ranks, random);
    const int64_t used = chance(random, 0.3) ? pick(random, 1, n_ranks) : n_ranks; // the others stay empty
    for (const halo_box &box : boxes_of_style(model, style, random)) {
        BoxPart part;
        part.cells = box;
        part.owner = static_cast<int32_t>(n_ranks - 1 - pick(random, 0, used - 1));
        part.priority = style == BoxStyle::overlap || chance(random, 0.1) ? static_cast<int32_t>(pick(random, -1, 1)) : 0;
        model.parts.push_back(part);
    }
    if (model.form == BoxForm::distributed) // gids go rank by rank
        std::stable_sort(model.parts.begin(), model.parts.end(), [](const BoxPart &a, const BoxPart &b) { return a.owner < b.owner; });
}

// The bits of a face or an edge name directions.
std::vector<int32_t> centrings_in(int32_t n_dims) {
    std::vector<int32_t> centrings;
    for (int32_t centring = 0; centring < n_centrings; ++centring) {
        const bool is_one_place = centring < HALO_CENTRE_NODE;
        if (is_one_place ? centring >> n_dims == 0 : n_dims > 1 || centring != HALO_CENTRE_EDGES) centrings.push_back(centring);
    }
    return centrings;
}

std::vector<int32_t> BoxField::places(int32_t n_dims) const {
    const int32_t used = (1 << n_dims) - 1;
    if (centring == HALO_CENTRE_FACES) {
        std::vector<int32_t> faces;
        faces.reserve(3);
        for (int d = 0; d < n_dims; ++d) faces.push_back(1 << d);
        return faces;
    }
    if (centring == HALO_CENTRE_EDGES) return n_dims == 2 ? std::vector<int32_t>{ 3 } : std::vector<int32_t>{ 6, 5, 3 };
    return { centring & used };
}

namespace {

int64_t points_of(const BoxModel &model, const BoxField &field) {
    int64_t sum = 0;
    for (const BoxPart &part : model.parts) {
        int64_t points = field.n_components * std::ssize(field.places(model.n_dims));
        for (int d = 0; d < model.n_dims; ++d) points *= part.cells.high[d] - part.cells.low[d] + 1 + field.ghosts.low[d] + field.ghosts.high[d];
        sum += points;
    }
    return sum;
}

bool combines(halo_type type, halo_op op) {
    if (op == HALO_USER) return true;
    if (type == HALO_BYTES || type == HALO_FLOAT16 || type == HALO_BFLOAT16) return false;
    return (type != HALO_COMPLEX64 && type != HALO_COMPLEX128) || op == HALO_SUM || op == HALO_PROD;
}

BoxField make_field(const BoxCase &made, Random &random) {
    BoxField field;
    do field.type = static_cast<halo_type>(pick(random, HALO_FLOAT32, HALO_BFLOAT16));
    while (made.desc.kind != HALO_KIND_GHOSTS && !combines(field.type, made.desc.op));
    field.element_bytes = field.type == HALO_BYTES ? pick(random, 1, 9) : bytes_of(field.type);
    field.n_components = static_cast<int32_t>(pick(random, 1, 3));
    const std::vector<int32_t> centrings = centrings_in(made.model.n_dims);
    field.centring = centrings[static_cast<size_t>(pick(random, 0, std::ssize(centrings) - 1))];
    for (int d = 0; d < made.model.n_dims; ++d) {
        const int64_t most = made.model.form == BoxForm::blocks ? made.model.block_cells[d] : made.model.reach;
        field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, most));
        field.ghosts.high[d] = static_cast<int32_t>(pick(random, 0, most));
    }
    field.layout = static_cast<int>(pick(random, 0, n_box_layouts - 1));
    return field;
}

void shrink(const BoxModel &model, BoxField &field) {
    while (points_of(model, field) > most_points && field.n_components > 1) --field.n_components;
    for (int32_t width = 4; points_of(model, field) > most_points && width >= 1; --width)
        for (int d = 0; d < 3; ++d) {
            field.ghosts.low[d] = std::min(field.ghosts.low[d], width);
            field.ghosts.high[d] = std::min(field.ghosts.high[d], width);
        }
}

BoxRun make_run(const BoxCase &made, Random &random) {
    BoxRun run;
    int32_t fewest = 100;
    for (const BoxField &field : made.fields) fewest = std::min(fewest, field.n_components);
    if (chance(random, 0.3)) {
        run.first_component = static_cast<int32_t>(pick(random, 0, fewest - 1));
        run.n_components = static_cast<int32_t>(pick(random, 0, fewest - run.first_component));
    }
    if (chance(random, 0.3)) run.depth = static_cast<int32_t>(pick(random, 1, 3));
    if (made.fields.size() > 1 && chance(random, 0.3)) {
        run.mask.assign(made.fields.size(), 0);
        for (int32_t &takes_part : run.mask) takes_part = chance(random, 0.5);
        if (!chance(random, 0.1)) run.mask[static_cast<size_t>(pick(random, 0, std::ssize(run.mask) - 1))] = 1;
    }
    const bool sorts = made.desc.combine_order == HALO_COMBINE_CANONICAL, by_another = made.desc.kind != HALO_KIND_GHOSTS && chance(random, 0.5);
    const auto fits = [&](const BoxField &field) { return combines(field.type, run.op) && !(sorts && run.op == HALO_USER); };
    while (by_another && (run.op == 0 || !std::all_of(made.fields.begin(), made.fields.end(), fits)))
        run.op = static_cast<halo_op>(pick(random, HALO_SUM, HALO_USER));
    if (chance(random, 0.3)) {
        run.has_ghosts = true;
        for (size_t d = 0; d < 3; ++d) {
            run.low[d] = static_cast<int32_t>(pick(random, 0, 3));
            run.high[d] = static_cast<int32_t>(pick(random, 0, 3));
        }
    }
    return run;
}

} // namespace

// What the coverage table counts depends on the number alone, so that no seed leaves a cell empty. Some centrings there are in three dimensions only,
// and the table wants each with every kind and every `shared`: their numbers, 4, 7 and 10, have no factor in common with the nine pairs of these, so
// that all meet as both take turns.
BoxCase make_box_case(uint64_t first_seed, int64_t number, int32_t n_ranks) {
    BoxCase made;
    Random counted(static_cast<uint64_t>(number) + 1);
    made.model.n_dims = static_cast<int32_t>(number % 3 + 1);
    const int64_t turn = number / 3;
    made.desc.kind = static_cast<int32_t>(turn % 3);
    made.desc.shared = static_cast<int32_t>(turn / 3 % 3);
    const std::vector<int32_t> centrings = centrings_in(made.model.n_dims);
    const int32_t centring = centrings[static_cast<size_t>(turn) % centrings.size()];
    made.model.form = static_cast<BoxForm>(pick(counted, 0, n_box_forms - 1));
    made.style = static_cast<BoxStyle>(pick(counted, 0, n_box_styles - 1));
    made.desc.op = static_cast<halo_op>(pick(counted, HALO_SUM, HALO_USER));
    made.desc.stencil = static_cast<int32_t>(pick(counted, HALO_STENCIL_FULL, HALO_STENCIL_EDGES));
    made.desc.messages = static_cast<int32_t>(pick(counted, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    made.desc.receive = static_cast<int32_t>(pick(counted, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED));

    made.seed = first_seed + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
    Random random(made.seed);
    made.model.reach = static_cast<int32_t>(pick(random, 1, made.model.n_dims == 3 ? 3 : 5));
    for (int d = 0; d < made.model.n_dims; ++d) made.model.periodic[d] = chance(random, 0.5);
    make_parts(made.model, made.style, n_ranks, random);
    made.phases = chance(random, 0.4);
    for (int64_t n = pick(random, 1, 3); n > 0; --n) made.fields.push_back(make_field(made, random));
    made.fields[0].centring = centring;
    for (BoxField &field : made.fields) shrink(made.model, field);
    if (made.desc.op != HALO_USER && chance(random, 0.3)) made.desc.combine_order = HALO_COMBINE_CANONICAL;
    made.runs.push_back({});
    for (int64_t n = pick(random, 0, 2); n > 0; --n) made.runs.push_back(make_run(made, random));
    return made;
}

const char *style_name(BoxStyle style) {
    static constexpr const char *names[n_box_styles] = { "tiles", "slivers", "holes", "overlap", "alone" };
    return name_in(names, static_cast<int>(style));
}

const char *box_layout_name(int layout) {
    static constexpr const char *names[n_box_layouts] = { "natural", "padded", "components fastest", "places fastest", "aligned", "mapped" };
    return name_in(names, layout);
}

const char *op_name(halo_op op) {
    static constexpr const char *names[] = { "sum", "min", "max", "prod", "user" };
    return name_in(names, op - HALO_SUM);
}

const char *kind_name(int32_t kind) {
    static constexpr const char *names[] = { "ghosts", "reverse", "shared reduce" };
    return name_in(names, kind);
}

const char *shared_name(int32_t shared) {
    static constexpr const char *names[] = { "keep", "owner", "only" };
    return name_in(names, shared);
}

const char *centring_name(int32_t centring) {
    static constexpr const char *names[n_centrings] = {
        "cell", "face x", "face y", "edge z", "face z", "edge y", "edge x", "node", "faces", "edges"
    };
    return name_in(names, centring);
}

std::string BoxCase::describe() const {
    std::string text = text_of("seed %llu: %s, ", static_cast<unsigned long long>(seed), style_name(style)) + model.describe();
    for (const BoxField &field : fields)
        text += text_of("\n  field of type %d (%lld bytes), %d components, %s, ghosts %d+%d %d+%d %d+%d, %s", field.type,
                        static_cast<long long>(field.element_bytes), field.n_components, centring_name(field.centring), field.ghosts.low[0],
                        field.ghosts.high[0], field.ghosts.low[1], field.ghosts.high[1], field.ghosts.low[2], field.ghosts.high[2],
                        box_layout_name(field.layout));
    text += text_of("\n  exchange: %s, %s, shared %s, stencil %d, %s, receive %d, %s", kind_name(desc.kind), op_name(desc.op),
                    shared_name(desc.shared), desc.stencil, desc.messages == HALO_MESSAGES_AGGREGATE ? "aggregated" : "per channel", desc.receive,
                    phases ? "phases" : "start and finish");
    if (desc.combine_order == HALO_COMBINE_CANONICAL) text += ", canonical";
    for (const BoxRun &run : runs)
        text += text_of("\n  run: components %d+%d, depth %d, %s %d %d %d, %d %d %d, op %d, %zu in mask", run.first_component, run.n_components,
                        run.depth, run.has_ghosts ? "ghosts" : "no ghosts said", run.low[0], run.low[1], run.low[2], run.high[0], run.high[1],
                        run.high[2], run.op, run.mask.size());
    return text;
}

} // namespace conformance
