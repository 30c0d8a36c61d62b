// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/needs.h"

#include <algorithm>
#include <ranges>

#include "base/error.h"

namespace halo {

namespace {

class NeedsPass {
public:
    explicit NeedsPass(const Program &program) : program_(program), needed_(program.fields().size(), std::vector<Offsets>(program.n_levels())) {
        needs_.computed.assign(program.stages().size(), std::vector<Offsets>(program.n_levels()));
        needs_.storage.resize(program.fields().size());
        for (size_t f = 0; f < needed_.size(); ++f)
            if (!program.fields()[f].temporary) std::ranges::fill(needed_[f], Offsets::cell()); // its values stay
    }

    Needs run(const std::vector<Candidate> &candidates, const std::vector<char> &exchanged) {
        size_t next = candidates.size();
        for (size_t s = program_.stages().size(); s-- > 0;) {
            for (; next > 0 && candidates[next - 1].stage == s; --next)
                if (exchanged[next - 1]) fill_ghosts(candidates[next - 1].field, static_cast<int64_t>(s));
            const LevelRange levels = program_.stages()[s].levels();
            for (int64_t i = 0; i <= levels.last - levels.first; ++i) // against the order in which the stage runs
                pass(s, program_.stages()[s].direction == HALO_STENCIL_DOWNWARD ? levels.first + i : levels.last - i);
        }
        for (size_t f = program_.fields().size(); f-- > 0;)
            if (!program_.fields()[f].temporary) fill_ghosts(f, -1);
        std::ranges::reverse(needs_.filled);
        return std::move(needs_);
    }

private:
    Offsets &needed(size_t field, int64_t level) { return needed_[field][static_cast<size_t>(level)]; }
    static void include(Offsets &into, const Offsets &more) { into = enclosing(into, more); }

    void pass(size_t s, int64_t level) {
        const StencilStage &stage = program_.stages()[s];
        const Offsets computed = run_where(stage, level);
        needs_.computed[s][static_cast<size_t>(level)] = computed;
        if (computed.empty) return;
        for (const StencilAccess &access : stage.accesses) {
            if (!access.writes() || !stage.applies(access, level)) continue;
            include(needs_.storage[access.field], computed);
            if (!stage.conditional) needed(access.field, level) = {}; // of what was there before
        }
        for (const StencilAccess &access : stage.accesses) {
            if (!access.reads() || !stage.applies(access, level)) continue;
            const Offsets read = computed + access.at;
            include(needs_.storage[access.field], read);
            for (int64_t there = level + access.down; there <= level + access.up; ++there) include(needed(access.field, there), read);
        }
    }

    // What later stages need of its outputs; one without outputs looks at own cells.
    Offsets run_where(const StencilStage &stage, int64_t level) {
        if (!stage.writes_any()) return Offsets::cell();
        Offsets all;
        for (const StencilAccess &access : stage.accesses)
            if (access.writes() && stage.applies(access, level)) include(all, needed(access.field, level));
        return all;
    }

    // Whatever is needed of a field beyond own cells comes from their owners now.
    void fill_ghosts(size_t field, int64_t writer) {
        FilledGhosts filled{ field, writer, needed_[field], {} };
        for (Offsets &level : needed_[field]) {
            include(filled.whole, level);
            if (!level.empty) level = Offsets::cell();
        }
        if (filled.whole.leaves()) needs_.filled.push_back(std::move(filled));
    }

    const Program &program_;
    std::vector<std::vector<Offsets>> needed_; // by field and level, of the value that is there before the stage looked at last
    Needs needs_;
};

// The first field and direction, low (0) or high (1), in which ghosts are wider than parts.
struct TooWide {
    bool found = false;
    size_t field = 0, direction = 0, side = 0;
    int64_t layers = 0;
};

int64_t layers_of(const Offsets &offsets, size_t direction, size_t side) {
    return side == 0 ? offsets.ghosts_low(direction) : offsets.ghosts_high(direction);
}

TooWide too_wide(const Program &program, const Needs &needs) {
    for (size_t f = 0; f < needs.storage.size(); ++f)
        for (size_t d = 0; d < program.n_cut_dims(); ++d)
            for (size_t side = 0; side < 2; ++side) {
                const int64_t layers = layers_of(needs.storage[f], d, side);
                if (program.desc().cells[d] > 0 && layers > program.desc().cells[d]) return { true, f, d, side, layers };
            }
    return {};
}

// "stage 0 (f0), run at <-3,4>, reads it at <-1,1>", of a stage that needs that many layers.
std::string who_needs(const Program &program, const Needs &needs, const TooWide &wide) {
    for (size_t s = program.stages().size(); s-- > 0;)
        for (const StencilAccess &access : program.stages()[s].accesses) {
            if (access.field != wide.field) continue;
            for (size_t k = 0; k < program.n_levels(); ++k) {
                const Offsets &run = needs.computed[s][k];
                if (!program.stages()[s].applies(access, static_cast<int64_t>(k)) ||
                    layers_of(run + access.at, wide.direction, wide.side) != wide.layers)
                    continue;
                return format("%s, run at %s, %s it at %s", program.stage_text(s).c_str(), text_of(run, program.desc().n_dims).c_str(),
                              access.reads() ? "reads" : "writes", program.access_text(access).c_str());
            }
        }
    return "no stage";
}

} // namespace

bool Needs::touches_ghosts(const Program &program, size_t s, size_t field) const {
    const StencilStage &stage = program.stages()[s];
    for (const StencilAccess &access : stage.accesses)
        for (size_t k = 0; access.field == field && k < program.n_levels(); ++k)
            if (stage.applies(access, static_cast<int64_t>(k)) && (computed[s][k] + access.at).leaves()) return true;
    return false;
}

std::vector<Candidate> candidates(const Program &program) {
    std::vector<Candidate> found;
    for (size_t s = 0; s < program.stages().size(); ++s)
        for (const StencilAccess &written : program.stages()[s].accesses) {
            if (!written.writes() || program.fields()[written.field].temporary) continue;
            if (!found.empty() && found.back().stage == s && found.back().field == written.field) continue; // in another interval
            const auto reads = [&](const StencilStage &stage) {
                return std::ranges::any_of(stage.accesses, [&](const StencilAccess &a) { return a.field == written.field && a.reads(); });
            };
            if (std::any_of(program.stages().begin() + static_cast<std::ptrdiff_t>(s) + 1, program.stages().end(), reads))
                found.push_back({ s, written.field });
        }
    std::ranges::sort(found, {}, [](const Candidate &one) { return std::pair(one.stage, one.field); });
    const auto same = [](const Candidate &a, const Candidate &b) { return a.stage == b.stage && a.field == b.field; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    return found;
}

Needs find_needs(const Program &program, const std::vector<Candidate> &candidates, const std::vector<char> &exchanged) {
    return NeedsPass(program).run(candidates, exchanged);
}

bool fits_parts(const Program &program, const Needs &needs) { return !too_wide(program, needs).found; }

void check_fits_parts(const Program &program, const Needs &needs) {
    const TooWide wide = too_wide(program, needs);
    if (!wide.found) return;
    fail(HALO_ERR_LIMIT, "stencil: field %s needs %lld ghost layers %s in direction %zu, and the smallest part has %lld cells there: %s",
         program.fields()[wide.field].name.c_str(), static_cast<long long>(wide.layers), wide.side == 0 ? "below" : "above", wide.direction,
         static_cast<long long>(program.desc().cells[wide.direction]), who_needs(program, needs, wide).c_str());
}

} // namespace halo
