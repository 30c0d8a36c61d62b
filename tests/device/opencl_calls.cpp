// SPDX-License-Identifier: BSD-3-Clause
// What a run asks of OpenCL, counted at its entry points: this program stands in front of them. And what cannot be a stream.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include <dlfcn.h>

#include "halo_levels.h"
#include "opencl_grid.h"
#include "placed.h"

namespace {

struct Calls {
    int64_t kernels = 0, copies = 0, waits = 0, allocations = 0, bytes = 0, strange = 0; // strange: pointers told of that lead to no shared memory
    int64_t recordings = 0, replays = 0;                                                 // of command buffers
};
thread_local Calls calls; // of a rank
thread_local std::atomic<int64_t> *kernels_for_others = nullptr;

// Memory that OpenCL shares now.
std::mutex guard;
std::map<const char *, size_t> shared;
bool is_shared(const void *pointer) {
    const std::lock_guard lock(guard);
    const auto *const at = static_cast<const char *>(pointer);
    const auto after = shared.upper_bound(at);
    return after != shared.begin() && at < std::prev(after)->first + std::prev(after)->second;
}

template <class Function>
Function *real(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace

#define COUNTED extern "C" __attribute__((visibility("default"))) CL_API_ENTRY

COUNTED cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims, const size_t *offset, const size_t *all,
                                                  const size_t *group, cl_uint n_events, const cl_event *events, cl_event *event) {
    static const auto call = real<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
    ++calls.kernels;
    const cl_int error = call(queue, kernel, n_dims, offset, all, group, n_events, events, event);
    if (kernels_for_others) ++*kernels_for_others;
    return error;
}
COUNTED cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool waits, void *dst, const void *src, size_t bytes, cl_uint n_events,
                                              const cl_event *events, cl_event *event) {
    static const auto call = real<decltype(clEnqueueSVMMemcpy)>("clEnqueueSVMMemcpy");
    ++calls.copies;
    calls.waits += waits == CL_TRUE;
    return call(queue, waits, dst, src, bytes, n_events, events, event);
}
COUNTED cl_int CL_API_CALL clFinish(cl_command_queue queue) {
    static const auto call = real<decltype(clFinish)>("clFinish");
    ++calls.waits;
    return call(queue);
}
COUNTED cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *events) {
    static const auto call = real<decltype(clWaitForEvents)>("clWaitForEvents");
    ++calls.waits;
    return call(n, events);
}
COUNTED void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
    static const auto call = real<decltype(clSVMAlloc)>("clSVMAlloc");
    ++calls.allocations;
    calls.bytes += static_cast<int64_t>(bytes);
    void *const memory = call(context, flags, bytes, alignment);
    const std::lock_guard lock(guard);
    shared[static_cast<const char *>(memory)] = bytes;
    return memory;
}
COUNTED void CL_API_CALL clSVMFree(cl_context context, void *memory) {
    static const auto call = real<decltype(clSVMFree)>("clSVMFree");
    {
        const std::lock_guard lock(guard);
        shared.erase(static_cast<const char *>(memory));
    }
    call(context, memory);
}

#ifdef cl_khr_command_buffer

namespace {

clCreateCommandBufferKHR_fn real_create = nullptr;
clEnqueueCommandBufferKHR_fn real_enqueue = nullptr;
std::atomic<bool> replays_fail{ false };

cl_command_buffer_khr CL_API_CALL create_buffer(cl_uint n, const cl_command_queue *queues, const cl_command_buffer_properties_khr *properties,
                                                cl_int *error) {
    ++calls.recordings;
    return real_create(n, queues, properties, error);
}
cl_int CL_API_CALL enqueue_buffer(cl_uint n, cl_command_queue *queues, cl_command_buffer_khr buffer, cl_uint n_events, const cl_event *events,
                                  cl_event *event) {
    ++calls.replays;
    return replays_fail ? CL_OUT_OF_RESOURCES : real_enqueue(n, queues, buffer, n_events, events, event);
}

template <class Function>
void *stand_before(Function &function, void *address, Function instead) {
    std::memcpy(&function, &address, sizeof function);
    std::memcpy(&address, &instead, sizeof address);
    return address;
}

} // namespace

COUNTED void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
    static const auto call = real<decltype(clGetExtensionFunctionAddressForPlatform)>("clGetExtensionFunctionAddressForPlatform");
    void *const address = call(platform, name);
    if (!address) return address;
    if (std::strcmp(name, "clCreateCommandBufferKHR") == 0) return stand_before(real_create, address, create_buffer);
    if (std::strcmp(name, "clEnqueueCommandBufferKHR") == 0) return stand_before(real_enqueue, address, enqueue_buffer);
    return address;
}

#endif

// Drivers may refuse what is no memory of theirs.
COUNTED cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t bytes, const void *value) {
    static const auto call = real<decltype(clSetKernelExecInfo)>("clSetKernelExecInfo");
    if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS)
        for (const void *pointer : std::span(static_cast<void *const *>(value), bytes / sizeof(void *))) calls.strange += !is_shared(pointer);
    return call(kernel, what, bytes, value);
}

namespace {

using namespace conformance;
using namespace opencl_tests;

const conformance::Settings one_by_one = { { "device.graphs", "no" } };

// `per_run` launches, at most as many copies, of what they are told, and no wait; once as many launches have been made as are remembered, no memory
// is taken.
void expect_launches(Rank &rank, int32_t n_fields, int32_t n_sparse, int64_t per_run, int32_t kind = HALO_KIND_GHOSTS) {
    constexpr int n_turns = 100, steady = 20;
    Grid grid(rank, n_fields, n_sparse, kind);
    for (int turn = 0; turn < n_turns; ++turn) {
        grid.write(turn);
        OK(halo_context_barrier(rank.context));
        const Calls before = calls;
        grid.run();
        const Calls after = calls;
        if (after.kernels - before.kernels != per_run) stop("turn %d: %lld launches", turn, static_cast<long long>(after.kernels - before.kernels));
        if (after.waits != before.waits && turn > 0) stop("turn %d: the host has waited for the device", turn);
        if (after.allocations != before.allocations && turn >= steady)
            stop("turn %d: %lld blocks of %lld bytes have been taken", turn, static_cast<long long>(after.allocations - before.allocations),
                 static_cast<long long>(after.bytes - before.bytes));
        if (after.strange != 0) stop("turn %d: a kernel is told of memory that is not shared", turn);
        if (after.copies - before.copies > per_run && turn > 0)
            stop("turn %d: %lld copies", turn, static_cast<long long>(after.copies - before.copies));
        if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
    }
}

TEST(CallsOfOpenCl, OneRank) { // copies within it
    run(1, one_by_one, [](Rank &rank) { expect_launches(rank, 5, 0, 1); });
}

TEST(CallsOfOpenCl, TwoRanks) { // pack, copies within the rank, unpack
    for (const int32_t n_fields : { 1, 5 }) run(2, one_by_one, [&](Rank &rank) { expect_launches(rank, n_fields, 0, 3); });
}

TEST(CallsOfOpenCl, SparseFields) { // and a test of what is null
    run(2, one_by_one, [](Rank &rank) { expect_launches(rank, 4, 2, 4); });
}

TEST(CallsOfOpenCl, Sums) { // pack, set aside within the rank, combine
    for (const int32_t n_fields : { 1, 5 }) run(2, one_by_one, [&](Rank &rank) { expect_launches(rank, n_fields, 0, 3, HALO_KIND_REVERSE); });
    run(1, one_by_one, [](Rank &rank) { expect_launches(rank, 5, 0, 2, HALO_KIND_REVERSE); });
}

// Start packs and copies within the rank, finish unpacks, whatever the number of blocks on a rank, of fields and of ranks around it.
void expect_one_of_each(Rank &rank, const Extent &extent, int32_t n_fields) {
    constexpr int n_turns = 4;
    Grid grid(rank, n_fields, 0, HALO_KIND_GHOSTS, extent);
    if (grid.stats().n_peers != rank.size - 1) stop("%d peers", grid.stats().n_peers);
    for (int turn = 0; turn < n_turns; ++turn) {
        grid.write(turn);
        OK(halo_context_barrier(rank.context));
        const Calls before = calls;
        OK(grid.start(stream()));
        const Calls started = calls;
        OK(grid.finish(stream()));
        const Calls after = calls;
        if (started.kernels - before.kernels != 2 || after.kernels - started.kernels != 1)
            stop("turn %d: %lld launches by start, %lld by finish", turn, static_cast<long long>(started.kernels - before.kernels),
                 static_cast<long long>(after.kernels - started.kernels));
        if (after.waits != before.waits && turn > 0) stop("turn %d: the host has waited for the device", turn);
        if (after.strange != 0) stop("turn %d: a kernel is told of memory that is not shared", turn);
        if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
    }
}

// Blocks of a rank, fields, peers.
class LaunchesOfOpenCl : public testing::TestWithParam<std::tuple<int64_t, int32_t, int32_t>> {};

TEST_P(LaunchesOfOpenCl, OneOfEach) {
    const int64_t n_blocks = std::get<0>(GetParam());
    const int32_t n_fields = std::get<1>(GetParam()), n_peers = std::get<2>(GetParam());
    Extent extent;
    extent.cells = 4;
    extent.blocks = n_blocks == 2    ? std::array<int64_t, 3>{ 2, 1, 1 }
                    : n_blocks == 16 ? std::array<int64_t, 3>{ 4, 2, 2 }
                                     : std::array<int64_t, 3>{ 4, 4, 4 };
    extent.ranks = { 2, n_peers > 1 ? 2 : 1, n_peers > 3 ? 2 : 1 };
    ASSERT_EQ(extent.blocks[0] * extent.blocks[1] * extent.blocks[2], n_blocks);
    run(n_peers + 1, one_by_one, [&](Rank &rank) { expect_one_of_each(rank, extent, n_fields); });
}

INSTANTIATE_TEST_SUITE_P(BlocksFieldsPeers, LaunchesOfOpenCl,
                         testing::Combine(testing::Values(2, 16, 64), testing::Values(1, 5), testing::Values(1, 3, 7)), [](const auto &one) {
                             return text_of("%lldBlocks%dFields%dPeers", static_cast<long long>(std::get<0>(one.param)), std::get<1>(one.param),
                                            std::get<2>(one.param));
                         });

// What a run asks of the device once it has been recorded; the rest of the launches is replayed. Nothing is recorded or allocated then.
struct Replayed {
    int64_t kernels, replays;
};

[[maybe_unused]] void expect_replays(Rank &rank, int32_t n_fields, int32_t n_sparse, Replayed per_run, int32_t kind = HALO_KIND_GHOSTS) {
    constexpr int n_turns = 20, steady = 14;
    Grid grid(rank, n_fields, n_sparse, kind);
    int64_t copies = 0;
    for (int turn = 0; turn < n_turns; ++turn) {
        grid.write(turn);
        OK(halo_context_barrier(rank.context));
        const Calls before = calls;
        grid.run();
        const Calls after = calls;
        if (after.waits != before.waits && turn > 0) stop("turn %d: the host has waited for the device", turn);
        if (after.strange != 0) stop("turn %d: a kernel is told of memory that is not shared", turn);
        if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
        if (turn < steady) continue;
        copies += after.copies - before.copies;
        if (after.kernels - before.kernels != per_run.kernels || after.replays - before.replays != per_run.replays)
            stop("turn %d: %lld launches, %lld replays", turn, static_cast<long long>(after.kernels - before.kernels),
                 static_cast<long long>(after.replays - before.replays));
        if (after.recordings != before.recordings) stop("turn %d: something has been recorded", turn);
        if (after.allocations != before.allocations) stop("turn %d: memory has been taken", turn);
    }
    if (copies > (per_run.kernels + per_run.replays) * (n_turns - steady)) stop("%lld copies", static_cast<long long>(copies));
}

// Four roots side by side, the first of them refined, and fields of cells with ghosts between levels.
class Refined {
public:
    Refined(const Rank &rank, int32_t n_fields) {
        halo_tree tree = HALO_TREE_INIT;
        const int32_t marks[4] = { HALO_MARK_REFINE };
        std::array<halo_leaf, 4> roots{};
        std::array<halo_leaf, 7> leaves{};
        halo_forest_desc forest = HALO_FOREST_DESC_INIT;
        tree.n_roots[0] = tree.n_roots[1] = 2;
        forest.n_dims = 2, forest.n_cells[0] = forest.n_cells[1] = n_cells, forest.trees = &tree, forest.n_trees = 1;
        OK(halo_forest_uniform(&forest, 0, sizeof roots[0], roots.data(), std::ssize(roots), &forest.n_leaves));
        forest.leaves = roots.data();
        OK(halo_forest_adapt(&forest, marks, sizeof leaves[0], leaves.data(), nullptr, std::ssize(leaves), &forest.n_leaves));
        forest.leaves = leaves.data();
        OK(halo_topology_create_forest(rank.context, &forest, &topology_));
        for (int32_t f = 0; f < n_fields; ++f) {
            const std::string name = text_of("f%d", f);
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name.c_str(), desc.n_components = 1 + f % 3;
            for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
            OK(halo_field_create(topology_, &desc, &fields_.emplace_back()));
            allocate_storage(topology_, fields_.back());
        }
        OK(halo_exchange_create(fields_.data(), n_fields, nullptr, &exchange_));
    }
    ~Refined() {
        halo_exchange_destroy(&exchange_);
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Refined(const Refined &) = delete;
    Refined &operator=(const Refined &) = delete;

    // Of a run in which nothing is new any more.
    int64_t launches() {
        constexpr int steady = 20;
        Calls before{};
        for (int turn = 0; turn <= steady; ++turn) {
            before = calls;
            OK(halo_exchange_start(exchange_, nullptr, stream()));
            OK(halo_exchange_finish(exchange_, stream()));
        }
        if (calls.waits != before.waits) stop("the host has waited for the device");
        if (calls.allocations != before.allocations) stop("memory has been taken");
        if (calls.strange != 0) stop("a kernel is told of memory that is not shared");
        return calls.kernels - before.kernels;
    }

private:
    halo_topology *topology_ = nullptr;
    std::vector<halo_field *> fields_;
    halo_exchange *exchange_ = nullptr;
};

// Restriction, pack, copies within the rank, unpack, restriction of ghosts, prolongation; on a rank that has all, nothing is packed or unpacked.
TEST(CallsOfOpenCl, BetweenLevels) {
    for (const int32_t n_fields : { 1, 5 }) {
        run(1, one_by_one, [&](Rank &rank) {
            if (const int64_t n = Refined(rank, n_fields).launches(); n != 4) stop("%d fields: %lld launches", n_fields, static_cast<long long>(n));
        });
        run(2, one_by_one, [&](Rank &rank) {
            if (const int64_t n = Refined(rank, n_fields).launches(); n > 6) stop("%d fields: %lld launches", n_fields, static_cast<long long>(n));
        });
    }
}

// The host waits, which is not counted.
void complete(halo_stream in) {
    const int64_t waits = calls.waits;
    if (const cl_int error = clFinish(static_cast<cl_command_queue>(in)); error != CL_SUCCESS) stop("clFinish: OpenCL error %d", error);
    calls.waits = waits;
}

// With chunks of a byte: a launch for each peer packs, one copies within the rank, one for each peer unpacks, as its message comes. Rank 1 sends to
// rank 0 when that has packed, rank 2 when it has unpacked what rank 1 has sent.
TEST(CallsOfOpenCl, InChunks) {
    std::atomic<int64_t> kernels{ 0 }; // of rank 0
    run(3, { { "device.chunk", "1" } }, [&](Rank &rank) {
        constexpr int64_t all = 5;
        const int64_t first[] = { 0, 3, 4 };
        const auto have_been = [&](int64_t n) {
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(50);
            for (; kernels < n; std::this_thread::yield())
                if (std::chrono::steady_clock::now() > end)
                    stop("rank 0 has made %lld launches, not %lld", static_cast<long long>(kernels), static_cast<long long>(n));
        };
        Grid grid(rank, 2, 0);
        if (const int32_t n_peers = grid.stats().n_peers; n_peers != 2) stop("%d peers", n_peers);
        if (rank.rank == 0) kernels_for_others = &kernels;
        for (int turn = 0; turn < 3; ++turn) {
            grid.write(turn);
            let_messages_leave(rank.context);
            if (rank.rank == 0) kernels = 0;
            OK(halo_context_barrier(rank.context));
            have_been(first[rank.rank]);
            grid.run();
            if (rank.rank == 0 && kernels != all) stop("turn %d: %lld launches", turn, static_cast<long long>(kernels));
            if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
            OK(halo_context_barrier(rank.context));
        }
    });
}

#ifdef cl_khr_command_buffer

// Else nothing can be recorded.
bool has_command_buffers() {
    cl_platform_id platform = nullptr;
    return clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS && clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
}

// Packing and copies within the rank are one replay; unpacking is one launch in any case.
TEST(CommandBuffers, LaunchesThatGoTogether) {
    if (!has_command_buffers()) GTEST_SKIP() << "the driver has no command buffers";
    run(1, {}, [](Rank &rank) { expect_replays(rank, 2, 0, { 1, 0 }); });
    run(2, {}, [](Rank &rank) { expect_replays(rank, 2, 0, { 1, 1 }); });
    run(2, {}, [](Rank &rank) { expect_replays(rank, 2, 1, { 1, 1 }); });
    run(2, {}, [](Rank &rank) { expect_replays(rank, 2, 0, { 1, 1 }, HALO_KIND_REVERSE); });
}

TEST(CommandBuffers, AllLaunches) {
    if (!has_command_buffers()) GTEST_SKIP() << "the driver has no command buffers";
    const conformance::Settings all = { { "device.graphs", "yes" } };
    run(1, all, [](Rank &rank) { expect_replays(rank, 2, 0, { 0, 1 }); });
    run(2, all, [](Rank &rank) { expect_replays(rank, 2, 0, { 0, 2 }); });
    run(1, all, [](Rank &rank) { expect_replays(rank, 2, 0, { 0, 2 }, HALO_KIND_REVERSE); });
}

// Tables stay as they are on the device, and so does what is recorded: a small copy tells each launch where storage is now.
TEST(CommandBuffers, StorageThatIsElsewhereInEveryRun) {
    if (!has_command_buffers()) GTEST_SKIP() << "the driver has no command buffers";
    run(2, {}, [](Rank &rank) {
        constexpr int n_turns = 20, steady = 4;
        Grid grid(rank, 3, 0);
        Calls before;
        const auto uploaded = [&] { return grid.stats().tables_compiled; };
        int64_t tables = 0;
        for (int turn = 0; turn < n_turns; ++turn) {
            if (turn == steady) tables = uploaded();
            grid.move();
            grid.write(turn);
            OK(halo_context_barrier(rank.context));
            before = calls;
            grid.run();
            const Calls after = calls;
            if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
            if (turn < steady) continue;
            if (after.recordings != before.recordings || after.replays - before.replays != 1 || after.kernels - before.kernels != 1)
                stop("turn %d: %lld recordings, %lld replays, %lld launches", turn, static_cast<long long>(after.recordings - before.recordings),
                     static_cast<long long>(after.replays - before.replays), static_cast<long long>(after.kernels - before.kernels));
            if (after.copies - before.copies > 2) stop("turn %d: %lld copies", turn, static_cast<long long>(after.copies - before.copies));
        }
        if (uploaded() != tables) stop("tables have been made again");
    });
}

TEST(CommandBuffers, AReplayThatFails) {
    if (!has_command_buffers()) GTEST_SKIP() << "the driver has no command buffers";
    run(1, { { "device.graphs", "yes" } }, [](Rank &rank) {
        Grid grid(rank, 2, 0);
        for (int turn = 0; turn < 20; ++turn) {
            grid.write(turn);
            if (turn % 5 == 4) {
                replays_fail = true;
                const halo_status status = grid.start(stream());
                replays_fail = false;
                if (status != HALO_ERR_DEVICE) stop("turn %d: %s", turn, halo_status_name(status));
                if (!std::strstr(halo_last_error(), "clEnqueueCommandBufferKHR")) stop("%s", halo_last_error());
            }
            grid.run();
            if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
        }
    });
}

#endif

cl_context context_of_tests() {
    const std::string &address = test_device().settings().front().second;
    return reinterpret_cast<cl_context>(std::strtoull(address.c_str(), nullptr, 16));
}

cl_device_id device_of(cl_context context) {
    cl_device_id device = nullptr;
    EXPECT_EQ(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr), CL_SUCCESS);
    return device;
}

// Each in its own, and finished in the other order: neither is held up by the other, nor the host by them.
TEST(CallsOfOpenCl, TwoExchangesInTwoQueues) {
    const cl_context context = context_of_tests();
    const cl_device_id device = device_of(context);
    run(2, one_by_one, [&](Rank &rank) {
        cl_int error = CL_SUCCESS;
        const cl_command_queue one = clCreateCommandQueueWithProperties(context, device, nullptr, &error);
        const cl_command_queue two = clCreateCommandQueueWithProperties(context, device, nullptr, &error);
        if (!one || !two) stop("no queue: OpenCL error %d", error);
        {
            Grid first(rank, 2, 0), second(rank, 3, 0);
            for (int turn = 0; turn < 20; ++turn) {
                first.write(turn);
                second.write(turn + 100);
                let_messages_leave(rank.context);
                OK(halo_context_barrier(rank.context));
                const Calls before = calls;
                OK(first.start(one));
                OK(second.start(two));
                OK(second.finish(two));
                OK(first.finish(one));
                const Calls after = calls;
                if (after.kernels - before.kernels != 6) stop("turn %d: %lld launches", turn, static_cast<long long>(after.kernels - before.kernels));
                if (after.waits != before.waits && turn > 0) stop("turn %d: the host has waited for the device", turn);
                complete(one);
                complete(two);
                const int64_t wrong = first.wrong_values(turn) + second.wrong_values(turn + 100);
                if (wrong > 0) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
            }
        }
        clReleaseCommandQueue(one);
        clReleaseCommandQueue(two);
    });
}

// A command buffer that was recorded for another kind of queue does not go into it: launches go one by one.
TEST(StreamsOfOpenCl, AQueueThatIsProfiled) {
    const cl_context context = context_of_tests();
    const cl_device_id device = device_of(context);
    run(2, { { "device.graphs", "yes" } }, [&](Rank &rank) {
        const cl_queue_properties profiled[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
        cl_int error = CL_SUCCESS;
        const cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, profiled, &error);
        if (!queue) stop("no queue: OpenCL error %d", error);
        {
            Grid grid(rank, 2, 0);
            for (int turn = 0; turn < 8; ++turn) {
                const bool in_profiled = turn % 4 != 3; // in between in that of the device
                grid.write(turn);
                OK(halo_context_barrier(rank.context));
                const Calls before = calls;
                OK(grid.start(in_profiled ? queue : stream()));
                OK(grid.finish(in_profiled ? queue : stream()));
                if (in_profiled && calls.replays != before.replays) stop("turn %d: something has been replayed", turn);
                complete(queue);
                if (const int64_t wrong = grid.wrong_values(turn)) stop("turn %d: %lld wrong values", turn, static_cast<long long>(wrong));
            }
        }
        clReleaseCommandQueue(queue);
    });
}

// A queue that cannot be a stream: the call says why, and the next one works.
void expect_refused(halo_stream stream, const char *text) {
    run(1, {}, [&](Rank &rank) {
        Grid grid(rank, 1, 0);
        grid.write(1);
        const halo_status status = grid.start(stream);
        if (status != HALO_ERR_DEVICE && status != HALO_ERR_ARGUMENT) stop("%s", halo_status_name(status));
        if (!std::strstr(halo_last_error(), text)) stop("%s", halo_last_error());
        grid.run();
        if (grid.wrong_values(1) != 0) stop("the next run brings wrong values");
    });
}

TEST(StreamsOfOpenCl, InOrderInTheContextThatIsNamed) {
    const cl_context context = context_of_tests();
    const cl_device_id device = device_of(context);
    const cl_queue_properties unordered[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
    cl_int error = CL_SUCCESS;
    const cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, unordered, &error);
    if (error == CL_SUCCESS) { // else the device has none
        expect_refused(queue, "an out-of-order command queue");
        clReleaseCommandQueue(queue);
    }
    const cl_context other = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    const cl_command_queue elsewhere = clCreateCommandQueueWithProperties(other, device, nullptr, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    expect_refused(elsewhere, "a command queue of another OpenCL context");
    clReleaseCommandQueue(elsewhere);
    clReleaseContext(other);
}

TEST(StreamsOfOpenCl, AContextIsANumber) {
    for (const char *wrong : { "mine", "0x", "12x", "0" })
        run_raw(1, [&](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            OK(make_context(group, rank, { { "device.context", wrong } }, &context));
            void *memory = nullptr;
            const halo_status status = halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, 64, &memory);
            if (status != HALO_ERR_CONFIG) stop("%s: %s", wrong, halo_status_name(status));
            if (!std::strstr(halo_last_error(), "a cl_context is a hexadecimal number")) stop("%s", halo_last_error());
            OK(halo_context_destroy(&context));
        });
}

} // namespace

int main(int argc, char **argv) {
    setenv("CONFORMANCE_STORAGE", "device", 1);
    setenv("CONFORMANCE_DEVICE", "opencl", 1);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
