// SPDX-License-Identifier: BSD-3-Clause
// What is said between processes of a GPU's memory and events (accelerator/gpu_runtime.h), over a runtime that only counts: what is of this process
// is not opened, and what is of another one is, whatever its number.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "halo_plugin.h"

// The runtime. Memory and events that it opens are `mapping` and `opened_event`.
namespace {

enum fakeError_t {
    fakeSuccess,
    fakeErrorMemoryAllocation,
    fakeErrorNotReady,
    fakeErrorInvalidValue,
    fakeErrorPeerAccessAlreadyEnabled,
    fakeErrorStreamCaptureImplicit
};
enum fakeStreamCaptureStatus { fakeStreamCaptureStatusNone };
enum {
    fakeStreamNonBlocking,
    fakeMemcpyDefault,
    fakeMemcpyHostToDevice,
    fakeStreamCaptureModeThreadLocal,
    fakeIpcMemLazyEnablePeerAccess,
    fakeDevPageableAccess
};
enum { fakeEventDisableTiming = 1, fakeEventInterprocess = 2 };
struct Anything {};
using fakeStream_t = Anything *;
using fakeEvent_t = Anything *;
using fakeGraph_t = Anything *;
using fakeGraphExec_t = Anything *;
struct fakeIpcMemHandle_t {
    char reserved[64];
};
using fakeIpcEventHandle_t = fakeIpcMemHandle_t;
struct fakeAttributes {
    int device;
};
struct fakeProperties {
    int major;
    char name[8];
};

struct Counts {
    int opened, closed, events_opened, events_destroyed, peers;
} counts{};
bool peers_reach = true;
int current = 0;
Anything mapping, opened_event;

#define FAKE_NOTHING(name)                                                                                                                           \
    template <class... Given>                                                                                                                        \
    fakeError_t fake##name(const Given &...) {                                                                                                       \
        return fakeSuccess;                                                                                                                          \
    }
FAKE_NOTHING(GetLastError)
FAKE_NOTHING(StreamCreateWithFlags)
FAKE_NOTHING(StreamDestroy)
FAKE_NOTHING(StreamSynchronize)
FAKE_NOTHING(StreamBeginCapture)
FAKE_NOTHING(StreamEndCapture)
FAKE_NOTHING(StreamIsCapturing)
FAKE_NOTHING(StreamWaitEvent)
FAKE_NOTHING(DeviceGetAttribute)
FAKE_NOTHING(Malloc)
FAKE_NOTHING(Free)
FAKE_NOTHING(HostAlloc)
FAKE_NOTHING(HostFree)
FAKE_NOTHING(MemcpyAsync)
FAKE_NOTHING(GraphDestroy)
FAKE_NOTHING(GraphExecDestroy)
FAKE_NOTHING(GraphInstantiateWithFlags)
FAKE_NOTHING(GraphLaunch)
FAKE_NOTHING(EventRecord)
FAKE_NOTHING(EventQuery)
FAKE_NOTHING(PointerGetAttributes)
FAKE_NOTHING(GetDeviceCount)
FAKE_NOTHING(GetProperties)

const char *fakeGetErrorString(fakeError_t) { return "an error"; }
fakeError_t fakeGetDevice(int *device) {
    *device = current;
    return fakeSuccess;
}
fakeError_t fakeSetDevice(int device) {
    current = device;
    return fakeSuccess;
}
fakeError_t fakeEventCreateWithFlags(fakeEvent_t *event, int) {
    *event = new Anything();
    return fakeSuccess;
}
fakeError_t fakeEventDestroy(fakeEvent_t event) {
    ++counts.events_destroyed;
    if (event != &opened_event) delete event;
    return fakeSuccess;
}
template <class Given>
fakeError_t fakeIpcGetMemHandle(fakeIpcMemHandle_t *handle, const Given &) {
    std::memset(handle, 1, sizeof *handle);
    return fakeSuccess;
}
fakeError_t fakeIpcGetEventHandle(fakeIpcEventHandle_t *handle, fakeEvent_t event) { return fakeIpcGetMemHandle(handle, event); }
fakeError_t fakeIpcOpenMemHandle(void **memory, const fakeIpcMemHandle_t &, int) {
    ++counts.opened;
    *memory = &mapping;
    return fakeSuccess;
}
fakeError_t fakeIpcCloseMemHandle(const void *) {
    ++counts.closed;
    return fakeSuccess;
}
fakeError_t fakeIpcOpenEventHandle(fakeEvent_t *event, const fakeIpcEventHandle_t &) {
    ++counts.events_opened;
    *event = &opened_event;
    return fakeSuccess;
}
fakeError_t fakeDeviceCanAccessPeer(int *can, int, int) {
    *can = peers_reach;
    return fakeSuccess;
}
fakeError_t fakeDeviceEnablePeerAccess(int, int) { return ++counts.peers == 1 ? fakeSuccess : fakeErrorPeerAccessAlreadyEnabled; }

int32_t gpu_pointer_kind(const fakeAttributes &) { return HALO_POINTER_DEVICE; }

} // namespace

#define HALO_GPU(name) fake##name
#define HALO_GPU_NAME "fake"
#define HALO_GPU_HOST_ALLOC fakeHostAlloc
#define HALO_GPU_HOST_FREE fakeHostFree
#define HALO_GPU_HOST_FLAGS 0
#define HALO_GPU_PROPERTIES fakeProperties
#define HALO_GPU_GET_PROPERTIES fakeGetProperties
#define HALO_GPU_LEAST_MAJOR 0
#define HALO_GPU_LEAST "0"
#define HALO_GPU_PAGEABLE_ACCESS fakeDevPageableAccess
#define HALO_GPU_POINTER_ATTRIBUTES fakeAttributes
#include "gpu_runtime.h"

extern "C" int halo_gpu_launch(int, unsigned, const void *, void *) { return fakeSuccess; }
extern "C" int halo_gpu_fill(unsigned, halo_filling, void *) { return fakeSuccess; }

namespace {

using namespace halo::accelerator;

class GpuIpc : public testing::Test {
protected:
    GpuIpc() { counts = {}, peers_reach = true, current = 0; }

    char memory_[64] = {};
    GpuRuntime mine_{ 0 }, other_{ 0 };
};

// As another process would have made it.
template <class Exported, class Change>
halo_ipc_handle changed(const halo_ipc_handle &handle, const Change &change) {
    Exported one = Exported::unpacked(handle);
    change(one.process);
    return one.packed();
}
const auto other_number = [](Process &process) { ++process.number; };
const auto other_word = [](Process &process) { process.word ^= 1; }; // of another container

TEST_F(GpuIpc, MemoryOfThisProcessIsNotOpened) {
    const halo_ipc_handle handle = mine_.export_memory(memory_);
    EXPECT_EQ(other_.open_memory(handle), memory_);
    other_.close_memory(memory_);
    EXPECT_EQ(counts.opened + counts.closed + counts.peers, 0);
}

TEST_F(GpuIpc, MemoryOfAnotherProcessIs) {
    const halo_ipc_handle handle = mine_.export_memory(memory_);
    int n = 0;
    for (const halo_ipc_handle &one : { changed<ExportedMemory>(handle, other_number), changed<ExportedMemory>(handle, other_word) }) {
        ++n;
        EXPECT_EQ(other_.open_memory(one), &mapping);
        EXPECT_EQ(counts.opened, n);
        mine_.close_memory(&mapping); // it has not opened it
        EXPECT_EQ(counts.closed, n - 1);
        for (int times = 0; times < 2; ++times) other_.close_memory(&mapping);
        EXPECT_EQ(counts.closed, n);
    }
}

TEST_F(GpuIpc, EventsAreTheExporters) {
    halo_ipc_handle handle{};
    halo_event *const event = mine_.export_event(handle);
    other_.event_destroy(other_.open_event(handle));
    EXPECT_EQ(counts.events_opened + counts.events_destroyed, 0);
    int n = 0;
    for (const halo_ipc_handle &one : { changed<ExportedEvent>(handle, other_number), changed<ExportedEvent>(handle, other_word) }) {
        ++n;
        other_.event_destroy(other_.open_event(one));
        EXPECT_EQ(counts.events_opened, n);
        EXPECT_EQ(counts.events_destroyed, n);
    }
    mine_.event_destroy(event);
    EXPECT_EQ(counts.events_destroyed, n + 1);
}

// In one process: access is asked for, and may have been.
TEST_F(GpuIpc, MemoryOfAnotherDevice) {
    GpuRuntime second(1);
    const halo_ipc_handle handle = second.export_memory(memory_);
    for (int times = 1; times <= 2; ++times) {
        EXPECT_EQ(mine_.open_memory(handle), memory_);
        EXPECT_EQ(counts.peers, times);
    }
    EXPECT_EQ(counts.opened, 0);
    peers_reach = false;
    try {
        mine_.open_memory(handle);
        ADD_FAILURE() << "device 0 does not reach it";
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.status, HALO_ERR_DEVICE);
        EXPECT_STREQ(failure.text, "fake device 0 does not reach the memory of device 1");
    }
}

TEST_F(GpuIpc, AForkIsAnotherProcess) {
    const ExportedMemory one = ExportedMemory::unpacked(mine_.export_memory(memory_));
    EXPECT_TRUE(one.is_of_this_process());
    const pid_t child = fork();
    if (child == 0) std::_Exit(one.is_of_this_process() ? 1 : 0);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// The word of this program as another process.
std::string word_of_another() {
    char program[4096] = {};
    EXPECT_GT(readlink("/proc/self/exe", program, sizeof program - 1), 0);
    std::FILE *const output = popen((std::string("'") + program + "' --word").c_str(), "r");
    char word[64] = {};
    EXPECT_EQ(std::fread(word, 1, sizeof word - 1, output), 16U);
    EXPECT_EQ(pclose(output), 0);
    return word;
}

TEST_F(GpuIpc, EachProcessHasAWordOfItsOwn) { EXPECT_NE(word_of_another(), word_of_another()); }

} // namespace

int main(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "--word") == 0) return std::printf("%016llx", static_cast<unsigned long long>(Process::own().word)) != 16;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
