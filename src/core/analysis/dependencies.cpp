// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/dependencies.h"

#include "base/error.h"

namespace halo {

namespace {

constexpr size_t none = SIZE_MAX;

// One pass over the stages as they run, level by level.
class DependencyPass {
public:
    explicit DependencyPass(const Program &program) : program_(program), level_(program.fields().size() * program.n_levels()) {}

    void run() {
        for (stage_ = 0; stage_ < program_.stages().size(); ++stage_) {
            const LevelRange levels = stage().levels();
            const int64_t n = levels.last - levels.first + 1;
            for (int64_t i = 0; i < n; ++i) pass(stage().direction == HALO_STENCIL_DOWNWARD ? levels.last - i : levels.first + i);
        }
    }

private:
    struct Level {
        bool written = false;
        size_t reader = none; // the first stage that has read it at other cells,
        size_t access = none; // and by which access
    };

    const StencilStage &stage() const { return program_.stages()[stage_]; }
    const std::string &name(const StencilAccess &access) const { return program_.fields()[access.field].name; }
    Level &at(size_t field, int64_t level) { return level_[field * program_.n_levels() + static_cast<size_t>(level)]; }

    void pass(int64_t level) {
        for (size_t a = 0; a < stage().accesses.size(); ++a) {
            const StencilAccess &access = stage().accesses[a];
            if (access.reads() && stage().applies(access, level)) read(access, a, level);
        }
        for (const StencilAccess &access : stage().accesses)
            if (access.writes() && stage().applies(access, level)) write(access, level);
    }

    void read(const StencilAccess &access, size_t place, int64_t level) {
        check_own(access);
        check_axis(access, level);
        for (int64_t there = level + access.down; there <= level + access.up; ++there) {
            Level &read = at(access.field, there);
            if (program_.fields()[access.field].temporary && !read.written) refuse_unwritten(access, there);
            if (access.off_centre() && read.reader == none) read.reader = stage_, read.access = place;
        }
    }

    void check_own(const StencilAccess &access) const {
        if (!access.off_centre() || !stage().writes(access.field)) return;
        const bool earlier = stage().direction == HALO_STENCIL_UPWARD ? access.up <= 0 : access.down >= 0;
        if (stage().direction != HALO_STENCIL_PARALLEL && !access.at.off_centre() && earlier) return;
        fail(HALO_ERR_ARGUMENT, "stencil: %s reads its own output %s at %s: of what a stage writes it may read the cell itself alone%s",
             program_.stage_text(stage_).c_str(), name(access).c_str(), program_.access_text(access).c_str(),
             program_.axis().has_levels() ? ", or levels that it has passed" : "");
    }

    void check_axis(const StencilAccess &access, int64_t level) const {
        if (level + access.down >= 0 && level + access.up < program_.axis().n_levels()) return;
        fail(HALO_ERR_BOUNDS, "stencil: %s reads %s at %s on level %lld: the axis has levels 0 to %lld", program_.stage_text(stage_).c_str(),
             name(access).c_str(), program_.access_text(access).c_str(), static_cast<long long>(level),
             static_cast<long long>(program_.axis().n_levels() - 1));
    }

    void write(const StencilAccess &access, int64_t level) {
        Level &written = at(access.field, level);
        written.written = true;
        if (program_.desc().order == HALO_STENCIL_BY_STAGES || written.reader == none || written.reader == stage_) return;
        const StencilAccess &read = program_.stages()[written.reader].accesses[written.access];
        fail(HALO_ERR_ARGUMENT,
             "stencil: %s writes %s, which %s has read at %s: other cells may not have read it yet (write another field, or see "
             "HALO_STENCIL_BY_STAGES)",
             program_.stage_text(stage_).c_str(), name(access).c_str(), program_.stage_text(written.reader).c_str(),
             program_.access_text(read).c_str());
    }

    [[noreturn]] void refuse_unwritten(const StencilAccess &access, int64_t level) const {
        const std::string where = program_.axis().has_levels() ? format(" on level %lld", static_cast<long long>(level)) : "";
        const std::string read = format("%s reads the temporary %s at %s%s", program_.stage_text(stage_).c_str(), name(access).c_str(),
                                        program_.access_text(access).c_str(), where.c_str());
        const std::string way = way_to_writer(access.field);
        if (!way.empty()) fail(HALO_ERR_ARGUMENT, "stencil: a cycle: %s; %s", read.c_str(), way.c_str());
        fail(HALO_ERR_ARGUMENT, "stencil: %s, which no stage has written before", read.c_str());
    }

    // How a later writer of a field depends on the present stage: "stage 1 (g) reads a, and writes b". Empty: it does not.
    std::string way_to_writer(size_t field) const {
        std::vector<std::string> way(program_.fields().size()); // to each field that depends on the present stage
        std::vector<bool> depends(program_.fields().size());
        for (const StencilAccess &access : stage().accesses) depends[access.field] = depends[access.field] || access.writes();
        for (size_t s = stage_ + 1; s < program_.stages().size() && !depends[field]; ++s) {
            const std::vector<StencilAccess> &accesses = program_.stages()[s].accesses;
            size_t from = none;
            for (const StencilAccess &access : accesses)
                if (access.reads() && depends[access.field] && from == none) from = access.field;
            for (const StencilAccess &access : accesses) {
                if (!access.writes() || from == none || depends[access.field]) continue;
                depends[access.field] = true;
                way[access.field] = way[from] + (way[from].empty() ? "" : "; ") +
                                    format("%s reads %s and writes %s", program_.stage_text(s).c_str(), program_.fields()[from].name.c_str(),
                                           program_.fields()[access.field].name.c_str());
            }
        }
        return way[field];
    }

    const Program &program_;
    std::vector<Level> level_;
    size_t stage_ = 0;
};

} // namespace

void check_dependencies(const Program &program) { DependencyPass(program).run(); }

} // namespace halo
