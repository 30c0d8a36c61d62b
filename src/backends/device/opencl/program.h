// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices that can be used, and the kernels in a context.
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
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
template <class T>
T info_of(cl_device_id device, cl_device_info what) {
    T value{};
    clGetDeviceInfo(device, what, sizeof value, &value, nullptr); // of what it does not know, nothing
    return value;
}

// Sets a kernel's argument, and says what that leads to.
void tell(cl_kernel kernel, void *argument, std::span<void *const> reached);

// Memory that all instances of a device have given in one context, by address.
class Given {
public:
    void add(const void *begin, size_t bytes, int32_t memory);
    void remove(const void *begin) noexcept;
    // HALO_MEMORY_DEVICE or HALO_MEMORY_PINNED; -1: it is none of this.
    int32_t memory_at(const void *pointer) const;

private:
    struct Block {
        size_t bytes;
        int32_t memory;
    };
    mutable std::mutex mutex_;
    std::map<const char *, Block> blocks_;
};

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
    Given &given() { return given_; }
    // Nobody else has memory in the context.
    bool is_own() const { return is_own_; }
    // Memory that OpenCL shares; of what it does not tell, `otherwise`.
    bool is_shared(const void *pointer, bool otherwise) const { return tells_shared_ ? uses_shared_memory(pointer) : otherwise; }

private:
    void build();
    bool uses_shared_memory(const void *pointer) const;
    void try_telling();

    cl_device_id device_;
    bool is_own_;
    bool tells_shared_ = false; // some drivers call no memory shared
    Given given_;
    Context context_;
    BuiltProgram program_;
    Queue own_queue_;
};

} // namespace halo::opencl
