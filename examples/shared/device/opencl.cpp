// SPDX-License-Identifier: BSD-3-Clause
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <cstdio>
#include <map>

#include "runtimes.h"

namespace device {

namespace {

void check(cl_int error, const std::string &call) {
    if (error != CL_SUCCESS) throw std::runtime_error(call + ": OpenCL error " + std::to_string(error));
}

template <auto release>
struct Releases {
    template <class T>
    void operator()(T *object) const {
        release(object);
    }
};
template <class Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releases<release>>;

template <class T>
T info(cl_device_id device, cl_device_info what) {
    T value{};
    clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
    return value;
}

// The first that libhalo's module can use.
cl_device_id find_device() {
    cl_uint n = 0;
    if (clGetPlatformIDs(0, nullptr, &n) != CL_SUCCESS) n = 0;
    std::vector<cl_platform_id> platforms(n);
    if (n > 0) check(clGetPlatformIDs(n, platforms.data(), nullptr), "clGetPlatformIDs");
    for (const cl_platform_id platform : platforms) {
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS) continue;
        std::vector<cl_device_id> devices(n);
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, devices.data(), nullptr), "clGetDeviceIDs");
        for (const cl_device_id one : devices)
            if ((info<cl_device_svm_capabilities>(one, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0 &&
                info<cl_device_fp_config>(one, CL_DEVICE_DOUBLE_FP_CONFIG) != 0)
                return one;
    }
    throw NotThere("no OpenCL device with fine-grained shared virtual memory and double precision");
}

class OpenClQueue final : public Queue {
public:
    OpenClQueue(const halo::Context &context, cl_context opened, cl_device_id device, cl_program program) : Queue(context), program_(program) {
        cl_int error = CL_SUCCESS;
        queue_.reset(clCreateCommandQueueWithProperties(opened, device, nullptr, &error));
        check(error, "clCreateCommandQueueWithProperties");
    }
    ~OpenClQueue() override { clFinish(queue_.get()); }

    halo_stream stream() const override { return queue_.get(); }

    void run(const std::string &name, std::int64_t n, std::initializer_list<Argument> arguments) override {
        if (n == 0) return;
        const cl_kernel kernel = find(name);
        const cl_long wanted = n;
        check(clSetKernelArg(kernel, 0, sizeof wanted, &wanted), name);
        reached_.clear();
        cl_uint at = 1;
        for (const Argument &argument : arguments) {
            check(argument.is_memory() ? clSetKernelArgSVMPointer(kernel, at, argument.memory())
                                       : clSetKernelArg(kernel, at, argument.bytes(), argument.value()),
                  name + ", argument " + std::to_string(at));
            ++at;
            if (argument.reached().empty()) continue;
            reached_.push_back(argument.memory()); // so that the list is never empty, and the kernel does not keep the one before
            for (double *const address : argument.reached())
                if (address != nullptr) reached_.push_back(address);
        }
        if (!reached_.empty())
            check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, reached_.size() * sizeof(void *), reached_.data()),
                  "clSetKernelExecInfo");
        const std::size_t group = threads_of_group, all = static_cast<std::size_t>(n_groups(n)) * group;
        check(clEnqueueNDRangeKernel(queue_.get(), kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr), name);
    }

    void copy(void *to, const void *from, std::size_t bytes) override {
        if (bytes == 0) return;
        check(clEnqueueSVMMemcpy(queue_.get(), CL_TRUE, to, from, bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
    }

private:
    using Kernel = Owned<cl_kernel, clReleaseKernel>;

    cl_kernel find(const std::string &name) {
        Kernel &kernel = kernels_[name];
        cl_int error = CL_SUCCESS;
        if (!kernel) kernel.reset(clCreateKernel(program_, name.c_str(), &error));
        check(error, "clCreateKernel " + name);
        return kernel.get();
    }

    cl_program program_;
    Owned<cl_command_queue, clReleaseCommandQueue> queue_;
    std::map<std::string, Kernel> kernels_; // of this rank: what they are given is kept in them
    std::vector<const void *> reached_;
};

class OpenCl final : public Runtime {
public:
    OpenCl() : device_(find_device()) {
        cl_int error = CL_SUCCESS;
        context_.reset(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error));
        check(error, "clCreateContext");
        const char *text = kernels_text;
        program_.reset(clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &error));
        check(error, "clCreateProgramWithSource");
        if (clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr) == CL_SUCCESS) return;
        std::size_t bytes = 0;
        clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
        std::string log(bytes, ' ');
        clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
        throw std::runtime_error("clBuildProgram: " + log);
    }

    std::string context() const override {
        char address[32];
        std::snprintf(address, sizeof address, "%p", static_cast<void *>(context_.get()));
        return address;
    }
    std::unique_ptr<Queue> make_queue(const halo::Context &context) override {
        return std::make_unique<OpenClQueue>(context, context_.get(), device_, program_.get());
    }

private:
    cl_device_id device_;
    Owned<cl_context, clReleaseContext> context_;
    Owned<cl_program, clReleaseProgram> program_;
};

} // namespace

std::unique_ptr<Runtime> open_opencl() { return std::make_unique<OpenCl>(); }

} // namespace device
