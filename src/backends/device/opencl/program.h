// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices that can be used, and the kernels in a context.
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

namespace halo::opencl {

extern const char *const kernels_text; // written by the build

// Failure: names the call and OpenCL's error.
void check(cl_int error, const char *call);

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

    cl_context context() const { return context_; }
    cl_device_id device() const { return device_; }
    cl_command_queue own_queue() const { return own_queue_; }
    cl_command_queue create_queue() const;
    cl_kernel create_kernel(const char *name) const;

private:
    void build();

    cl_device_id device_;
    cl_context context_ = nullptr;
    cl_program program_ = nullptr;
    cl_command_queue own_queue_ = nullptr;
};

} // namespace halo::opencl
