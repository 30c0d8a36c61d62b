// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/program.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"

namespace halo {

namespace {

constexpr int64_t most_listed = 65536; // fields, stages, accesses of a stage

void check_choice(const char *what, int32_t value, int32_t most) {
    if (value < 0 || value > most) fail(HALO_ERR_ARGUMENT, "stencil: %s is %d, it must be 0 to %d", what, value, most);
}

void check_cost(const std::string &what, double cost) {
    if (!(cost >= 0) || std::isinf(cost)) fail(HALO_ERR_ARGUMENT, "%s is %g; a cost is 0 or more", what.c_str(), cost);
}

} // namespace

bool StencilStage::writes(size_t field) const {
    return std::any_of(accesses.begin(), accesses.end(), [&](const StencilAccess &access) { return access.writes() && access.field == field; });
}

bool StencilStage::writes_any() const {
    return std::any_of(accesses.begin(), accesses.end(), [](const StencilAccess &access) { return access.writes(); });
}

Program::Program(const halo_stencil_desc &desc) : desc_(desc) {
    if (desc.n_dims < 1 || desc.n_dims > 3) fail(HALO_ERR_ARGUMENT, "stencil: n_dims is %d, it must be 1, 2 or 3", desc.n_dims);
    for (size_t d = 0; d < n_dims(); ++d) {
        if (desc.cells[d] < 0)
            fail(HALO_ERR_ARGUMENT, "stencil: %lld cells along direction %zu; 0 if they are not known", static_cast<long long>(desc.cells[d]), d);
        check_limit("stencil: cells of a part", desc.cells[d], limits::part_cells);
    }
    check_choice("order", desc.order, HALO_STENCIL_BY_STAGES);
    check_choice("exchanged", desc.exchanged, HALO_STENCIL_CHEAPEST);
    check_choice("repeats", desc.repeats, 1);
    check_cost("stencil: exchange_cost", desc.exchange_cost);
    check_cost("stencil: value_cost", desc.value_cost);
    if (desc.splitters || desc.n_splitters != 0) {
        if (!desc.splitters || desc.n_splitters < 0 || desc.n_dims != 3)
            fail(HALO_ERR_ARGUMENT, "stencil: %d splitters at address %p in %d dimensions; levels want three", desc.n_splitters,
                 static_cast<const void *>(desc.splitters), desc.n_dims);
        axis_ = Axis({ desc.splitters, static_cast<size_t>(desc.n_splitters) }, desc.max_offset);
        if (desc.cells[2] != 0 && desc.cells[2] != axis_.n_levels())
            fail(HALO_ERR_ARGUMENT, "stencil: %lld cells along direction 2, which has %lld levels", static_cast<long long>(desc.cells[2]),
                 static_cast<long long>(axis_.n_levels()));
    }
    desc_.splitters = nullptr;
    if (desc.exchanged == HALO_STENCIL_CHEAPEST && !knows_cells())
        fail(HALO_ERR_ARGUMENT, "stencil: HALO_STENCIL_CHEAPEST wants `cells`, which are what costs are counted in");
}

bool Program::knows_cells() const {
    return std::all_of(desc_.cells, desc_.cells + n_cut_dims(), [](int64_t n) { return n > 0; });
}

int32_t Program::add_field(const halo_stencil_field_desc &desc) {
    if (!desc.name || desc.name[0] == '\0') fail(HALO_ERR_ARGUMENT, "stencil: a field without a name");
    for (const StencilField &other : fields_)
        if (other.name == desc.name) fail(HALO_ERR_EXISTS, "stencil: there is a field '%s' already", desc.name);
    check_choice("temporary", desc.temporary, 1);
    if (desc.n_components < 1) fail(HALO_ERR_ARGUMENT, "stencil: field %s has %d components", desc.name, desc.n_components);
    check_limit("stencil: the number of fields", std::ssize(fields_) + 1, most_listed);
    fields_.push_back({ desc.name, desc.temporary != 0, desc.n_components });
    return static_cast<int32_t>(fields_.size()) - 1;
}

int32_t Program::add_stage(const halo_stencil_stage_desc &desc) {
    StencilStage stage;
    stage.name = desc.name ? desc.name : "";
    const std::string what = format("stencil: stage %zu (%s)", stages_.size(), stage.name.c_str());
    if (desc.n_accesses < 1 || !desc.accesses)
        fail(HALO_ERR_ARGUMENT, "%s has %d accesses at address %p", what.c_str(), desc.n_accesses, static_cast<const void *>(desc.accesses));
    check_limit("stencil: n_accesses", desc.n_accesses, most_listed);
    check_limit("stencil: the number of stages", std::ssize(stages_) + 1, most_listed);
    check_choice("conditional", desc.conditional, 1);
    check_choice("direction", desc.direction, HALO_STENCIL_DOWNWARD);
    check_cost(what + ": work", desc.work);
    if (desc.n_intervals < 0 || (desc.n_intervals > 0) != (desc.intervals != nullptr))
        fail(HALO_ERR_ARGUMENT, "%s has %d intervals at address %p", what.c_str(), desc.n_intervals, static_cast<const void *>(desc.intervals));
    if (!axis_.has_levels() && (desc.n_intervals > 0 || desc.direction != HALO_STENCIL_PARALLEL))
        fail(HALO_ERR_ARGUMENT, "%s has intervals or a direction, but the stencil has no splitters", what.c_str());
    stage.conditional = desc.conditional != 0;
    stage.direction = desc.direction;
    stage.work = desc.work;
    stage.intervals.assign(desc.intervals, desc.intervals + desc.n_intervals);
    axis_.check(stage.intervals, what);
    for (const halo_stencil_interval &interval : stage.intervals) stage.ranges.push_back(axis_.range(interval));
    if (stage.ranges.empty()) stage.ranges.push_back(axis_.all());
    for (int32_t a = 0; a < desc.n_accesses; ++a) stage.accesses.push_back(read_access(stage, desc.accesses[a], what + format(", access %d", a)));
    check_twice(stage, what);
    stages_.push_back(std::move(stage));
    return static_cast<int32_t>(stages_.size()) - 1;
}

StencilAccess Program::read_access(const StencilStage &stage, const halo_stencil_access &given, const std::string &what) const {
    if (given.field < 0 || given.field >= std::ssize(fields_))
        fail(HALO_ERR_ARGUMENT, "%s: field %d; there are %zu fields", what.c_str(), given.field, fields_.size());
    StencilAccess access;
    access.field = static_cast<size_t>(given.field);
    const char *const field = fields_[access.field].name.c_str();
    if (given.mode < HALO_STENCIL_READ || given.mode > HALO_STENCIL_UPDATE)
        fail(HALO_ERR_ARGUMENT, "%s to %s: mode %d is none of HALO_STENCIL_READ, _WRITE, _UPDATE", what.c_str(), field, given.mode);
    if (given.interval < HALO_STENCIL_ALL || given.interval >= std::max<int64_t>(1, std::ssize(stage.intervals)))
        fail(HALO_ERR_ARGUMENT, "%s to %s: interval %d; the stage has %zu", what.c_str(), field, given.interval, stage.intervals.size());
    if (given.reserved != 0) fail(HALO_ERR_ARGUMENT, "%s to %s: reserved is %d, not 0", what.c_str(), field, given.reserved);
    access.mode = given.mode;
    access.interval = given.interval;
    access.at = Offsets::cell();
    for (size_t d = 0; d < 3; ++d) {
        const int32_t low = given.low[d], high = given.high[d];
        if (low > high || low < -limits::reach || high > limits::reach || ((low != 0 || high != 0) && (d >= n_dims() || access.writes())))
            fail(HALO_ERR_ARGUMENT,
                 "%s to %s: extent <%d,%d> in direction %zu; it must ascend, stay within %d, and be <0,0> of what is written and in "
                 "directions that are not used",
                 what.c_str(), field, low, high, d, limits::reach);
        if (d == 2 && axis_.has_levels()) {
            access.down = low;
            access.up = high;
        } else {
            access.at.low[d] = low;
            access.at.high[d] = high;
        }
    }
    return access;
}

// A cell is written once by a stage.
void Program::check_twice(const StencilStage &stage, const std::string &what) const {
    for (size_t a = 0; a < stage.accesses.size(); ++a)
        for (size_t b = 0; b < a; ++b) {
            const StencilAccess &one = stage.accesses[a], &other = stage.accesses[b];
            const bool same_levels = one.interval == other.interval || one.interval == HALO_STENCIL_ALL || other.interval == HALO_STENCIL_ALL;
            if (one.writes() && other.writes() && one.field == other.field && same_levels)
                fail(HALO_ERR_ARGUMENT, "%s: accesses %zu and %zu both write %s", what.c_str(), b, a, fields_[one.field].name.c_str());
        }
}

std::string Program::stage_text(size_t stage) const { return format("stage %zu (%s)", stage, stages_[stage].name.c_str()); }

std::string Program::access_text(const StencilAccess &access) const {
    Offsets whole = access.at;
    if (axis_.has_levels()) {
        whole.low[2] = access.down;
        whole.high[2] = access.up;
    }
    return text_of(whole, desc_.n_dims);
}

} // namespace halo
