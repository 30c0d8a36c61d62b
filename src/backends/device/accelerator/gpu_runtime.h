// SPDX-License-Identifier: BSD-3-Clause
// The runtimes of CUDA and HIP, which differ in their names. Whoever includes it has included the vendor's header, and defined HALO_GPU(name), by
// which its functions and types are called, HALO_GPU_NAME, that of the vendor's platform, and gpu_pointer_kind, which reads what is known of a
// pointer. A stream is a cudaStream_t or hipStream_t; the null stream is the device's.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "failure.h"
#include "layout.h"
#include "runtime.h"

extern "C" int halo_gpu_launch(int kernel, unsigned n_groups, const void *arguments, void *stream);
extern "C" int halo_gpu_fill(unsigned n_groups, halo_filling what, void *stream);

namespace halo::accelerator {

namespace {

constexpr auto success = HALO_GPU(Success);

// Nothing of it is left for the next call to say. False: there was an error.
bool quietly(HALO_GPU(Error_t) error) noexcept {
    if (error != success) (void)HALO_GPU(GetLastError)();
    return error == success;
}

void check(HALO_GPU(Error_t) error, const char *call) {
    if (quietly(error)) return;
    const halo_status status = error == HALO_GPU(ErrorMemoryAllocation) ? HALO_ERR_MEMORY : HALO_ERR_DEVICE;
    fail(status, "%s: " HALO_GPU_NAME " error %d (%s)", call, static_cast<int>(error), HALO_GPU(GetErrorString)(error));
}

HALO_GPU(Stream_t) of(halo_stream stream) { return static_cast<HALO_GPU(Stream_t)>(stream); }

// Of this instance, or of another one of this process.
struct Marker {
    HALO_GPU(Event_t) event = nullptr;
    bool own = true;
};
HALO_GPU(Event_t) of(halo_event *event) { return reinterpret_cast<Marker *>(event)->event; }
halo_event *given(std::unique_ptr<Marker> marker) { return reinterpret_cast<halo_event *>(marker.release()); }

// Which process it is, also where processes of a host are numbered more than once. A fork has its parent's word, and another number.
struct Process {
    int64_t number;
    uint64_t word; // random

    static Process own() {
        static const uint64_t word = [] {
            std::random_device random;
            return static_cast<uint64_t>(random()) << 32 | random();
        }();
        return { getpid(), word };
    }
    bool operator==(const Process &) const = default;
};

// What is in a halo_ipc_handle. The runtime opens what other processes have exported, and nothing of its own.
template <class Handle>
struct Exported {
    Process process;
    void *own; // in that process
    int64_t ordinal;
    Handle handle;

    halo_ipc_handle packed() const {
        static_assert(sizeof(Exported) <= sizeof(halo_ipc_handle));
        halo_ipc_handle words{};
        std::memcpy(&words, this, sizeof *this);
        return words;
    }
    static Exported unpacked(const halo_ipc_handle &words) {
        Exported one;
        std::memcpy(&one, &words, sizeof one);
        return one;
    }
    bool is_of_this_process() const { return process == Process::own(); }
};
using ExportedMemory = Exported<HALO_GPU(IpcMemHandle_t)>;
using ExportedEvent = Exported<HALO_GPU(IpcEventHandle_t)>;

class GpuGraph final : public Graph {
public:
    explicit GpuGraph(HALO_GPU(GraphExec_t) graph) : graph_(graph) {}
    ~GpuGraph() override { quietly(HALO_GPU(GraphExecDestroy)(graph_)); }
    HALO_GPU(GraphExec_t) get() const { return graph_; }

private:
    HALO_GPU(GraphExec_t) graph_;
};

class GpuRuntime final : public Runtime, public Exporting {
public:
    explicit GpuRuntime(int ordinal) : ordinal_(ordinal) {
        const int before = enter();
        const auto error = HALO_GPU(StreamCreateWithFlags)(&setup_, HALO_GPU(StreamNonBlocking));
        leave(before);
        check(error, "StreamCreateWithFlags");
        int reaches = 0;
        reaches_all_of_host_ = quietly(HALO_GPU(DeviceGetAttribute)(&reaches, HALO_GPU_PAGEABLE_ACCESS, ordinal)) && reaches != 0;
    }
    ~GpuRuntime() override { quietly(HALO_GPU(StreamDestroy)(setup_)); }

    int enter() override {
        int before = ordinal_;
        check(HALO_GPU(GetDevice)(&before), "GetDevice");
        if (before != ordinal_) check(HALO_GPU(SetDevice)(ordinal_), "SetDevice");
        return before;
    }
    void leave(int before) noexcept override {
        if (before != ordinal_) quietly(HALO_GPU(SetDevice)(before));
    }
    bool wants_reached() const override { return false; }

    void *allocate(int32_t memory, size_t bytes) override {
        void *found = nullptr;
        const auto error = memory == HALO_MEMORY_PINNED ? HALO_GPU_HOST_ALLOC(&found, bytes, HALO_GPU_HOST_FLAGS) : HALO_GPU(Malloc)(&found, bytes);
        quietly(error);
        return error == success ? found : nullptr;
    }
    void release(int32_t memory, void *pointer) noexcept override {
        quietly(memory == HALO_MEMORY_PINNED ? HALO_GPU_HOST_FREE(pointer) : HALO_GPU(Free)(pointer));
    }

    void copy(void *dst, const void *src, size_t bytes, halo_stream stream) override {
        check(HALO_GPU(MemcpyAsync)(dst, src, bytes, HALO_GPU(MemcpyDefault), of(stream)), "MemcpyAsync");
    }
    void copy_pinned(void *dst, const void *src, size_t bytes, halo_stream stream) override {
        check(HALO_GPU(MemcpyAsync)(dst, src, bytes, HALO_GPU(MemcpyHostToDevice), of(stream)), "MemcpyAsync");
    }
    void upload(void *dst, const void *src, size_t bytes) override {
        check(HALO_GPU(MemcpyAsync)(dst, src, bytes, HALO_GPU(MemcpyHostToDevice), setup_), "MemcpyAsync");
        check(HALO_GPU(StreamSynchronize)(setup_), "StreamSynchronize");
    }

    void launch(Kernel kernel, int64_t n_groups, void *arguments, std::span<void *const>, halo_stream stream) override {
        const int error = halo_gpu_launch(static_cast<int>(kernel), static_cast<unsigned>(n_groups), arguments, stream);
        check(static_cast<HALO_GPU(Error_t)>(error), "a kernel's launch");
    }
    void fill(const halo_filling &what, int64_t n_groups, halo_stream stream) override {
        check(static_cast<HALO_GPU(Error_t)>(halo_gpu_fill(static_cast<unsigned>(n_groups), what, stream)), "a kernel's launch");
    }

    const char *lacks_graphs() const override { return nullptr; }
    bool graphs_reach_all() const override { return true; }

    // By way of a stream that nothing else is in.
    std::unique_ptr<Graph> record(std::span<const Launch> launches, char *arguments, std::span<void *const>) override {
        check(HALO_GPU(StreamBeginCapture)(setup_, HALO_GPU(StreamCaptureModeThreadLocal)), "StreamBeginCapture");
        auto error = success;
        for (const Launch &one : launches)
            if (error == success)
                error = static_cast<HALO_GPU(Error_t)>(
                    halo_gpu_launch(static_cast<int>(one.kernel), static_cast<unsigned>(one.n_groups), arguments + one.begin, setup_));
        HALO_GPU(Graph_t) recorded = nullptr;
        const auto ended = HALO_GPU(StreamEndCapture)(setup_, &recorded);
        HALO_GPU(GraphExec_t) graph = nullptr;
        if (error == success) error = ended;
        if (error == success) error = HALO_GPU(GraphInstantiateWithFlags)(&graph, recorded, 0);
        if (recorded != nullptr) quietly(HALO_GPU(GraphDestroy)(recorded));
        check(error, "a graph's recording");
        return std::make_unique<GpuGraph>(graph);
    }
    void replay(Graph &graph, halo_stream stream) override {
        check(HALO_GPU(GraphLaunch)(static_cast<GpuGraph &>(graph).get(), of(stream)), "GraphLaunch");
    }

    // Of the device's own stream a runtime says that another one, which it waits for, is being recorded.
    void require_usable(halo_stream stream) override {
        HALO_GPU(StreamCaptureStatus) status = HALO_GPU(StreamCaptureStatusNone);
        const auto error = HALO_GPU(StreamIsCapturing)(of(stream), &status);
        if (quietly(error) && status == HALO_GPU(StreamCaptureStatusNone)) return;
        if (error != success && error != HALO_GPU(ErrorStreamCaptureImplicit)) check(error, "StreamIsCapturing");
        fail(HALO_ERR_STATE, "the program records the stream into a graph: an exchange cannot be part of that, since the host sends what is packed");
    }

    halo_event *event_create() override {
        auto marker = std::make_unique<Marker>();
        check(HALO_GPU(EventCreateWithFlags)(&marker->event, HALO_GPU(EventDisableTiming)), "EventCreateWithFlags");
        return given(std::move(marker));
    }
    void event_destroy(halo_event *event) noexcept override {
        const std::unique_ptr<Marker> marker(reinterpret_cast<Marker *>(event));
        if (marker->own) quietly(HALO_GPU(EventDestroy)(marker->event));
    }
    void event_record(halo_event *event, halo_stream stream) override { check(HALO_GPU(EventRecord)(of(event), of(stream)), "EventRecord"); }
    bool event_has_fired(halo_event *event) override {
        const auto error = HALO_GPU(EventQuery)(of(event));
        if (error == HALO_GPU(ErrorNotReady)) return quietly(error);
        check(error, "EventQuery"); // also what a kernel before it has done wrong
        return true;
    }
    void event_wait(halo_event *event, halo_stream stream) override { check(HALO_GPU(StreamWaitEvent)(of(stream), of(event), 0), "StreamWaitEvent"); }

    void synchronize(halo_stream stream) override { check(HALO_GPU(StreamSynchronize)(of(stream)), "StreamSynchronize"); }

    // Of memory that it has not heard of, which is the host's, a runtime says so or that there is none such.
    PointerKind kind_of(const void *pointer) override {
        HALO_GPU_POINTER_ATTRIBUTES found{};
        const PointerKind of_host{ reaches_all_of_host_ ? HALO_POINTER_BOTH : HALO_POINTER_HOST, -1 };
        const auto error = HALO_GPU(PointerGetAttributes)(&found, pointer);
        if (!quietly(error)) return error == HALO_GPU(ErrorInvalidValue) ? of_host : PointerKind{};
        const int32_t kind = gpu_pointer_kind(found);
        if (kind == HALO_POINTER_HOST) return of_host;
        return { kind, kind == HALO_POINTER_DEVICE ? found.device : -1 };
    }

    Exporting *exporting() override { return this; }

    halo_ipc_handle export_memory(void *pointer) override {
        ExportedMemory one{ Process::own(), pointer, ordinal_, {} };
        check(HALO_GPU(IpcGetMemHandle)(&one.handle, pointer), "IpcGetMemHandle");
        return one.packed();
    }
    void *open_memory(const halo_ipc_handle &handle) override {
        const ExportedMemory one = ExportedMemory::unpacked(handle);
        if (one.is_of_this_process()) {
            reach(static_cast<int>(one.ordinal));
            return one.own;
        }
        void *found = nullptr;
        mapped_.reserve(mapped_.size() + 1);
        check(HALO_GPU(IpcOpenMemHandle)(&found, one.handle, HALO_GPU(IpcMemLazyEnablePeerAccess)), "IpcOpenMemHandle");
        mapped_.push_back(found);
        return found;
    }
    void close_memory(void *pointer) noexcept override {
        const auto mapped = std::find(mapped_.begin(), mapped_.end(), pointer);
        if (mapped == mapped_.end()) return;
        mapped_.erase(mapped);
        quietly(HALO_GPU(IpcCloseMemHandle)(pointer));
    }
    halo_event *export_event(halo_ipc_handle &handle) override {
        auto marker = std::make_unique<Marker>();
        check(HALO_GPU(EventCreateWithFlags)(&marker->event, HALO_GPU(EventDisableTiming) | HALO_GPU(EventInterprocess)), "EventCreateWithFlags");
        ExportedEvent one{ Process::own(), marker->event, ordinal_, {} };
        const auto error = HALO_GPU(IpcGetEventHandle)(&one.handle, marker->event);
        if (error != success) quietly(HALO_GPU(EventDestroy)(marker->event));
        check(error, "IpcGetEventHandle");
        handle = one.packed();
        return given(std::move(marker));
    }
    halo_event *open_event(const halo_ipc_handle &handle) override {
        const ExportedEvent one = ExportedEvent::unpacked(handle);
        auto marker = std::make_unique<Marker>();
        marker->own = !one.is_of_this_process();
        if (marker->own)
            check(HALO_GPU(IpcOpenEventHandle)(&marker->event, one.handle), "IpcOpenEventHandle");
        else
            marker->event = static_cast<HALO_GPU(Event_t)>(one.own);
        return given(std::move(marker));
    }

private:
    // Of another device's memory, in this process.
    void reach(int other) {
        if (other == ordinal_) return;
        int can = 0;
        check(HALO_GPU(DeviceCanAccessPeer)(&can, ordinal_, other), "DeviceCanAccessPeer");
        if (can == 0) fail(HALO_ERR_DEVICE, HALO_GPU_NAME " device %d does not reach the memory of device %d", ordinal_, other);
        const auto error = HALO_GPU(DeviceEnablePeerAccess)(other, 0);
        if (error == HALO_GPU(ErrorPeerAccessAlreadyEnabled))
            quietly(error);
        else
            check(error, "DeviceEnablePeerAccess");
    }

    int ordinal_;
    std::vector<void *> mapped_;       // of other processes
    bool reaches_all_of_host_ = false; // what nobody has told it of too
    HALO_GPU(Stream_t) setup_ = nullptr;
};

// How many the driver has; the error's text where there are none.
int count_all(char *why, size_t why_bytes) {
    int n = 0;
    const auto error = HALO_GPU(GetDeviceCount)(&n);
    if (quietly(error) && n > 0) return n;
    std::snprintf(why, why_bytes, "no " HALO_GPU_NAME " device: %s", error == success ? "there is none" : HALO_GPU(GetErrorString)(error));
    return 0;
}

// "": the kernels run on it.
const char *what_lacks(const HALO_GPU_PROPERTIES &properties) {
    return properties.major < HALO_GPU_LEAST_MAJOR ? ", of a compute capability below " HALO_GPU_LEAST : "";
}

} // namespace

int count_ordinals(const halo_host *) {
    char why[256];
    return count_all(why, sizeof why);
}

int count_devices(char *why, size_t why_bytes) {
    const int n = count_all(why, why_bytes);
    int usable = 0;
    HALO_GPU_PROPERTIES first{};
    for (int i = 0; i < n; ++i) {
        HALO_GPU_PROPERTIES properties;
        if (!quietly(HALO_GPU_GET_PROPERTIES(&properties, i))) continue;
        if (i == 0) first = properties;
        if (*what_lacks(properties) == '\0') ++usable;
    }
    if (n > 0) std::snprintf(why, why_bytes, "%d " HALO_GPU_NAME " device%s, the first is %s%s", n, n == 1 ? "" : "s", first.name, what_lacks(first));
    return usable;
}

std::unique_ptr<Runtime> open_runtime(const halo_host *, int32_t ordinal) {
    char why[256] = "";
    const int n = count_all(why, sizeof why);
    if (n == 0) fail(HALO_ERR_DEVICE, "%s", why);
    if (ordinal < 0 || ordinal >= n) fail(HALO_ERR_ARGUMENT, "there is no " HALO_GPU_NAME " device %d among %d", ordinal, n);
    HALO_GPU_PROPERTIES properties;
    check(HALO_GPU_GET_PROPERTIES(&properties, ordinal), "GetDeviceProperties");
    if (*what_lacks(properties) != '\0') fail(HALO_ERR_DEVICE, HALO_GPU_NAME " device %d is %s%s", ordinal, properties.name, what_lacks(properties));
    return std::make_unique<GpuRuntime>(ordinal);
}

} // namespace halo::accelerator
