// SPDX-License-Identifier: BSD-3-Clause
// Sparse fields of cells on forests of several levels: which blocks are null, what arrives where there is no storage, what ghosts hold then.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "stored.h"

namespace {

using namespace levels;

constexpr int64_t n_runs = 6, empty_run = 3; // in which no block has storage
constexpr double not_owned = -65536, spoiled = 1 << 20, not_looked_at = 1e300;
constexpr size_t guard_bytes = 64;
constexpr std::byte guard{ 0x5a };

uint64_t mixed(std::initializer_list<int64_t> numbers) {
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (const int64_t n : numbers) h = (h ^ static_cast<uint64_t>(n)) * 0xBF58476D1CE4E5B9u, h ^= h >> 29;
    return h;
}

// ---- random cases

struct FieldCase {
    std::array<int32_t, 3> low{}, high{}; // one at least, so that all that touch send something
    int32_t prolongation = HALO_PROLONG_MINMOD;
    halo_type type = HALO_FLOAT64;
    int64_t threshold = 0;
    double fill = 7;
};

struct SparseCase {
    Shape shape;
    int64_t number = 0, seed = 0;
    std::vector<FieldCase> fields;
    int32_t n_components = 1;
    bool per_channel = false, probed = false;
    bool calls_back = true; // else arrivals are listed
    bool by_phases = true;  // else physical borders have coarse cells that nobody fills

    explicit SparseCase(uint64_t of) : number(static_cast<int64_t>(of)), seed(number) {
        Random random(of + 7000);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 1 + below(3);
        const bool is_3d = shape.n_dims == 3;
        const auto dims = static_cast<size_t>(shape.n_dims);
        shape.turned = below(2) == 0, shape.distributed = below(2) == 0;
        shape.n_cells = 4 + 2 * below(is_3d ? 2 : 3);
        by_phases = below(2) == 0, per_channel = below(2) == 0, probed = below(2) == 0, calls_back = below(2) == 0;
        const bool has_no_border = !by_phases && below(2) == 0;
        int64_t n_roots = shape.n_trees = 1 + below(is_3d ? 2 : 3);
        for (size_t d = 0; d < dims; ++d) {
            n_roots *= shape.n_roots[d] = 1 + below(is_3d ? 2 : 3);
            shape.periodic[d] = below(2) == 0 || has_no_border;
        }
        shape.deepest = 1 + below(is_3d ? (n_roots > 6 ? 1 : 2) : (n_roots > 9 ? 2 : 3));
        for (int tries = 0; tries < 20 && !Model(shape, static_cast<uint64_t>(seed), 1).has_levels(); ++tries) seed += 1000;
        n_components = 1 + below(2);
        fields.resize(static_cast<size_t>(1 + below(2)));
        for (FieldCase &field : fields) {
            field.prolongation = below(3) == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
            field.type = below(3) == 0 ? HALO_FLOAT32 : HALO_FLOAT64;
            field.threshold = below(2) == 0 ? 16 : 0;
            field.fill = std::array{ 7, -3, 1000 }[static_cast<size_t>(below(3))];
            const int64_t widest = field.prolongation == HALO_PROLONG_MINMOD ? shape.n_cells - 2 : shape.n_cells;
            const auto most = static_cast<uint64_t>(std::min<int64_t>({ widest, shape.n_cells / 2, 4 }));
            const bool even = below(2) == 0;
            for (size_t d = 0; d < dims; ++d)
                for (int32_t *width : { &field.low[d], &field.high[d] }) *width = even ? 2 * (1 + below(most / 2)) : 1 + below(most);
        }
    }
};

// ---- a field

// A value that is read: a leaf's cell of this level or, where a finer leaf lies, the mean of those in it.
struct Source {
    int64_t gid; // -1: it lies outside the domain
    int32_t level;
    Place cell;
};
// Of a ghost: what it gets, or what it is made from, the middle first, then those below and above along each axis. None: it lies outside the domain.
using Sources = std::vector<Source>;

// A field of a case: what blocks hold at a time, on whatever rank, and what others get of that; storage of this rank's, as natural layouts have it.
class SparseField {
public:
    SparseField(const SparseCase &of, size_t number, const Model &model, halo_topology *topology)
        : of_(of),
          number_(static_cast<int32_t>(number)),
          model_(model) {
        const std::string name = "u" + std::to_string(number);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name.c_str(), desc.type = field().type, desc.n_components = of.n_components;
        desc.sparse = 1, desc.threshold = static_cast<double>(field().threshold), desc.fill = field().fill;
        std::ranges::copy(field().low, desc.ghost_low);
        std::ranges::copy(field().high, desc.ghost_high);
        OK(halo_field_create(topology, &desc, &handle_));
        OK(halo_field_set_prolongation(handle_, field().prolongation));
        for (size_t d = 0; d < 3; ++d) n_cells_ *= extent(d);
        for (const int64_t gid : parts_of(topology)) add_part(gid);
    }
    ~SparseField() { halo_field_destroy(&handle_); }
    SparseField(const SparseField &) = delete;
    SparseField &operator=(const SparseField &) = delete;
    halo_field *handle() const { return handle_; }

    // Storage as blocks have it at this time, with owned cells alone.
    void begin(int64_t time, bool is_in_run) {
        constexpr uint64_t shares[] = { 1, 3, 6 };
        time_ = time, is_in_run_ = is_in_run;
        const uint64_t share = shares[mixed({ of_.seed, number_, time, 1 }) % 3];
        kinds_.clear();
        for (int64_t gid = 0; gid < std::ssize(model_.blocks()); ++gid) {
            const uint64_t kind = time == empty_run ? 9 : drawn(2, gid) % 10;
            kinds_.push_back(kind < share ? Kind::data : kind % 2 == 0 ? Kind::null : Kind::none);
        }
        for (Part &part : parts_) {
            part.wanted.clear(), part.told = 0, part.arrives = false;
            const bool has_storage = !has(Kind::none, part.gid);
            const bool stays = has_storage && part.data() && drawn(5, part.gid) % 2 == 0;
            if (!stays) bind(part, has_storage ? bytes() : 0);
            for (int64_t i = 0; has_storage && i < n_elements(); ++i) {
                const Cell at = cell(part, i);
                part.wanted.push_back(at.out == 0 ? owned(part.gid, level_of(part.gid), at.in_space, at.component) : not_owned);
                store(part.data(), i, part.wanted.back());
            }
        }
    }
    // Owned cells may change once they have been sent.
    void spoil() {
        for (Part &part : parts_)
            for (int64_t i = 0; i < std::ssize(part.wanted); ++i)
                if (cell(part, i).out == 0) store(part.data(), i, part.wanted[static_cast<size_t>(i)] = spoiled);
    }
    bool takes(int64_t gid) {
        const auto part = std::ranges::find(parts_, gid, &Part::gid);
        if (part == parts_.end() || part->told++ > 0) stop("data came twice, or to another rank, for part %lld", static_cast<long long>(gid));
        if (is_taken(gid)) bind(*part, bytes());
        return is_taken(gid);
    }
    // What a run must leave. Returns how many parts get data without storage.
    int64_t expect(const halo_run &run) {
        const int32_t end = run.n_components > 0 ? run.first_component + run.n_components : of_.n_components;
        for (Part &part : parts_) {
            if (!is_in_run_) continue;
            part.arrives = has(Kind::none, part.gid) && std::ranges::any_of(part.senders, [&](int64_t gid) { return has(Kind::data, gid); });
            if (part.arrives && is_taken(part.gid)) part.wanted.assign(static_cast<size_t>(n_elements()), field().fill);
            for (int64_t i = 0; i < std::ssize(part.wanted); ++i) {
                const Cell at = cell(part, i);
                const Sources &sources = part.sources[static_cast<size_t>(i % n_cells_)];
                const bool is_beyond = run.depth > 0 && at.out > run.depth;
                if (sources.empty() || is_beyond || at.component < run.first_component || at.component >= end) continue;
                const bool is_unknown = !of_.by_phases && std::ranges::any_of(sources, [](const Source &from) { return from.gid < 0; });
                part.wanted[static_cast<size_t>(i)] = is_unknown ? not_looked_at : ghost(part.gid, at.in_space, sources, at.component);
            }
        }
        return std::ranges::count_if(parts_, &Part::arrives);
    }
    void compare() const {
        for (const Part &part : parts_) {
            void *data = nullptr;
            OK(halo_field_data(handle_, part.gid, 0, &data));
            if (part.told != (part.arrives ? 1 : 0)) stop("%s: told %d times that data came", name(part).c_str(), part.told);
            if (data != part.data() || (data == nullptr) != part.wanted.empty()) stop("%s: other storage", name(part).c_str());
            for (size_t i = 0; i < part.wanted.size(); ++i) compare(part, static_cast<int64_t>(i), part.wanted[i]);
            for (size_t i = 0; i < std::min(part.memory.size(), guard_bytes); ++i)
                if (part.memory[i] != guard || part.memory[part.memory.size() - 1 - i] != guard) stop("%s: beside its storage", name(part).c_str());
        }
    }
    // After a run over the field a part has coarse cells if it has storage, and they are needed. Those outside the domain may be filled.
    void check_coarse(const halo_exchange *exchange, bool fills) const {
        for (const Part &part : parts_) {
            if (!is_in_run_ || !model_.has_levels()) continue;
            void *data = nullptr;
            halo_layout to = HALO_LAYOUT_INIT;
            OK(halo_exchange_coarse_data(exchange, number_, part.gid, &data, &to));
            int64_t n_regions = 0, n = 0;
            OK(halo_exchange_level_regions(exchange, number_, part.gid, sizeof(halo_level_region), nullptr, 0, &n_regions));
            if ((data != nullptr) != (part.data() != nullptr && n_regions > 0)) stop("%s: coarse cells: %d", name(part).c_str(), data != nullptr);
            std::array<halo_boundary, 64> sides;
            if (data && fills) OK(halo_exchange_coarse_boundaries(exchange, number_, part.gid, sizeof sides[0], sides.data(), std::ssize(sides), &n));
            for (const halo_boundary &side : std::span(sides).first(static_cast<size_t>(n)))
                for (int64_t z = side.ghosts.low[2]; z < side.ghosts.high[2]; ++z)
                    for (int64_t y = side.ghosts.low[1]; y < side.ghosts.high[1]; ++y)
                        for (int64_t x = side.ghosts.low[0]; x < side.ghosts.high[0]; ++x)
                            for (int32_t c = 0; c < of_.n_components; ++c)
                                store(data, to.first_owned + x * to.stride[0] + y * to.stride[1] + z * to.stride[2] + c * to.component_stride,
                                      outside(level_of(part.gid) - 1, model_.in_space(part.gid, { x, y, z }, of_.shape.n_cells / 2), c));
        }
    }

private:
    enum class Kind : uint8_t { none, null, data }; // of a block, when a run starts; none: it has no storage
    struct Part {
        int64_t gid;
        std::vector<Sources> sources{}; // of each cell; owned ones have none
        std::vector<int64_t> senders{};
        std::vector<std::byte> memory{}; // with guards around
        std::vector<double> wanted{};
        bool arrives = false;
        int told = 0;
        void *data() const { return memory.empty() ? nullptr : const_cast<std::byte *>(memory.data()) + guard_bytes; }
    };
    struct Cell {
        Place at, in_space;
        int32_t component;
        int64_t out; // layers out of the block
    };

    const FieldCase &field() const { return of_.fields[static_cast<size_t>(number_)]; }
    size_t n_dims() const { return static_cast<size_t>(of_.shape.n_dims); }
    int64_t width(size_t d) const { return d < n_dims() ? of_.shape.n_cells : 1; }
    int64_t extent(size_t d) const { return field().low[d] + width(d) + field().high[d]; }
    int64_t n_elements() const { return n_cells_ * of_.n_components; }
    bool is_single() const { return field().type == HALO_FLOAT32; }
    size_t bytes() const { return static_cast<size_t>(n_elements()) * (is_single() ? sizeof(float) : sizeof(double)) + 2 * guard_bytes; }
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    std::string name(const Part &part) const {
        return conformance::text_of("case %lld, run %lld: field %d, part %lld (level %d, %s)", static_cast<long long>(of_.number),
                                    static_cast<long long>(time_), number_, static_cast<long long>(part.gid), level_of(part.gid),
                                    has(Kind::none, part.gid) ? "had no storage" : "had storage");
    }

    bool has(Kind kind, int64_t gid) const { return kinds_[static_cast<size_t>(gid)] == kind; }
    bool is_taken(int64_t gid) const { return drawn(4, gid) % 4 != 0; }
    uint64_t drawn(int64_t what, int64_t gid) const {
        const Block &block = model_.blocks()[static_cast<size_t>(gid)];
        return mixed({ of_.seed, number_, time_, what, block.level, block.at[0], block.at[1], block.at[2] });
    }
    double outside(int32_t level, const Place &at, int32_t c) const { return model_.outside(level, at, c + 8 * number_); }
    // All cells of a block, and all means of them, are null or none is.
    double owned(int64_t gid, int32_t level, const Place &at, int32_t c) const {
        const auto value = static_cast<int64_t>(mixed({ of_.seed, number_, time_, level, at[0], at[1], at[2], c }) >> 1);
        const int64_t least = std::max<int64_t>(field().threshold, 1);
        if (!has(Kind::data, gid)) return static_cast<double>(value % (2 * least - 1) - (least - 1));
        return static_cast<double>((time_ % 2 == 0 ? 1 : -1) * (least + value % 4000));
    }
    Source source(int32_t level, const Place &place) const {
        Place cell = place;
        if (!model_.wrap(level, cell)) return { -1, level, place };
        const Model::Is is = model_.what(level, cell);
        if (is == Model::Is::coarser) stop("model: blocks that touch differ by two levels");
        if (is == Model::Is::leaf) return { model_.leaf_with(level, cell), level, cell };
        return { model_.leaf_with(level + 1, { 2 * cell[0], 2 * cell[1], 2 * cell[2] }), level, cell };
    }
    Sources sources(int64_t gid, const Place &ghost) const {
        const int32_t level = level_of(gid);
        Place place = ghost;
        if (!model_.wrap(level, place)) return {};
        if (model_.what(level, place) != Model::Is::coarser) return { source(level, ghost) };
        for (size_t d = 0; d < 3; ++d) place[d] = floor_half(ghost[d]);
        Sources made{ source(level - 1, place) };
        for (size_t d = 0; d < n_dims() && field().prolongation == HALO_PROLONG_MINMOD; ++d)
            for (const int64_t step : { -1, 1 }) {
                place[d] += step;
                made.push_back(source(level - 1, place));
                place[d] -= step;
            }
        return made;
    }
    // A block halves its own cells when the run starts, whatever they are; others send them if they are data.
    double read(int64_t gid, const Source &from, int32_t c) const {
        if (from.gid < 0) return outside(from.level, from.cell, c);
        const bool is_own = from.gid == gid && from.level < level_of(gid);
        if (is_own ? has(Kind::none, gid) : !has(Kind::data, from.gid)) return field().fill;
        if (from.level == level_of(from.gid)) return owned(from.gid, from.level, from.cell, c);
        double sum = 0;
        const Place &at = from.cell;
        for (int part = 0; part < 1 << n_dims(); ++part)
            sum += owned(from.gid, from.level + 1, { 2 * at[0] + (part & 1), 2 * at[1] + (part >> 1 & 1), 2 * at[2] + (part >> 2) }, c);
        return sum / (1 << n_dims());
    }
    double ghost(int64_t gid, const Place &place, const Sources &sources, int32_t c) const {
        const double middle = read(gid, sources[0], c);
        double made = middle;
        for (size_t d = 0; 2 * d + 1 < sources.size(); ++d) {
            const double slope = minmod(middle - read(gid, sources[2 * d + 1], c), read(gid, sources[2 * d + 2], c) - middle);
            made += ((place[d] & 1) != 0 ? 0.25 : -0.25) * slope;
        }
        return made;
    }

    Cell cell(const Part &part, int64_t element) const {
        Cell found{ {}, {}, 0, 0 };
        for (size_t d = 0; d < 3; ++d) {
            found.at[d] = element % extent(d) - field().low[d];
            found.out = std::max({ found.out, -found.at[d], found.at[d] - width(d) + 1 });
            element /= extent(d);
        }
        found.component = static_cast<int32_t>(element);
        found.in_space = model_.in_space(part.gid, found.at, of_.shape.n_cells);
        return found;
    }
    void store(void *data, int64_t i, double value) const {
        if (is_single())
            static_cast<float *>(data)[i] = static_cast<float>(value);
        else
            static_cast<double *>(data)[i] = value;
    }
    void compare(const Part &part, int64_t i, double wanted) const {
        const double is = is_single() ? static_cast<double>(static_cast<const float *>(part.data())[i]) : static_cast<const double *>(part.data())[i];
        if (is == wanted || wanted == not_looked_at) return;
        const Cell at = cell(part, i);
        stop("%s, cell (%lld, %lld, %lld), component %d is %.17g, wanted %.17g", name(part).c_str(), static_cast<long long>(at.at[0]),
             static_cast<long long>(at.at[1]), static_cast<long long>(at.at[2]), at.component, is, wanted);
    }
    void add_part(int64_t gid) {
        Part part{ gid };
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(handle_, gid, &layout));
        if (layout.elements != n_elements()) stop("part %lld has more elements than cells", static_cast<long long>(gid));
        for (int64_t i = 0; i < n_cells_; ++i) {
            const Cell at = cell(part, i);
            part.sources.push_back(at.out == 0 ? Sources() : sources(gid, at.in_space));
            for (const Source &from : part.sources.back())
                if (from.gid >= 0 && std::ranges::find(part.senders, from.gid) == part.senders.end()) part.senders.push_back(from.gid);
        }
        parts_.push_back(std::move(part));
    }
    void bind(Part &part, size_t n_bytes) {
        std::vector<std::byte> memory(n_bytes, guard); // elsewhere than what has been bound
        part.memory.swap(memory);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = part.data();
        OK(halo_field_bind(handle_, part.gid, &binding));
    }

    const SparseCase &of_;
    int32_t number_;
    const Model &model_;
    halo_field *handle_ = nullptr;
    std::vector<Part> parts_;
    int64_t n_cells_ = 1, time_ = 0; // of a part, with ghosts; of the run
    bool is_in_run_ = true;
    std::vector<Kind> kinds_; // by gid
};

// All fields of a case, and their exchange.
class SparseRun {
public:
    SparseRun(const SparseCase &of, const Model &model, const Rank &rank) : of_(of), forest_(model, rank) {
        std::vector<halo_field *> handles;
        for (size_t number = 0; number < of.fields.size(); ++number) {
            fields_.push_back(std::make_unique<SparseField>(of, number, model, forest_.topology()));
            handles.push_back(fields_.back()->handle());
        }
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AGGREGATE;
        how.receive = of.probed ? HALO_RECEIVE_PROBED : HALO_RECEIVE_POSTED;
        if (of.calls_back) how.arrival = on_arrival, how.arrival_user = this;
        OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &how, &exchange_));
    }
    ~SparseRun() { halo_exchange_destroy(&exchange_); }
    SparseRun(const SparseRun &) = delete;
    SparseRun &operator=(const SparseRun &) = delete;

    // Returns how many parts get data without storage.
    int64_t step(int64_t time) {
        int64_t arrivals = 0;
        const halo_run run = narrowed(time);
        for (size_t f = 0; f < fields_.size(); ++f) fields_[f]->begin(time, mask_[f] != 0);
        exchange(run);
        for (const auto &field : fields_) {
            arrivals += field->expect(run);
            field->compare();
            field->check_coarse(exchange_, false);
        }
        if (lists() && n_listed_ != arrivals) stop("case %lld: other arrivals are listed", static_cast<long long>(of_.number));
        return arrivals;
    }

private:
    bool lists() const { return of_.by_phases || !of_.calls_back; }
    // Some runs leave a field out, or all; others are of a component, or of two layers.
    halo_run narrowed(int64_t time) {
        halo_run run = HALO_RUN_INIT;
        const uint64_t drawn = mixed({ of_.seed, time, 100 }) >> 8;
        mask_.assign(fields_.size(), 1);
        if (time % 4 == 1 && fields_.size() > 1) {
            mask_[drawn % 2] = 0;
            if (drawn % 16 < 4) mask_.assign(fields_.size(), 0);
            run.n_fields = static_cast<int32_t>(fields_.size()), run.field_mask = mask_.data();
        } else if (time > 0 && time % 2 == 0) {
            run.depth = drawn % 2 == 0 ? 2 : 0;
            run.first_component = static_cast<int32_t>(drawn / 2 % static_cast<uint64_t>(of_.n_components));
            run.n_components = drawn % 3 == 0 ? 1 : 0;
        }
        return run;
    }
    void exchange(const halo_run &run) {
        OK(of_.by_phases ? halo_exchange_post(exchange_, &run) : halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
        for (halo_status sent = HALO_BUSY; of_.by_phases && sent == HALO_BUSY; std::this_thread::yield())
            if ((sent = halo_exchange_send(exchange_, HALO_STREAM_NONE)) != HALO_BUSY) OK(sent);
        for (const auto &field : fields_) field->spoil();
        n_listed_ = 0;
        for (int32_t done = lists() ? 0 : 1; done == 0; std::this_thread::yield()) OK(halo_exchange_test(exchange_, &done));
        if (lists()) OK(halo_exchange_arrivals(exchange_, nullptr, 0, &n_listed_));
        std::vector<halo_arrival> arrivals(static_cast<size_t>(n_listed_));
        if (lists()) OK(halo_exchange_arrivals(exchange_, arrivals.data(), n_listed_, &n_listed_));
        for (const halo_arrival &arrival : arrivals)
            if (!of_.calls_back) takes(arrival);
        if (!of_.by_phases) return OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        OK(halo_exchange_unpack(exchange_, HALO_STREAM_NONE));
        for (const auto &field : fields_) field->check_coarse(exchange_, true);
        OK(halo_exchange_refine(exchange_, HALO_STREAM_NONE));
    }
    bool takes(const halo_arrival &arrival) const {
        for (const auto &field : fields_)
            if (field->handle() == arrival.field) return field->takes(arrival.gid);
        stop("an arrival for a field that is not the caller's");
    }
    static halo_status on_arrival(void *user, const halo_arrival *arrival) {
        try {
            return static_cast<const SparseRun *>(user)->takes(*arrival) ? HALO_SUCCESS : HALO_DECLINED;
        } catch (const conformance::Stop &reason) {
            ADD_FAILURE() << "in the callback: " << reason.text;
            return HALO_ERR_STATE;
        }
    }

    const SparseCase &of_;
    Forest forest_;
    std::vector<std::unique_ptr<SparseField>> fields_;
    halo_exchange *exchange_ = nullptr;
    std::vector<int32_t> mask_;
    int64_t n_listed_ = 0;
};

class LevelsSparse : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsSparse, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(LevelsSparse, AreWhatTheModelSays) {
    std::atomic<int64_t> arrivals = 0;
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const SparseCase of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(of.shape, static_cast<uint64_t>(of.seed), rank.size);
            SparseRun run(of, model, rank);
            for (int64_t time = 0; time < n_runs; ++time) arrivals += run.step(time);
        });
        if (HasFailure()) return;
    }
    EXPECT_TRUE(arrivals > 0 || !conformance::threads()); // whose ranks count together
}

} // namespace
