// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include "benchmarks.h"
#include "contest.h"
#include "text.h"

namespace bench {

namespace {

struct Choice {
    const char *key, *value; // a setting; nullptr: none
    std::string name() const { return key ? format("%s = %s", key, value) : "auto"; }
};

halo::Context make_context(const Choice &choice) {
    const halo_setting setting{ choice.key, choice.value };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    if (choice.key) options.settings = &setting, options.n_settings = 1;
    return halo::Context(&options);
}

// A context with that choice, and a work in its memory.
class Chosen {
public:
    Chosen(const Session &session, const Options &options, const WorkSize &size, Part part, const Choice &choice)
        : context_(make_context(choice)),
          work_(size, session.rank(), session.n_ranks(), Session::storage_of(context_)),
          libhalo_(make_libhalo(context_, work_, part)),
          contest_(session, work_, repetitions_of(options.repetitions, size), [this, part] { return work_.wrong_values(part); }) {
        work_.fill();
        contest_.verify(*libhalo_);
        constexpr int runs_until_it_has_chosen = 24;
        for (int run = 0; run < runs_until_it_has_chosen; ++run) libhalo_->exchange();
    }
    double turn(bool last) const { return contest_.turn(*libhalo_, last); }

private:
    halo::Context context_;
    Work work_;
    std::unique_ptr<Contender> libhalo_;
    Contest<Work> contest_;
};

void compare_choices(const Session &session, const Options &options, Report &report, const WorkSize &size, Part part) {
    report.begin(name_of(size, part), "");
    const Chosen by_itself(session, options, size, part, { nullptr, nullptr });
    for (const Choice &choice : { Choice{ "path", "message" }, Choice{ "path", "slot" }, Choice{ "path", "direct" }, Choice{ "transport", "mpi" } }) {
        if (!session.mpi() && std::string(choice.value) == "mpi") continue;
        const Chosen forced(session, options, size, part, choice);
        const Pairs pairs = alternate(
            options.pairs, [&](bool last) { return by_itself.turn(last); }, [&](bool last) { return forced.turn(last); });
        report.row(Row()
                       .add("against", choice.name())
                       .add("auto us", median_of(pairs.first) * microseconds)
                       .add("us", median_of(pairs.second) * microseconds)
                       .add("ratio", pairs.ratio()));
    }
}

} // namespace

void run_choices(const Session &session, const Options &options, Report &report) {
    for (const WorkSize &size : options.works) {
        compare_choices(session, options, report, size, Part::all);
        if (session.n_ranks() > 1) compare_choices(session, options, report, size, Part::remote);
    }
}

} // namespace bench
