// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/choice.h"

#include <optional>

#include "base/checked.h"

namespace halo {

namespace {

constexpr size_t most_tried = 10;                    // candidates of which all subsets are tried
constexpr int64_t most_counted = int64_t{ 1 } << 52; // cells, or values of a field: sums of a thousand are numbers

// Cells of a part on one level; with an extent, those that it reaches from them. Where parts are not known: 0.
int64_t cells_of(const Program &program, const Offsets *extent) {
    if (!program.knows_cells()) return 0;
    Checked cells = 1;
    for (size_t d = 0; d < program.n_cut_dims(); ++d) cells = cells * (program.desc().cells[d] + (extent ? extent->high[d] - extent->low[d] : 0));
    return cells.value("stencil: cells of a part", most_counted);
}

Offsets with_own_cells(const Offsets &extent) { return enclosing(extent, Offsets::cell()); }

Costs costs_of(const Program &program, const Needs &needs, const std::vector<Window> &windows, const Groups &groups) {
    const halo_stencil_desc &desc = program.desc();
    Costs costs;
    for (const Window &group : groups.common) costs.n_groups += group.once ? 0 : 1;
    for (size_t i = 0; i < needs.filled.size(); ++i) costs.values += windows[i].once ? 0 : values_of(program, needs.filled[i]);
    costs.cost = desc.exchange_cost * costs.n_groups + desc.value_cost * static_cast<double>(costs.values);
    for (size_t s = 0; s < needs.computed.size(); ++s) {
        int64_t twice = 0;
        for (const Offsets &run : needs.computed[s])
            if (!run.empty) twice += cells_of(program, &run) - cells_of(program, nullptr);
        costs.cells_twice += twice;
        costs.cost += program.stages()[s].work * static_cast<double>(twice);
    }
    return costs;
}

Choice choice_of(const Program &program, const std::vector<Candidate> &found, const std::vector<char> &exchanged) {
    Choice choice;
    choice.needs = find_needs(program, found, exchanged);
    choice.windows = windows(program, choice.needs);
    choice.groups = group(choice.windows, program.desc().repeats ? static_cast<int64_t>(program.stages().size()) : 0);
    choice.costs = costs_of(program, choice.needs, choice.windows, choice.groups);
    return choice;
}

// Looks for the least cost among choices whose ghosts fit.
class Search {
public:
    Search(const Program &program, const std::vector<Candidate> &found) : program_(program), found_(found) {}

    Choice run() {
        if (found_.size() <= most_tried)
            all();
        else
            one_by_one();
        return best_ ? std::move(*best_) : choice_of(program_, found_, std::vector<char>(found_.size(), 0)); // which will be refused
    }

private:
    bool better(const std::vector<char> &exchanged) {
        Choice tried = choice_of(program_, found_, exchanged);
        if (!fits_parts(program_, tried.needs) || (best_ && best_->costs.cost <= tried.costs.cost)) return false;
        best_ = std::move(tried);
        return true;
    }

    void all() {
        std::vector<char> exchanged(found_.size());
        for (size_t subset = 0; subset < size_t{ 1 } << found_.size(); ++subset) {
            for (size_t i = 0; i < found_.size(); ++i) exchanged[i] = static_cast<char>(subset >> i & 1);
            better(exchanged);
        }
    }

    // From nothing exchanged on, or where that does not fit from everything: each step changes what lowers the cost most.
    void one_by_one() {
        std::vector<char> exchanged(found_.size(), 0);
        if (!better(exchanged)) {
            exchanged.assign(found_.size(), 1);
            better(exchanged);
        }
        for (bool again = true; again;) {
            again = false;
            const std::vector<char> from = exchanged;
            for (size_t i = 0; i < found_.size(); ++i) {
                std::vector<char> changed = from;
                changed[i] = static_cast<char>(1 - changed[i]);
                if (better(changed)) exchanged = changed, again = true;
            }
        }
    }

    const Program &program_;
    const std::vector<Candidate> &found_;
    std::optional<Choice> best_;
};

} // namespace

int64_t values_of(const Program &program, const FilledGhosts &filled) {
    int64_t cells = 0;
    for (const Offsets &level : filled.levels) {
        const Offsets around = with_own_cells(level);
        cells += cells_of(program, &around) - cells_of(program, nullptr);
    }
    return (Checked(cells) * program.fields()[filled.field].n_components).value("stencil: values of ghosts", most_counted);
}

Choice choose(const Program &program) {
    const std::vector<Candidate> found = candidates(program);
    const bool all = program.desc().exchanged == HALO_STENCIL_EXCHANGE;
    Choice choice = program.desc().exchanged == HALO_STENCIL_CHEAPEST ? Search(program, found).run()
                                                                      : choice_of(program, found, std::vector<char>(found.size(), all ? 1 : 0));
    check_fits_parts(program, choice.needs);
    return choice;
}

} // namespace halo
