// SPDX-License-Identifier: BSD-3-Clause
// What the caller has said: fields, and stages that read and write them. Checked one by one; how stages go together is checked by dependencies.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/axis.h"
#include "analysis/offsets.h"

namespace halo {

struct StencilField {
    std::string name;
    bool temporary = false;
    int32_t n_components = 1;
};

struct StencilAccess {
    size_t field = 0;
    int32_t mode = HALO_STENCIL_READ;
    int32_t interval = HALO_STENCIL_ALL;
    Offsets at;               // with levels: its part in the plane
    int64_t down = 0, up = 0; // with levels: its part in the vertical

    bool reads() const { return mode != HALO_STENCIL_WRITE; }
    bool writes() const { return mode != HALO_STENCIL_READ; }
    bool off_centre() const { return at.off_centre() || down != 0 || up != 0; }
};

struct StencilStage {
    std::string name;
    bool conditional = false;
    int32_t direction = HALO_STENCIL_PARALLEL;
    double work = 0;
    std::vector<StencilAccess> accesses;
    std::vector<halo_stencil_interval> intervals;
    std::vector<LevelRange> ranges; // of the intervals; one at least

    LevelRange levels() const { return { ranges.front().first, ranges.back().last }; }
    bool applies(const StencilAccess &access, int64_t level) const {
        return access.interval == HALO_STENCIL_ALL ? levels().holds(level) : ranges[static_cast<size_t>(access.interval)].holds(level);
    }
    bool writes(size_t field) const;
    bool writes_any() const;
};

class Program {
public:
    explicit Program(const halo_stencil_desc &desc);

    int32_t add_field(const halo_stencil_field_desc &desc);
    int32_t add_stage(const halo_stencil_stage_desc &desc);

    const std::vector<StencilField> &fields() const { return fields_; }
    const std::vector<StencilStage> &stages() const { return stages_; }
    const halo_stencil_desc &desc() const { return desc_; } // but for the list of splitters
    const Axis &axis() const { return axis_; }
    size_t n_levels() const { return static_cast<size_t>(axis_.n_levels()); }
    size_t n_dims() const { return static_cast<size_t>(desc_.n_dims); }
    // In which ghosts lie.
    size_t n_cut_dims() const { return axis_.has_levels() ? 2 : n_dims(); }
    bool knows_cells() const;

    // "stage 2 (flux)".
    std::string stage_text(size_t stage) const;
    // "<-1,1> <0,0>", as the caller gave it.
    std::string access_text(const StencilAccess &access) const;

private:
    StencilAccess read_access(const StencilStage &stage, const halo_stencil_access &access, const std::string &what) const;
    void check_twice(const StencilStage &stage, const std::string &what) const;

    halo_stencil_desc desc_;
    Axis axis_;
    std::vector<StencilField> fields_;
    std::vector<StencilStage> stages_;
};

} // namespace halo
