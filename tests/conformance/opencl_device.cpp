// SPDX-License-Identifier: BSD-3-Clause
#include "opencl_device.h"

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include <dlfcn.h>

namespace conformance {

namespace {

void check(cl_int error, const char *call) {
    if (error != CL_SUCCESS) stop("%s: OpenCL error %d", call, error);
}

// Of the calling thread. Its memory and its own stream are those of the core's instances, for all have the program's context.
thread_local halo_device *here = nullptr;

class OpenClDevice final : public TestDevice {
public:
    explicit OpenClDevice(const char *module) {
        cl_platform_id platform = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
        cl_int error = CL_SUCCESS;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
        check(error, "clCreateContext");
        address_ = text_of("%p", static_cast<void *>(context_));
        const std::string path = module;
        settings_ = { { "device", "opencl" }, { "device.context", address_ }, { "plugin_path", path.substr(0, path.rfind('/')) } };
        void *const opened = dlopen(module, RTLD_NOW | RTLD_LOCAL);
        if (!opened) stop("%s", dlerror());
        plugin_ = static_cast<const halo_device_plugin *>(dlsym(opened, "halo_device_plugin_v1"));
        services_.struct_size = sizeof services_;
        services_.core = this;
        services_.report = [](void *, const char *text) { std::printf("opencl: %s\n", text); };
        services_.setting = [](void *self, const char *key) -> const char * {
            return std::string(key) == "device.context" ? static_cast<OpenClDevice *>(self)->address_.c_str() : nullptr;
        };
    }

    const halo_device_plugin &plugin() const override { return *plugin_; }
    const Settings &settings() const override { return settings_; }

    halo_device *enter(void *) override {
        if (!here) succeed(plugin_->ops->open(&services_, 0, &here), "open", __FILE__, __LINE__);
        return here;
    }
    void leave() override {
        if (here) plugin_->ops->close(here);
        here = nullptr;
    }

    halo_stream create_stream(halo_device *) override {
        cl_int error = CL_SUCCESS;
        const cl_command_queue queue = clCreateCommandQueueWithProperties(context_, device_, nullptr, &error);
        check(error, "clCreateCommandQueueWithProperties");
        return queue;
    }
    void destroy_stream(halo_device *, halo_stream stream) override { check(clReleaseCommandQueue(queue(stream)), "clReleaseCommandQueue"); }

    // Its own stream is the module's.
    void synchronize(halo_device *device, halo_stream stream) override {
        if (stream) return check(clFinish(queue(stream)), "clFinish");
        const halo_device_ops &ops = *plugin_->ops;
        halo_event *event = nullptr;
        succeed(ops.event_create(device, &event), "event_create", __FILE__, __LINE__);
        succeed(ops.event_record(device, event, nullptr), "event_record", __FILE__, __LINE__);
        for (int32_t done = 0; !done; std::this_thread::yield()) succeed(ops.event_query(device, event, &done), "event_query", __FILE__, __LINE__);
        ops.event_destroy(device, event);
    }

    // Waits in any case: a vendor's runtime does the same with memory of the host that is not pinned.
    void copy(halo_device *device, const std::vector<late_piece> &pieces, halo_stream stream) override {
        ++n_copies_;
        for (const late_piece &piece : pieces) {
            if (stream)
                check(clEnqueueSVMMemcpy(queue(stream), CL_FALSE, piece.dst, piece.src, piece.bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
            else
                succeed(plugin_->ops->copy(device, piece.dst, piece.src, piece.bytes, nullptr), "copy", __FILE__, __LINE__);
        }
        if (stream) check(clFinish(queue(stream)), "clFinish");
    }

    bool print_counts() const override {
        char name[256] = "";
        clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
        std::printf("on OpenCL device %s: %lld copies\n", name, static_cast<long long>(n_copies_));
        return n_copies_ > 0;
    }

private:
    static cl_command_queue queue(halo_stream stream) { return static_cast<cl_command_queue>(stream); }

    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
    std::string address_;
    Settings settings_;
    const halo_device_plugin *plugin_ = nullptr;
    halo_host services_{};
    std::atomic<int64_t> n_copies_{ 0 };
};

} // namespace

std::unique_ptr<TestDevice> make_opencl_device(const char *module) { return std::make_unique<OpenClDevice>(module); }

} // namespace conformance
