// SPDX-License-Identifier: BSD-3-Clause
// One rank's calls of the library: how each may end, and what the ranks do then.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "program.h"

namespace programs {

using Call = std::function<halo_status()>;

// The program is over on this rank: another one has died.
struct Ended {};
// A rank has ended the context's collectives: all make their contexts anew.
struct Lost {};

// Where ranks tell each other, beside the library, how a call has ended.
class Meeting {
public:
    explicit Meeting(int32_t n_ranks) : n_ranks_(n_ranks) {}
    // The worst status of all.
    halo_status worst(halo_status mine);
    // A rank has no further part.
    void leave() { left_ = true; }

private:
    int32_t n_ranks_, n_here_ = 0;
    int64_t round_ = 0;
    halo_status worst_so_far_ = HALO_SUCCESS, worst_ = HALO_SUCCESS;
    bool left_ = false;
};

// Until it is no longer busy, or the time that the program allows has passed: HALO_BUSY.
halo_status poll(const Call &call);

class Calls {
public:
    Calls(const Program &program, Meeting &meeting, halo_inproc *ranks, int32_t number)
        : rank(number),
          group(ranks),
          program_(program),
          meeting_(meeting),
          of_looks_(program.seed + static_cast<uint64_t>(number)) {}

    // Succeeds, or ends in a clear error, which the program's faults must allow.
    halo_status judge(const char *what, const Call &call);
    bool works(const char *what, const Call &call) { return judge(what, call) == HALO_SUCCESS; }
    // Concerns this rank alone: fails for want of memory only, and then is made again.
    void alone(const char *what, const Call &call);
    // A collective that communicates: whoever's call fails makes it again.
    void talk(const char *what, const Call &call);
    // One that does not: where it fails on one rank, the others take it back and all make it again.
    void together(const char *what, const Call &call, const std::function<void()> &undo);
    // Destroys: what a peer may still use is not free yet.
    void free(const char *what, const Call &call);
    // A start for a run that all ranks give up: whoever is late may find that others have closed.
    void start_in_vain(const std::function<void()> &start);
    // Has it worked on all ranks? Where nothing can fail they do not ask, and may be far apart.
    bool all(bool mine);
    // The last call says that the context's collectives have ended.
    bool are_lost() const { return lost_; }
    [[noreturn]] void lose();

    // For the report.
    std::map<std::string, int64_t> ends, features;
    int64_t n_contexts = 0; // attempts

    const int32_t rank;
    halo_inproc *const group;
    halo_context *context = nullptr;

private:
    void look();

    const Program &program_;
    Meeting &meeting_;
    conformance::Random of_looks_;
    bool lost_ = false, in_vain_ = false;
};

} // namespace programs
