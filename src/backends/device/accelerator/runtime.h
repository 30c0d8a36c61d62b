// SPDX-License-Identifier: BSD-3-Clause
// What the runtimes of CUDA, HIP and OpenCL are asked for. One of them, of one device, is what a module has besides this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "halo_plugin.h"
#include "layout.h"

namespace halo::accelerator {

// What is known of memory, HALO_POINTER_...; of a device's own, of which.
struct PointerKind {
    int32_t kind = HALO_POINTER_UNKNOWN;
    int32_t ordinal = -1;
};

// What other instances use, of a runtime whose module is built with HALO_RUNTIME_EXPORTS. As in halo_ipc_ops.
class Exporting {
public:
    Exporting() = default;
    virtual ~Exporting() = default;
    Exporting(const Exporting &) = delete;
    Exporting &operator=(const Exporting &) = delete;

    virtual halo_ipc_handle export_memory(void *pointer) = 0;
    virtual void *open_memory(const halo_ipc_handle &handle) = 0;
    virtual void close_memory(void *pointer) noexcept = 0;
    virtual halo_event *export_event(halo_ipc_handle &handle) = 0;
    virtual halo_event *open_event(const halo_ipc_handle &handle) = 0;
};

enum class Kernel { move = HALO_KERNEL_MOVE, test = HALO_KERNEL_TEST, combine = HALO_KERNEL_COMBINE, levels = HALO_KERNEL_LEVELS };

// One of several launches: what its kernel is told lies from `begin` on among what all of them are told.
struct Launch {
    Kernel kernel;
    int64_t n_groups; // of HALO_THREADS threads
    size_t begin, end;

    bool operator==(const Launch &) const = default;
};

// Launches that a runtime has recorded.
class Graph {
public:
    Graph() = default;
    virtual ~Graph() = default;
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
};

// Errors are Failures. A null stream is the device's own.
class Runtime {
public:
    Runtime() = default;
    virtual ~Runtime() = default;
    Runtime(const Runtime &) = delete;
    Runtime &operator=(const Runtime &) = delete;

    // Makes the device the calling thread's, where a runtime has such a thing, and tells which one was; `leave` makes it that again.
    virtual int enter() = 0;
    virtual void leave(int before) noexcept = 0;
    // Must a launch say what its arguments lead to?
    virtual bool wants_reached() const = 0;

    // HALO_MEMORY_DEVICE, or HALO_MEMORY_PINNED, which kernels reach by the same address. nullptr: there is none.
    virtual void *allocate(int32_t memory, size_t bytes) = 0;
    virtual void release(int32_t memory, void *pointer) noexcept = 0;

    // In the stream. Memory of the host that is not pinned is read before it returns, or written.
    virtual void copy(void *dst, const void *src, size_t bytes, halo_stream stream) = 0;
    // From pinned memory to the device's, in the stream; never waits.
    virtual void copy_pinned(void *dst, const void *src, size_t bytes, halo_stream stream) = 0;
    // From the host's memory to memory that no work uses; done when it returns. No stream waits.
    virtual void upload(void *dst, const void *src, size_t bytes) = 0;

    // `n_groups` of HALO_THREADS threads. `arguments` lies in memory of the device; `reached` is what it leads to, for those who want it.
    virtual void launch(Kernel kernel, int64_t n_groups, void *arguments, std::span<void *const> reached, halo_stream stream) = 0;

    // Why launches cannot be recorded; nullptr: they can.
    virtual const char *lacks_graphs() const = 0;
    // Do kernels of a graph reach what they had not been told of when it was recorded?
    virtual bool graphs_reach_all() const = 0;
    // One launch behind the other. What they are told, in memory of the device, begins at `arguments`.
    virtual std::unique_ptr<Graph> record(std::span<const Launch> launches, char *arguments, std::span<void *const> reached) = 0;
    // Of a stream that is usable: does it take what has been recorded?
    virtual bool replays_in(halo_stream) { return true; }
    virtual void replay(Graph &graph, halo_stream stream) = 0;
    // A Failure if the program records the stream into a graph of its own.
    virtual void require_usable(halo_stream stream) = 0;

    virtual void fill(const halo_filling &what, int64_t n_groups, halo_stream stream) = 0;

    virtual halo_event *event_create() = 0;
    virtual void event_destroy(halo_event *event) noexcept = 0;
    virtual void event_record(halo_event *event, halo_stream stream) = 0;
    virtual bool event_has_fired(halo_event *event) = 0; // also when nothing has been recorded
    virtual void event_wait(halo_event *event, halo_stream stream) = 0;

    // The host waits.
    virtual void synchronize(halo_stream stream) = 0;

    // Of memory that anybody has allocated.
    virtual PointerKind kind_of(const void *pointer) = 0;

    virtual Exporting *exporting() { return nullptr; }
};

// Of this module. How many devices there are that can be used; which, or why there are none.
int count_devices(char *why, size_t why_bytes);
// How many ordinals there are, for `open_runtime`.
int count_ordinals(const halo_host *services);
std::unique_ptr<Runtime> open_runtime(const halo_host *services, int32_t ordinal);

} // namespace halo::accelerator
