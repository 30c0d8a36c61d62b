// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "failure.h"
#include "layout.h"

namespace halo::opencl {

using accelerator::fail;

namespace {

const char *name_of_error(cl_int error) {
    switch (error) {
    case CL_DEVICE_NOT_AVAILABLE: return "device not available";
    case CL_OUT_OF_RESOURCES: return "out of resources";
    case CL_OUT_OF_HOST_MEMORY: return "out of host memory";
    case CL_BUILD_PROGRAM_FAILURE: return "the program does not build";
    case CL_INVALID_VALUE: return "invalid value";
    case CL_INVALID_CONTEXT: return "invalid context";
    case CL_INVALID_COMMAND_QUEUE: return "invalid command queue";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return "what it waited for has failed";
    default: return "see CL/cl.h";
    }
}

// nullptr: it can be used.
const char *what_lacks(cl_device_id device) {
    if (info_of<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_FALSE) return "is not available";
    if ((info_of<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0)
        return "has no fine-grained shared virtual memory";
    if (info_of<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) == 0) return "has no double precision";
    if ((info_of<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM) == 0)
        return "flushes small numbers of single precision to zero";
    if (info_of<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) < HALO_THREADS) return "has work-groups of less than 128 threads";
    if (info_of<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE) == CL_FALSE) return "is not little-endian";
    if (info_of<cl_uint>(device, CL_DEVICE_ADDRESS_BITS) != 64) return "has addresses of other than 64 bits";
    return nullptr;
}

std::vector<cl_device_id> all_devices() {
    cl_uint n_platforms = 0;
    if (clGetPlatformIDs(0, nullptr, &n_platforms) != CL_SUCCESS) return {};
    std::vector<cl_platform_id> platforms(n_platforms);
    if (n_platforms > 0) clGetPlatformIDs(n_platforms, platforms.data(), nullptr);
    std::vector<cl_device_id> all;
    for (const cl_platform_id platform : platforms) {
        cl_uint n = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS) continue;
        all.resize(all.size() + n);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, all.data() + (all.size() - n), nullptr);
    }
    return all;
}

std::vector<cl_device_id> devices_of(cl_context context) {
    size_t bytes = 0;
    check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes), "clGetContextInfo of the setting device.context");
    std::vector<cl_device_id> all(bytes / sizeof(cl_device_id));
    check(clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, all.data(), nullptr), "clGetContextInfo");
    return all;
}

} // namespace

void check(cl_int error, const char *call) {
    if (error == CL_SUCCESS) return;
    const bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
    fail(memory ? HALO_ERR_MEMORY : HALO_ERR_DEVICE, "%s: OpenCL error %d (%s)", call, error, name_of_error(error));
}

std::string name_of(cl_device_id device) {
    char name[256] = {};
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
    return name;
}

Devices find_devices(cl_context context) {
    Devices found;
    for (const cl_device_id device : context != nullptr ? devices_of(context) : all_devices()) {
        const char *const lacks = what_lacks(device);
        if (lacks == nullptr)
            found.usable.push_back(device);
        else
            found.others += (found.others.empty() ? "" : ", ") + name_of(device) + " " + lacks;
    }
    return found;
}

void tell(cl_kernel kernel, void *argument, std::span<void *const> reached) {
    check(clSetKernelArgSVMPointer(kernel, 0, argument), "clSetKernelArgSVMPointer");
    if (!reached.empty())
        check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, reached.size() * sizeof(void *), reached.data()), "clSetKernelExecInfo");
}

std::shared_ptr<Program> Program::of(cl_device_id device, cl_context context) {
    static std::mutex guard;
    static std::map<std::pair<cl_device_id, cl_context>, std::weak_ptr<Program>> known;
    const std::lock_guard lock(guard);
    std::weak_ptr<Program> &place = known[{ device, context }];
    std::shared_ptr<Program> program = place.lock();
    if (!program) place = program = std::make_shared<Program>(device, context);
    return program;
}

void Given::add(const void *begin, size_t bytes, int32_t memory) {
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<const char *>(begin)] = { bytes, memory };
}

void Given::remove(const void *begin) noexcept {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const char *>(begin));
}

int32_t Given::memory_at(const void *pointer) const {
    const auto *const at = static_cast<const char *>(pointer);
    const std::lock_guard lock(mutex_);
    const auto after = blocks_.upper_bound(at);
    if (after == blocks_.begin()) return -1;
    const auto &[begin, block] = *std::prev(after);
    return at < begin + block.bytes ? block.memory : -1;
}

Program::Program(cl_device_id device, cl_context context) : device_(device), is_own_(context == nullptr) {
    cl_int error = CL_SUCCESS;
    if (context != nullptr)
        check(clRetainContext(context), "clRetainContext");
    else
        context = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    context_.reset(context);
    build();
    own_queue_ = create_queue();
    try_telling();
}

Program::~Program() {
    if (own_queue_) clFinish(own_queue_.get());
}

// A buffer over memory says whether that is shared.
bool Program::uses_shared_memory(const void *pointer) const {
    cl_int error = CL_SUCCESS;
    const Owned<cl_mem, clReleaseMemObject> over(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 1, const_cast<void *>(pointer), &error));
    cl_bool uses = CL_FALSE;
    if (error != CL_SUCCESS) return false;
    return clGetMemObjectInfo(over.get(), CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr) == CL_SUCCESS && uses != CL_FALSE;
}

// Of memory that is shared, within it too, and of some that is not.
void Program::try_telling() {
    constexpr size_t bytes = 4096, within = 1000;
    void *const shared = clSVMAlloc(context_.get(), CL_MEM_READ_WRITE, bytes, 0);
    if (shared == nullptr) return;
    static char not_shared[64];
    tells_shared_ = uses_shared_memory(shared) && uses_shared_memory(static_cast<char *>(shared) + within) && !uses_shared_memory(not_shared);
    clSVMFree(context_.get(), shared);
}

void Program::build() {
    cl_int error = CL_SUCCESS;
    const char *text = kernels_text;
    program_.reset(clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &error));
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr);
    if (error == CL_SUCCESS) return;
    char log[256] = {};
    clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    fail(HALO_ERR_DEVICE, "clBuildProgram: OpenCL error %d: %s", error, log);
}

Queue Program::create_queue() const {
    cl_int error = CL_SUCCESS;
    Queue queue(clCreateCommandQueueWithProperties(context_.get(), device_, nullptr, &error));
    check(error, "clCreateCommandQueueWithProperties");
    return queue;
}

KernelObject Program::create_kernel(const char *name) const {
    cl_int error = CL_SUCCESS;
    KernelObject kernel(clCreateKernel(program_.get(), name, &error));
    check(error, "clCreateKernel");
    return kernel;
}

} // namespace halo::opencl
