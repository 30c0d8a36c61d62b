// SPDX-License-Identifier: BSD-3-Clause
// Launches that go together, recorded when they come again, and then put on a stream by one call. What kernels are told lies in memory of the device,
// at the same place for a graph, so that nothing is sent while it stays the same, and one small copy where storage or messages have changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "arguments.h"
#include "failure.h"
#include "runtime.h"

namespace halo::accelerator {

// What they are told lies in `bytes`; `reached` is what that leads to, for runtimes that want to know.
struct Launches {
    std::vector<Launch> all;
    std::vector<std::byte> bytes;
    std::vector<void *> reached;
};

struct RecordedLaunches {
    std::vector<Launch> launches;
    std::list<Arguments::Placed> told; // one
    std::unique_ptr<Graph> graph;
};

// Graphs that nobody replays any more. They are kept until the device is done with them.
class FormerGraphs {
public:
    explicit FormerGraphs(Arguments &arguments) : arguments_(arguments) {}
    ~FormerGraphs();
    FormerGraphs(const FormerGraphs &) = delete;
    FormerGraphs &operator=(const FormerGraphs &) = delete;
    void add(std::list<RecordedLaunches> graphs) noexcept { all_.splice(all_.end(), graphs); }
    void reap();

private:
    Arguments &arguments_;
    std::list<RecordedLaunches> all_;
};

// Those of one caller.
class Graphs {
public:
    Graphs(Runtime &runtime, Arguments &arguments, FormerGraphs &former) : runtime_(runtime), arguments_(arguments), former_(former) {}
    ~Graphs() { former_.add(std::move(recorded_)); }
    Graphs(const Graphs &) = delete;
    Graphs &operator=(const Graphs &) = delete;

    enum class Outcome { none, recorded, replayed };
    // None: nothing has been done. Launches are recorded when they come for the second time.
    Outcome run(const Launches &launches, halo_stream stream);
    // Why a recording has failed, once; nothing has been recorded since. nullptr: none has.
    const char *take_refusal() { return std::exchange(is_told_, true) ? nullptr : refusal_.text; }

private:
    using Recorded = std::list<RecordedLaunches>;
    static constexpr size_t most = 16;      // graphs
    static constexpr size_t most_alike = 4; // which differ in what their kernels are told

    Recorded::iterator find_same(const Launches &launches, uint64_t hash);
    Recorded::iterator find_alike(const Launches &launches, size_t &n);
    bool has_come_before(uint64_t hash);
    bool make_room();
    bool record(const Launches &launches, uint64_t hash, halo_stream stream);
    void replay(Recorded::iterator one, halo_stream stream);

    Runtime &runtime_;
    Arguments &arguments_;
    FormerGraphs &former_;
    Recorded recorded_;                 // the one replayed last in front
    std::array<uint64_t, most> came_{}; // launches that were not recorded, by hash
    size_t next_ = 0;                   // of these
    Failure refusal_{};                 // of the runtime, if it has refused to record
    bool is_told_ = true;
};

} // namespace halo::accelerator
