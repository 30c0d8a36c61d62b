// SPDX-License-Identifier: BSD-3-Clause
#include "command_buffers.h"

#include <CL/cl_ext.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "failure.h"
#include "layout.h"

namespace halo::opencl {

#ifdef cl_khr_command_buffer

namespace {

bool has_extension(cl_device_id device) {
    size_t bytes = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &bytes) != CL_SUCCESS) return false;
    std::string all(bytes, ' ');
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all.data(), nullptr) != CL_SUCCESS) return false;
    return (' ' + std::string(all.c_str()) + ' ').find(" " CL_KHR_COMMAND_BUFFER_EXTENSION_NAME " ") != std::string::npos;
}

template <class Function>
void find(Function &function, cl_platform_id platform, const char *name) {
    void *const address = clGetExtensionFunctionAddressForPlatform(platform, name);
    std::memcpy(&function, &address, sizeof function);
}

} // namespace

struct CommandBuffers::Functions {
    clCreateCommandBufferKHR_fn create = nullptr;
    clReleaseCommandBufferKHR_fn release = nullptr;
    clCommandNDRangeKernelKHR_fn add_kernel = nullptr;
    clFinalizeCommandBufferKHR_fn finalize = nullptr;
    clEnqueueCommandBufferKHR_fn enqueue = nullptr;

    explicit Functions(cl_platform_id platform) {
        find(create, platform, "clCreateCommandBufferKHR");
        find(release, platform, "clReleaseCommandBufferKHR");
        find(add_kernel, platform, "clCommandNDRangeKernelKHR");
        find(finalize, platform, "clFinalizeCommandBufferKHR");
        find(enqueue, platform, "clEnqueueCommandBufferKHR");
    }
    bool all() const { return create && release && add_kernel && finalize && enqueue; }
};

namespace {

class CommandBuffer final : public accelerator::Graph {
public:
    CommandBuffer(cl_command_buffer_khr buffer, clReleaseCommandBufferKHR_fn release) : buffer_(buffer), release_(release) {}
    ~CommandBuffer() override { release_(buffer_); }
    cl_command_buffer_khr get() const { return buffer_; }
    void keep(KernelObject kernel) { kernels_.push_back(std::move(kernel)); }

private:
    cl_command_buffer_khr buffer_;
    clReleaseCommandBufferKHR_fn release_;
    std::vector<KernelObject> kernels_; // one for each launch, as some drivers read its argument only when the buffer is replayed
};

} // namespace

CommandBuffers::CommandBuffers(const Program &program) : program_(program) {
    const cl_device_id device = program.device();
    reach_all_ = (info_of<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    if (!has_extension(device)) {
        lacks_ = "the driver has no " CL_KHR_COMMAND_BUFFER_EXTENSION_NAME;
        return;
    }
    functions_ = std::make_unique<const Functions>(info_of<cl_platform_id>(device, CL_DEVICE_PLATFORM));
    const auto can = info_of<cl_device_command_buffer_capabilities_khr>(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
    if (!functions_->all())
        lacks_ = "the driver lacks functions of " CL_KHR_COMMAND_BUFFER_EXTENSION_NAME;
    else if ((can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) == 0)
        lacks_ = "the driver's command buffers cannot be in a queue twice";
    else if (info_of<cl_command_queue_properties>(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR) != 0)
        lacks_ = "the driver's command buffers want queues of their own kind";
}

std::unique_ptr<accelerator::Graph> CommandBuffers::record(std::span<const accelerator::Launch> launches, std::span<const char *const> names,
                                                           char *arguments, std::span<void *const> reached) const {
    const cl_command_buffer_properties_khr properties[] = { CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0 };
    const cl_command_queue queue = program_.own_queue();
    cl_int error = CL_SUCCESS;
    const cl_command_buffer_khr buffer = functions_->create(1, &queue, properties, &error);
    check(error, "clCreateCommandBufferKHR");
    auto made = std::make_unique<CommandBuffer>(buffer, functions_->release);
    cl_sync_point_khr behind = 0;
    for (size_t i = 0; i < launches.size(); ++i) {
        KernelObject kernel = program_.create_kernel(names[static_cast<size_t>(launches[i].kernel)]);
        tell(kernel.get(), arguments + launches[i].begin, reached);
        const size_t threads = HALO_THREADS, all = static_cast<size_t>(launches[i].n_groups) * threads;
        const cl_sync_point_khr before = behind;
        check(functions_->add_kernel(buffer, nullptr, nullptr, kernel.get(), 1, nullptr, &all, &threads, i > 0 ? 1 : 0, i > 0 ? &before : nullptr,
                                     &behind, nullptr),
              "clCommandNDRangeKernelKHR");
        made->keep(std::move(kernel));
    }
    check(functions_->finalize(buffer), "clFinalizeCommandBufferKHR");
    return made;
}

void CommandBuffers::replay(accelerator::Graph &graph, cl_command_queue queue) const {
    check(functions_->enqueue(1, &queue, static_cast<CommandBuffer &>(graph).get(), 0, nullptr, nullptr), "clEnqueueCommandBufferKHR");
}

#else

struct CommandBuffers::Functions {};

CommandBuffers::CommandBuffers(const Program &program) : program_(program), lacks_("it was built without cl_khr_command_buffer") {}

std::unique_ptr<accelerator::Graph> CommandBuffers::record(std::span<const accelerator::Launch>, std::span<const char *const>, char *,
                                                           std::span<void *const>) const {
    accelerator::fail(HALO_ERR_DEVICE, "%s", lacks_);
}

void CommandBuffers::replay(accelerator::Graph &, cl_command_queue) const { accelerator::fail(HALO_ERR_DEVICE, "%s", lacks_); }

#endif

CommandBuffers::~CommandBuffers() = default;

} // namespace halo::opencl
