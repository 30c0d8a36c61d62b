// SPDX-License-Identifier: BSD-3-Clause
// Kernels by hand and fused loops in OpenCL, built when the shape of the blocks is known.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "module.h"

namespace bench {

extern const char *const hand_kernels_text; // hand_kernels.h

namespace {

const char *const language = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define BENCH_FUNCTION static
#define BENCH_GLOBAL global
#define BENCH_KERNEL kernel
#define BENCH_SHAPED kernel
#define BENCH_LONG long
#define BENCH_ITEM get_group_id(0)
#define BENCH_GROUP ((int)get_group_id(1))
#define BENCH_GROUPS ((int)get_num_groups(1))
#define BENCH_THREAD ((int)get_local_id(0))
#define BENCH_THREADS ((int)get_local_size(0))
)";
static_assert(sizeof(GhostBuffer) == 40 && sizeof(IndexLoop) == 40 && sizeof(void *) == 8, "as the kernels have it");

void check(cl_int error, const char *call) {
    if (error != CL_SUCCESS) throw std::runtime_error(std::string(call) + ": OpenCL error " + std::to_string(error));
}

// The first that libhalo takes too, as far as memory goes; null: there is none.
cl_device_id find_device() {
    constexpr cl_uint most = 8;
    cl_platform_id platforms[most];
    cl_device_id devices[most];
    cl_uint n_platforms = 0, n = 0;
    if (clGetPlatformIDs(most, platforms, &n_platforms) != CL_SUCCESS) return nullptr;
    for (cl_uint p = 0; p < std::min(n_platforms, most); ++p) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, most, devices, &n) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < std::min(n, most); ++d) {
            cl_device_svm_capabilities shares = 0;
            clGetDeviceInfo(devices[d], CL_DEVICE_SVM_CAPABILITIES, sizeof shares, &shares, nullptr);
            if ((shares & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) return devices[d];
        }
    }
    return nullptr;
}

class OpenClKernels final : public DeviceKernels {
public:
    explicit OpenClKernels(cl_device_id device) : device_(device) {
        cl_int error = CL_SUCCESS;
        context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        check(error, "clCreateContext");
        queue_ = clCreateCommandQueueWithProperties(context_, device, nullptr, &error);
        check(error, "clCreateCommandQueueWithProperties");
        std::snprintf(address_, sizeof address_, "%p", static_cast<void *>(context_));
    }
    ~OpenClKernels() override {
        forget();
        clReleaseCommandQueue(queue_);
        clReleaseContext(context_);
    }
    OpenClKernels(const OpenClKernels &) = delete;
    OpenClKernels &operator=(const OpenClKernels &) = delete;

    const char *context() const override { return address_; }
    void *stream() const override { return queue_; }

    int64_t line_bytes() const override {
        cl_uint bytes = 0;
        check(clGetDeviceInfo(device_, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof bytes, &bytes, nullptr), "clGetDeviceInfo");
        return bytes > 0 ? bytes : 64;
    }

    bool prepare(const BlockShape *shape, const std::vector<const void *> &reached) override {
        forget();
        const BlockShape any = shape ? *shape : BlockShape{ 1, 1, 1 };
        char options[96];
        std::snprintf(options, sizeof options, "-cl-std=CL1.2 -DBLOCK=%d -DGHOST=%d -DCOMPONENTS=%d", any.block, any.ghost, any.components);
        cl_int error = CL_SUCCESS;
        const char *sources[] = { language, hand_kernels_text };
        program_ = clCreateProgramWithSource(context_, 2, sources, nullptr, &error);
        check(error, "clCreateProgramWithSource");
        check(clBuildProgram(program_, 1, &device_, options, nullptr, nullptr), "clBuildProgram");
        for (const char *name : { "bench_pack", "bench_unpack", "bench_direct", "bench_loops_pack", "bench_loops_unpack", "bench_loops_direct" }) {
            kernels_.push_back(clCreateKernel(program_, name, &error));
            check(error, "clCreateKernel");
            check(clSetKernelExecInfo(kernels_.back(), CL_KERNEL_EXEC_INFO_SVM_PTRS, reached.size() * sizeof(void *), reached.data()),
                  "clSetKernelExecInfo");
        }
        return shape != nullptr;
    }

    void run(DeviceTask task, const GhostBuffer *list, size_t n, size_t groups, double *blocks, double *message) override {
        launch(kernels_[static_cast<size_t>(task)], n, groups, threads_by_hand, { list, blocks, message });
    }
    void run_loops(DeviceTask task, const IndexLoop *list, size_t n, size_t groups) override {
        launch(kernels_[3 + static_cast<size_t>(task)], n, groups, threads_of_loops, { list });
    }

private:
    void launch(cl_kernel kernel, size_t n, size_t groups, size_t threads, std::initializer_list<const void *> arguments) {
        const size_t all[2] = { n * threads, groups }, group[2] = { threads, 1 };
        cl_uint i = 0;
        for (const void *argument : arguments) check(clSetKernelArgSVMPointer(kernel, i++, argument), "clSetKernelArgSVMPointer");
        check(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, all, group, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    }
    // Of what was prepared.
    void forget() {
        clFinish(queue_);
        for (const cl_kernel kernel : kernels_) clReleaseKernel(kernel);
        kernels_.clear();
        if (program_) clReleaseProgram(program_);
        program_ = nullptr;
    }

    cl_device_id device_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    std::vector<cl_kernel> kernels_; // by DeviceTask: by hand, then loops
    char address_[32] = "";
};

} // namespace

} // namespace bench

extern "C" [[gnu::visibility("default")]] bench::DeviceKernels *halo_bench_make_device_kernels() {
    const cl_device_id device = bench::find_device();
    return device ? new bench::OpenClKernels(device) : nullptr;
}
