// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <algorithm>

namespace programs {

using conformance::text_of;
using simulation::Fault;

const char *name_of(What what) {
    static const char *const names[] = { "blocks", "batch", "points",  "transfer", "reduction", "sums",
                                         "sparse", "boxes", "regions", "channels", "loops",     "strays" };
    return names[static_cast<size_t>(what)];
}
const char *name_of(Made made) {
    static const char *const names[] = { "keys", "keys by hash", "star", "lists", "graph" };
    return names[static_cast<size_t>(made)];
}
const char *name_of(Step::Does does) {
    static const char *const names[] = { "run", "run all at once", "give up", "recreate", "reopen" };
    return names[static_cast<size_t>(does)];
}

bool Program::has(Fault fault) const {
    return std::any_of(events.begin(), events.end(), [&](const simulation::Event &event) { return event.fault == fault; });
}

bool Program::may_stray() const {
    return std::any_of(objects.begin(), objects.end(), [](const ObjectCase &made) { return made.what == What::strays; });
}

bool Program::allows(halo_status status) const {
    switch (status) {
    case HALO_ERR_MEMORY: return has(Fault::memory);
    case HALO_ERR_TRANSPORT: return has(Fault::death); // a peer has closed
    case HALO_TIMEOUT:
    case HALO_ERR_PEER: return !events.empty();
    default: return false;
    }
}

std::string Program::describe() const {
    std::string text = text_of("%d ranks, path %s, switches %g, delays %g, looks %g; objects:", n_ranks, path.c_str(), switches, delays, looks);
    for (const ObjectCase &made : objects) text += text_of(" %s", name_of(made.what));
    text += "\n";
    for (const Step &step : steps) text += text_of("  %s %zu\n", name_of(step.does), step.object);
    for (const simulation::Event &event : events)
        text += text_of("  %s of rank %d at %d, %g s\n", simulation::name_of(event.fault), event.rank, static_cast<int>(event.at), event.seconds);
    return text;
}

} // namespace programs
