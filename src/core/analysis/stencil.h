// SPDX-License-Identifier: BSD-3-Clause
// A sequence of stages and, once analysed, what follows from it: the object behind halo_stencil.
#pragma once

#include <optional>

#include "analysis/choice.h"
#include "analysis/program.h"

namespace halo {

class Stencil {
public:
    explicit Stencil(const halo_stencil_desc &desc) : program_(desc) {}

    // HALO_ERR_STATE after analyse.
    Program &editable();
    const Program &program() const { return program_; }
    void analyse();

    // The rest: HALO_ERR_STATE before analyse.
    const Choice &result() const;
    const std::vector<halo_stencil_loop> &loops() const;

    // HALO_ERR_NOT_FOUND
    size_t require_field(int32_t field) const;
    size_t require_stage(int32_t stage) const;
    size_t require_filled(int32_t exchange) const;
    size_t require_group(int32_t group) const;

    halo_stencil_field field(int32_t field) const;
    halo_stencil_stage stage(int32_t stage) const;
    std::vector<halo_stencil_exchange> exchanges() const;
    std::vector<halo_stencil_group> groups() const;
    std::vector<halo_stencil_range> stage_ranges(int32_t stage) const;
    std::vector<halo_stencil_range> filled_ranges(int32_t exchange) const;
    std::vector<int32_t> loop_intervals(int32_t stage) const;
    std::string text() const;

private:
    Program program_;
    std::optional<Choice> result_;
    std::vector<halo_stencil_loop> loops_;
};

} // namespace halo
