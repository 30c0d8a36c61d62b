// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices that can be used, and the kernels in a context.
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace halo::opencl {

extern const char *const kernels_text; // written by the build

// Failure: names the call and OpenCL's error.
void check(cl_int error, const char *call);

// Objects of OpenCL that go with their owner.
template <auto release>
struct Release {
    template <class Object>
    void operator()(Object *object) const {
        release(object);
    }
};
template <class Object, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Object>, Release<release>>;
using Context = Owned<cl_context, clReleaseContext>;
using BuiltProgram = Owned<cl_program, clReleaseProgram>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using KernelObject = Owned<cl_kernel, clReleaseKernel>;

struct Devices {
    std::vector<cl_device_id> usable;
    std::string others; // and why not; "": there are none
};
// Of all platforms; or of a program's context.
Devices find_devices(cl_context context = nullptr);
std::string name_of(cl_device_id device);

// A context, what is built in it, and the device's own queue there. All instances of a device in this process share one, so that memory of one is
// memory of all.
class Program {
public:
    // `context` is the caller's, or nullptr: the library's own.
    static std::shared_ptr<Program> of(cl_device_id device, cl_context context);
    Program(cl_device_id device, cl_context context);
    ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    cl_context context() const { return context_.get(); }
    cl_device_id device() const { return device_; }
    cl_command_queue own_queue() const { return own_queue_.get(); }
    Queue create_queue() const;
    KernelObject create_kernel(const char *name) const;

private:
    void build();

    cl_device_id device_;
    Context context_;
    BuiltProgram program_;
    Queue own_queue_;
};

} // namespace halo::opencl
