// SPDX-License-Identifier: BSD-3-Clause
// Kernels by hand and fused loops for CUDA and HIP, with the runtime's API. Whoever includes it has included the runtime's header, and defined
// GPU(name), by which its functions are called.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "module.h"

#define BENCH_FUNCTION static __device__ __forceinline__
#define BENCH_GLOBAL
#define BENCH_KERNEL static __global__
#define BENCH_SHAPED                                                                                                                                 \
    template <int BLOCK, int GHOST, int COMPONENTS>                                                                                                  \
    static __global__
#define BENCH_LONG long long
#define BENCH_ITEM blockIdx.x
#define BENCH_GROUP static_cast<int>(blockIdx.y)
#define BENCH_GROUPS static_cast<int>(gridDim.y)
#define BENCH_THREAD static_cast<int>(threadIdx.x)
#define BENCH_THREADS static_cast<int>(blockDim.x)
#include "hand_kernels.h"

namespace bench {

namespace {

static_assert(sizeof(GhostBuffer) == sizeof(bench_buffer) && sizeof(IndexLoop) == sizeof(bench_loop), "as the kernels have it");

void check(GPU(Error_t) error, const char *call) {
    if (error != GPU(Success)) throw std::runtime_error(std::string(call) + ": " + GPU(GetErrorString)(error));
}

// Those of one shape.
struct ShapedKernels {
    BlockShape shape;
    const void *by_task[3];
};

template <int BLOCK, int GHOST, int COMPONENTS>
ShapedKernels shaped_kernels() {
    return { { BLOCK, GHOST, COMPONENTS },
             { reinterpret_cast<const void *>(bench_pack<BLOCK, GHOST, COMPONENTS>),
               reinterpret_cast<const void *>(bench_unpack<BLOCK, GHOST, COMPONENTS>),
               reinterpret_cast<const void *>(bench_direct<BLOCK, GHOST, COMPONENTS>) } };
}

// Of the cases with a name.
const ShapedKernels compiled[] = { shaped_kernels<16, 2, 1>(), shaped_kernels<16, 2, 4>(), shaped_kernels<16, 2, 5>(), shaped_kernels<32, 2, 4>(),
                                   shaped_kernels<32, 2, 5>(), shaped_kernels<8, 2, 4>(),  shaped_kernels<8, 1, 1>() };

class GpuKernels final : public DeviceKernels {
public:
    GpuKernels() {
        check(GPU(SetDevice)(0), "SetDevice");
        check(GPU(StreamCreateWithFlags)(&stream_, GPU(StreamNonBlocking)), "StreamCreateWithFlags");
    }
    ~GpuKernels() override { static_cast<void>(GPU(StreamDestroy)(stream_)); }
    GpuKernels(const GpuKernels &) = delete;
    GpuKernels &operator=(const GpuKernels &) = delete;

    const char *context() const override { return ""; }
    void *stream() const override { return stream_; }
    int64_t line_bytes() const override { return 128; }

    bool prepare(const BlockShape *shape, const std::vector<const void *> &) override {
        check(GPU(SetDevice)(0), "SetDevice"); // of this thread
        shaped_ = nullptr;
        for (const ShapedKernels &kernels : compiled)
            if (shape && kernels.shape.block == shape->block && kernels.shape.ghost == shape->ghost && kernels.shape.components == shape->components)
                shaped_ = &kernels;
        return shaped_ != nullptr;
    }
    void run(DeviceTask task, const GhostBuffer *list, size_t n, size_t groups, double *blocks, double *message) override {
        void *arguments[] = { &list, &blocks, &message };
        launch(shaped_->by_task[static_cast<size_t>(task)], n, groups, threads_by_hand, arguments);
    }
    void run_loops(DeviceTask task, const IndexLoop *list, size_t n, size_t groups) override {
        static const void *const kernels[] = { reinterpret_cast<const void *>(bench_loops_pack), reinterpret_cast<const void *>(bench_loops_unpack),
                                               reinterpret_cast<const void *>(bench_loops_direct) };
        void *arguments[] = { &list };
        launch(kernels[static_cast<size_t>(task)], n, groups, threads_of_loops, arguments);
    }

private:
    void launch(const void *kernel, size_t n, size_t groups, unsigned threads, void **arguments) {
        const dim3 all(static_cast<unsigned>(n), static_cast<unsigned>(groups));
        check(GPU(LaunchKernel)(kernel, all, dim3(threads), arguments, 0, stream_), "LaunchKernel");
    }

    GPU(Stream_t) stream_ = nullptr;
    const ShapedKernels *shaped_ = nullptr;
};

} // namespace

} // namespace bench

extern "C" [[gnu::visibility("default")]] bench::DeviceKernels *halo_bench_make_device_kernels() {
    int n = 0;
    return GPU(GetDeviceCount)(&n) == GPU(Success) && n > 0 ? new bench::GpuKernels : nullptr;
}
