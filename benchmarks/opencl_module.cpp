// SPDX-License-Identifier: BSD-3-Clause
// Kernels by hand in OpenCL: a work-group and more for each buffer, built for the shape of the blocks, so that the compiler knows all extents.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "module.h"

namespace bench {

namespace {

const char *const text = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ROW (BLOCK + 2 * GHOST)
typedef struct {
    long source, target, message;
    int extent[3];
    int offset;
} buffer;

void copy(int nx, int ny, int nz, global const double *from, int fx, int fy, int fz, global double *to, int tx, int ty, int tz) {
    const int step = get_local_size(0) * get_num_groups(1);
    for (int i = get_local_id(0) + get_local_size(0) * get_group_id(1); i < nx * ny * nz * COMPONENTS; i += step) {
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny) % nz, c = i / (nx * ny * nz);
        to[((c * tz + z) * ty + y) * tx + x] = from[((c * fz + z) * fy + y) * fx + x];
    }
}

#define SHAPES(DO)                                                             \
    const int x = list[get_group_id(0)].extent[0], y = list[get_group_id(0)].extent[1], z = list[get_group_id(0)].extent[2]; \
    if (x == GHOST && y == GHOST && z == GHOST) DO(GHOST, GHOST, GHOST);       \
    else if (x == BLOCK && y == GHOST && z == GHOST) DO(BLOCK, GHOST, GHOST);  \
    else if (x == GHOST && y == BLOCK && z == GHOST) DO(GHOST, BLOCK, GHOST);  \
    else if (x == GHOST && y == GHOST && z == BLOCK) DO(GHOST, GHOST, BLOCK);  \
    else if (x == BLOCK && y == BLOCK && z == GHOST) DO(BLOCK, BLOCK, GHOST);  \
    else if (x == BLOCK && y == GHOST && z == BLOCK) DO(BLOCK, GHOST, BLOCK);  \
    else if (x == GHOST && y == BLOCK && z == BLOCK) DO(GHOST, BLOCK, BLOCK);
#define PACK(NX, NY, NZ) copy(NX, NY, NZ, blocks + source, ROW, ROW, ROW, message + at, NX, NY, NZ)
#define UNPACK(NX, NY, NZ) copy(NX, NY, NZ, message + at, NX, NY, NZ, blocks + target, ROW, ROW, ROW)
#define DIRECT(NX, NY, NZ) copy(NX, NY, NZ, blocks + source, ROW, ROW, ROW, blocks + target, ROW, ROW, ROW)

kernel void pack(global const buffer *list, global double *blocks, global double *message) {
    const long source = list[get_group_id(0)].source, at = list[get_group_id(0)].message;
    SHAPES(PACK)
}
kernel void unpack(global const buffer *list, global double *blocks, global double *message) {
    const long target = list[get_group_id(0)].target, at = list[get_group_id(0)].message;
    SHAPES(UNPACK)
}
kernel void direct(global const buffer *list, global double *blocks, global double *message) {
    const long source = list[get_group_id(0)].source, target = list[get_group_id(0)].target;
    SHAPES(DIRECT)
}
)";
static_assert(sizeof(GhostBuffer) == 40, "as the kernels have it");

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

    void prepare(int block, int ghost, int components, const std::vector<GhostBuffer> &buffers, double *blocks, double *message) override {
        forget();
        char options[96];
        std::snprintf(options, sizeof options, "-DBLOCK=%d -DGHOST=%d -DCOMPONENTS=%d", block, ghost, components);
        build(options);
        const size_t bytes = buffers.size() * sizeof(GhostBuffer);
        buffers_ = clSVMAlloc(context_, CL_MEM_READ_WRITE, bytes, 0);
        if (!buffers_) throw std::runtime_error("clSVMAlloc: no memory");
        check(clEnqueueSVMMemcpy(queue_, CL_TRUE, buffers_, buffers.data(), bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
        int64_t values = 0;
        for (const GhostBuffer &one : buffers) values += int64_t{ components } * one.extent[0] * one.extent[1] * one.extent[2];
        constexpr int64_t values_of_a_group = 4096, most_groups = 64; // of a buffer
        const auto n = static_cast<int64_t>(buffers.size());
        groups_[0] = buffers.size();
        groups_[1] = static_cast<size_t>(std::clamp<int64_t>(values / n / values_of_a_group, 1, most_groups));
        for (const char *name : { "pack", "unpack", "direct" }) add_kernel(name, blocks, message);
    }

    void run(DeviceTask task) override { launch(task, 0, groups_[0]); }
    void run_each(DeviceTask task) override {
        for (size_t i = 0; i < groups_[0]; ++i) launch(task, i, 1);
    }

private:
    void launch(DeviceTask task, size_t first, size_t n) {
        constexpr size_t threads[2] = { 128, 1 };
        const size_t all[2] = { n * threads[0], groups_[1] };
        const cl_kernel kernel = kernels_[static_cast<size_t>(task)];
        check(clSetKernelArgSVMPointer(kernel, 0, static_cast<GhostBuffer *>(buffers_) + first), "clSetKernelArgSVMPointer");
        check(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, all, threads, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    }
    void build(const char *options) {
        cl_int error = CL_SUCCESS;
        const char *source = text;
        program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
        check(error, "clCreateProgramWithSource");
        check(clBuildProgram(program_, 1, &device_, options, nullptr, nullptr), "clBuildProgram");
    }
    void add_kernel(const char *name, double *blocks, double *message) {
        cl_int error = CL_SUCCESS;
        kernels_.push_back(clCreateKernel(program_, name, &error));
        check(error, "clCreateKernel");
        void *const arguments[] = { buffers_, blocks, message };
        for (cl_uint i = 0; i < 3; ++i) check(clSetKernelArgSVMPointer(kernels_.back(), i, arguments[i]), "clSetKernelArgSVMPointer");
    }
    // Of what was prepared.
    void forget() {
        clFinish(queue_);
        for (const cl_kernel kernel : kernels_) clReleaseKernel(kernel);
        kernels_.clear();
        if (program_) clReleaseProgram(program_);
        program_ = nullptr;
        if (buffers_) clSVMFree(context_, buffers_);
        buffers_ = nullptr;
    }

    cl_device_id device_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    std::vector<cl_kernel> kernels_; // by DeviceTask
    void *buffers_ = nullptr;
    size_t groups_[2] = { 0, 0 };
    char address_[32] = "";
};

} // namespace

} // namespace bench

extern "C" [[gnu::visibility("default")]] bench::DeviceKernels *halo_bench_make_device_kernels() {
    const cl_device_id device = bench::find_device();
    return device ? new bench::OpenClKernels(device) : nullptr;
}
