// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>

#include "benchmarks.h"
#include "contest.h"
#include "text.h"

namespace bench {

namespace {

class Case {
public:
    Case(const Session &session, const Options &options, Report &report, const WorkSize &size, Part part)
        : session_(session),
          options_(options),
          report_(report),
          work_(size, session.rank(), session.n_ranks(), session.storage(options.storage)),
          part_(part),
          contest_(session, work_, repetitions_of(options.repetitions, size), [this] { return work_.wrong_values(part_); }),
          payload_(contest_.total(work_.ghost_bytes(part))) {
        work_.fill();
    }
    Work &work() { return work_; }
    Part part() const { return part_; }

    void verify(Contender &contender) const { contest_.verify(contender); }
    Pairs pairs(Contender &first, Contender &second) const { return contest_.pairs(options_.pairs, first, second); }
    Pairs pairs_with(Expert &expert, FlatCopy &flat_copy);
    void row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds);
    void count_row(Contender &contender);
    void judge(Expert &expert, const Pairs &with_flat_copy, const FlatCopy &flat_copy);

private:
    void add_counts(Row &row, Contender &contender);
    int64_t allocations(Contender &contender);
    Expert::Phases phases(Expert &expert);

    const Session &session_;
    const Options &options_;
    Report &report_;
    Work work_;
    Part part_;
    Contest<Work> contest_;
    int64_t payload_;
};

// Nothing is changed before the flat copy: it finds its lines where its last run left them, which is the best it can have.
Pairs Case::pairs_with(Expert &expert, FlatCopy &flat_copy) {
    const auto copy_turn = [&](bool) {
        return timed_turn(
            session_, contest_.repetitions(), [] {}, [&] { flat_copy.run(); });
    };
    return alternate(
        options_.pairs, [&](bool last) { return contest_.turn(expert, last); }, copy_turn);
}

// Of all ranks; a contender that does not tell has no number.
void Case::add_counts(Row &row, Contender &contender) {
    const std::optional<Counts> counts = contender.counts();
    const auto cell = [&](int64_t Counts::*member) {
        return counts ? Cell(contest_.total(*counts.*member)) : Cell(std::numeric_limits<double>::quiet_NaN());
    };
    row.add("peers", cell(&Counts::peers)).add("messages", cell(&Counts::messages)).add("wire bytes", cell(&Counts::wire_bytes));
    row.add("copy jobs", cell(&Counts::jobs)).add("heap calls", allocations(contender));
}

// Of all ranks in one exchange, of whatever calls operator new.
int64_t Case::allocations(Contender &contender) {
    contender.exchange();
    session_.barrier();
    const int64_t before = heap_calls();
    for (int i = 0; i < 8; ++i) contender.exchange();
    const int64_t calls = heap_calls() - before;
    session_.barrier();
    return contest_.total(calls) / 8;
}

void Case::row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds) {
    Row row;
    row.add("contender", contender.name());
    add_times(row, payload_, ratio, seconds);
    add_counts(row, contender);
    report_.row(std::move(row));
}

void Case::count_row(Contender &contender) {
    Row row;
    row.add("contender", contender.name()).add("payload bytes", payload_);
    add_counts(row, contender);
    report_.row(std::move(row));
}

Expert::Phases Case::phases(Expert &expert) {
    std::vector<double> times[4];
    for (int i = 0; i < 5 * contest_.repetitions(); ++i) {
        work_.change();
        session_.barrier();
        const Expert::Phases phases = expert.exchange_by_phases();
        double all[4] = { phases.pack, phases.local, phases.wait, phases.unpack };
        session_.max(all);
        for (size_t k = 0; k < 4; ++k) times[k].push_back(all[k] * microseconds);
    }
    return { median_of(times[0]), median_of(times[1]), median_of(times[2]), median_of(times[3]) };
}

// Is the expert worth its name? Says where its time goes, and what the flat copy has not if that is much.
void Case::judge(Expert &expert, const Pairs &with_flat_copy, const FlatCopy &flat_copy) {
    const double share = 1.0 / with_flat_copy.ratio().median;
    const Expert::Phases time = phases(expert);
    const double all = time.pack + time.local + time.wait + time.unpack;
    const int64_t b = work_.size().block, g = work_.size().ghost;
    const int64_t runs = 2 * (b + 2 * g) * (b + 2 * g) + (b + 2 * g) * (b + 2 * g) - b * b; // of one block and component: left, right, in the middle
    const int64_t values = (b + 2 * g) * (b + 2 * g) * (b + 2 * g) - b * b * b;
    const double megabytes = static_cast<double>(contest_.total(flat_copy.line_bytes())) * 1e-6;
    report_.remark(format(
        "expert (%s): %.0f %% of a flat copy of its %.1f MB of cache-line traffic (%.1f us); pack %.1f, local %.1f, wait %.1f, unpack %.1f us",
        expert.kernels(), 100.0 * share, megabytes, median_of(with_flat_copy.second) * microseconds, time.pack, time.local, time.wait, time.unpack));
    if (share >= 0.6) return;
    report_.remark(
        format("below 60 %% because: runs are %.0f bytes on average where the flat copy has one stream; %.0f %% of the time is the message's way, "
               "which the flat copy has not",
               8.0 * static_cast<double>(values) / static_cast<double>(runs), 100.0 * time.wait / all));
}

void compare(Case &work, Contender &libhalo, Contender &other, Pairs &pairs) {
    pairs = work.pairs(libhalo, other);
    work.row(other, pairs.ratio(), pairs.second);
}

void run_case(const Session &session, const Options &options, Report &report, const WorkSize &size, Part part) {
    report.begin(name_of(size, part), "");
    Case work(session, options, report, size, part);
    const std::unique_ptr<Contender> libhalo = make_libhalo(session.context(), work.work(), part);
    Expert expert(session, work.work(), part);
    std::vector<std::unique_ptr<Contender>> others;
    if (session.mpi() && session.n_ranks() > 1 && !options.only_expert) {
        others.push_back(make_per_channel(session, work.work(), part));
        others.push_back(make_datatypes(session, work.work(), part));
    }
    const bool comparable = session.mpi() || session.n_ranks() == 1;
    work.verify(*libhalo);
    if (comparable) work.verify(expert);
    for (const auto &other : others) work.verify(*other);
    if (options.counts) {
        work.count_row(*libhalo);
        if (comparable) work.count_row(expert);
        for (const auto &other : others) work.count_row(*other);
        return;
    }
    if (!comparable) throw std::runtime_error("several ranks, but no module of their MPI was built: nothing to compare with");
    const Pairs with_expert = work.pairs(*libhalo, expert);
    work.row(*libhalo, { 1.0, 1.0, 1.0 }, with_expert.first);
    work.row(expert, with_expert.ratio(), with_expert.second);
    for (const auto &other : others) {
        Pairs pairs;
        compare(work, *libhalo, *other, pairs);
    }
    FlatCopy flat_copy(work.work(), part);
    work.judge(expert, work.pairs_with(expert, flat_copy), flat_copy);
}

} // namespace

std::vector<WorkSize> suite() {
    return { { 64, 16, 1, 2 }, { 64, 16, 4, 2 }, { 128, 16, 4, 2 }, { 128, 32, 4, 2 }, { 128, 8, 4, 2 }, { 64, 8, 1, 1 } };
}

void run_blocks(const Session &session, const Options &options, Report &report) {
    for (const WorkSize &size : options.works) {
        if (options.part != "remote") run_case(session, options, report, size, Part::all);
        if (options.part != "all" && session.n_ranks() > 1) run_case(session, options, report, size, Part::remote);
    }
}

void run_petsc(const Session &session, const Options &options, Report &report) {
    const std::unique_ptr<Petsc> petsc = load_petsc();
    if (!petsc) throw std::runtime_error("the module of PETSc was not built");
    report.condition("third party", petsc->library());
    for (const WorkSize &size : options.works) {
        report.begin(name_of(size, Part::all), "");
        Case work(session, options, report, size, Part::all);
        const std::unique_ptr<Contender> libhalo = make_libhalo(session.context(), work.work(), Part::all);
        work.verify(*libhalo);
        bool first = true;
        for (const char *type : { "basic", "neighbor" }) {
            const std::unique_ptr<Contender> other = make_petsc(*petsc, work.work(), type);
            work.verify(*other);
            const Pairs pairs = work.pairs(*libhalo, *other);
            if (first) work.row(*libhalo, { 1.0, 1.0, 1.0 }, pairs.first);
            first = false;
            work.row(*other, pairs.ratio(), pairs.second);
        }
    }
}

} // namespace bench
