// SPDX-License-Identifier: BSD-3-Clause
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <thread>

#include "module_device.h"

namespace conformance {

namespace {

void check(cl_int error, const char *call) {
    if (error != CL_SUCCESS) stop("%s: OpenCL error %d", call, error);
}

// A program's own OpenCL, of which libhalo is told by the setting device.context.
struct OpenCl {
    cl_device_id device = nullptr;
    cl_context context = nullptr;

    // Of the first device that shares memory finely, as the module wants it; else none, and the module says so.
    OpenCl() {
        cl_uint n = 0;
        if (clGetPlatformIDs(0, nullptr, &n) != CL_SUCCESS) return;
        std::vector<cl_platform_id> platforms(n);
        check(clGetPlatformIDs(n, platforms.data(), nullptr), "clGetPlatformIDs");
        for (const cl_platform_id platform : platforms)
            if (!device && clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) == CL_SUCCESS) find_in(platform, n);
        if (!device) return;
        cl_int error = CL_SUCCESS;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        check(error, "clCreateContext");
    }

private:
    void find_in(cl_platform_id platform, cl_uint n) {
        std::vector<cl_device_id> devices(n);
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, devices.data(), nullptr), "clGetDeviceIDs");
        for (const cl_device_id one : devices) {
            cl_device_svm_capabilities shares = 0;
            clGetDeviceInfo(one, CL_DEVICE_SVM_CAPABILITIES, sizeof shares, &shares, nullptr);
            if (!device && (shares & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) device = one;
        }
    }
};

class OpenClDevice final : public ModuleDevice {
public:
    OpenClDevice(const char *file, const OpenCl &made)
        : ModuleDevice("opencl", file, { { "device.context", text_of("%p", static_cast<void *>(made.context)) } }),
          mine_(made) {}

    halo_stream create_stream(halo_device *) override {
        cl_int error = CL_SUCCESS;
        const cl_command_queue queue = clCreateCommandQueueWithProperties(mine_.context, mine_.device, nullptr, &error);
        check(error, "clCreateCommandQueueWithProperties");
        return queue;
    }
    void destroy_stream(halo_device *, halo_stream stream) override { check(clReleaseCommandQueue(queue(stream)), "clReleaseCommandQueue"); }

    // Its own stream is the module's.
    void synchronize(halo_device *device, halo_stream stream) override {
        if (stream) return check(clFinish(queue(stream)), "clFinish");
        const halo_device_ops &ops = *plugin().ops;
        halo_event *event = nullptr;
        succeed(ops.event_create(device, &event), "event_create", __FILE__, __LINE__);
        succeed(ops.event_record(device, event, nullptr), "event_record", __FILE__, __LINE__);
        for (int32_t done = 0; !done; std::this_thread::yield()) succeed(ops.event_query(device, event, &done), "event_query", __FILE__, __LINE__);
        ops.event_destroy(device, event);
    }

    // Waits in any case, as a vendor's runtime does with memory of the host that is not pinned.
    void copy(halo_device *device, const std::vector<late_piece> &pieces, halo_stream stream) override {
        count_copy();
        for (const late_piece &piece : pieces) {
            if (stream)
                check(clEnqueueSVMMemcpy(queue(stream), CL_FALSE, piece.dst, piece.src, piece.bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
            else
                succeed(plugin().ops->copy(device, piece.dst, piece.src, piece.bytes, nullptr), "copy", __FILE__, __LINE__);
        }
        if (stream) check(clFinish(queue(stream)), "clFinish");
    }

private:
    static cl_command_queue queue(halo_stream stream) { return static_cast<cl_command_queue>(stream); }

    const OpenCl mine_;
};

} // namespace

std::unique_ptr<TestDevice> make_opencl_device(const char *file) { return std::make_unique<OpenClDevice>(file, OpenCl()); }

} // namespace conformance
