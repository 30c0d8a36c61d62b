// SPDX-License-Identifier: BSD-3-Clause
// Ranks, as threads, of which one is to run out of memory once, and what each of its calls must then do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "halo_access.h"
#include "ranks.h"

namespace allocations {

using conformance::Settings;
using Call = std::function<halo_status()>;

// Where ranks tell each other, beside the library, how a call has ended, as a program does.
class Meeting {
public:
    explicit Meeting(int32_t n_ranks) : n_ranks_(n_ranks) {}
    // The worst status of all; every rank gets the same.
    halo_status worst(halo_status mine);
    // Nobody waits any more: a rank has stopped.
    void end();

private:
    std::mutex mutex_;
    std::condition_variable all_here_;
    int32_t n_ranks_;
    int32_t n_here_ = 0;
    int64_t round_ = 0;
    halo_status worst_so_far_ = HALO_SUCCESS;
    halo_status worst_ = HALO_SUCCESS;
    bool ended_ = false;
};

class Member {
public:
    Member(Meeting &meeting, halo_inproc *ranks, int32_t number, int32_t n_ranks, int32_t without_memory)
        : rank(number),
          size(n_ranks),
          victim(without_memory),
          group(ranks),
          meeting_(meeting) {}

    // A call that concerns this rank alone: HALO_ERR_MEMORY where memory failed, and then it can be made again.
    void alone(const char *what, const Call &call);
    // A collective that communicates: those whose call fails make it again.
    void talk(const char *what, const Call &call);
    // A collective that does not, or a run: where it fails on one rank, the others take it back and all make it again.
    void together(const char *what, const Call &call, const std::function<void()> &undo = {});

    // The ranks tell each other how a call has ended that may fail, for which `again` says that nothing has reached them and it is made again at
    // once. The worst status of all.
    halo_status all_try(const char *what, const Call &call, const std::function<bool()> &again);

    // Results, which must be those of a pass in which no memory failed.
    void keep(const void *data, size_t bytes);
    template <class T>
    void keep(const std::vector<T> &list) {
        keep(list.data(), list.size() * sizeof(T));
    }
    uint64_t kept() const { return kept_; }

    const int32_t rank, size;
    const int32_t victim; // the rank that runs out of memory
    halo_inproc *const group;
    halo_context *context = nullptr;

private:
    halo_status judge(const char *what, const Call &call, bool may_hear_of_others);
    void fail_otherwise();

    Meeting &meeting_;
    uint64_t kept_ = 0;
};

#define ALONE(call) member.alone(#call, [&] { return call; })
#define TALK(call) member.talk(#call, [&] { return call; })
#define TOGETHER(call, ...)                                                                                                                          \
    member.together(                                                                                                                                 \
        #call, [&] { return call; }, ##__VA_ARGS__)

// What fails is the creation of the context too.
enum class Creation : uint8_t { works, fails_together, fails_for_some };

struct Scenario {
    std::string name;
    int32_t n_ranks;
    Settings settings;
    std::function<void(Member &)> body;
    Creation creation = Creation::works;
};

// The same alone, and with one and two others.
void add_for_ranks(std::vector<Scenario> &all, const std::string &name, const std::function<void(Member &)> &body, const Settings &settings = {});

// Every point of every rank in `stride` is made to fail, from `first` on.
struct Sweep {
    int64_t stride = 1;
    int64_t first = 1;
};
// False: something was wrong, and has been printed.
bool sweep(const Scenario &scenario, const Sweep &which);
// Points that have failed, by public function.
int64_t print_points();

} // namespace allocations
