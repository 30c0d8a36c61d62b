// SPDX-License-Identifier: BSD-3-Clause
// OpenCL with shared virtual memory: pointers, as all of libhalo has them. A stream is a command queue.
#include "runtime.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "command_buffers.h"
#include "failure.h"
#include "layout.h"
#include "program.h"

namespace halo::opencl {

using accelerator::fail;
using accelerator::Kernel;

namespace {

struct Marker {
    cl_event event = nullptr;
};

Marker &marker_of(halo_event *event) { return *reinterpret_cast<Marker *>(event); }

class Runtime final : public accelerator::Runtime {
public:
    Runtime(std::shared_ptr<Program> program, int32_t ordinal)
        : program_(std::move(program)),
          ordinal_(ordinal),
          setup_(program_->create_queue()),
          fill_(program_->create_kernel("halo_fill")),
          buffers_(*program_) {
        for (const char *name : names) kernels_.push_back(program_->create_kernel(name));
    }

    int enter() override { return 0; }
    void leave(int) noexcept override {}
    bool wants_reached() const override { return true; }

    void *allocate(int32_t memory, size_t bytes) override {
        constexpr cl_uint alignment = 64;
        const cl_svm_mem_flags fine = memory == HALO_MEMORY_PINNED ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
        void *const found = clSVMAlloc(program_->context(), CL_MEM_READ_WRITE | fine, bytes, alignment);
        if (found == nullptr) return nullptr;
        try {
            program_->given().add(found, bytes, memory);
        } catch (...) {
            clSVMFree(program_->context(), found);
            throw;
        }
        return found;
    }

    void release(int32_t, void *pointer) noexcept override {
        program_->given().remove(pointer);
        clSVMFree(program_->context(), pointer);
    }

    // What has not been given may be memory of the host.
    void copy(void *dst, const void *src, size_t bytes, halo_stream stream) override {
        const Given &given = program_->given();
        const cl_bool waits = given.memory_at(dst) >= 0 && given.memory_at(src) >= 0 ? CL_FALSE : CL_TRUE;
        check(clEnqueueSVMMemcpy(queue_of(stream), waits, dst, src, bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
    }

    void copy_pinned(void *dst, const void *src, size_t bytes, halo_stream stream) override {
        check(clEnqueueSVMMemcpy(queue_of(stream), CL_FALSE, dst, src, bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
    }

    void upload(void *dst, const void *src, size_t bytes) override {
        check(clEnqueueSVMMemcpy(setup_.get(), CL_TRUE, dst, src, bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
    }

    void launch(Kernel which, int64_t n_groups, void *arguments, std::span<void *const> reached, halo_stream stream) override {
        const cl_kernel kernel = kernels_[static_cast<size_t>(which)].get();
        tell(kernel, arguments, without_null(reached));
        const size_t threads = HALO_THREADS, all = static_cast<size_t>(n_groups) * threads;
        check(clEnqueueNDRangeKernel(queue_of(stream), kernel, 1, nullptr, &all, &threads, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    }

    const char *lacks_graphs() const override { return buffers_.what_lacks(); }
    bool graphs_reach_all() const override { return buffers_.reach_all(); }
    std::unique_ptr<accelerator::Graph> record(std::span<const accelerator::Launch> launches, char *arguments,
                                               std::span<void *const> reached) override {
        return buffers_.record(launches, names, arguments, without_null(reached));
    }
    // A command buffer is recorded for a queue without properties, and goes into others like it alone.
    bool replays_in(halo_stream stream) override {
        cl_command_queue_properties properties = 0;
        check(clGetCommandQueueInfo(queue_of(stream), CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr), "clGetCommandQueueInfo");
        return properties == 0;
    }
    void replay(accelerator::Graph &graph, halo_stream stream) override { buffers_.replay(graph, queue_of(stream)); }

    void require_usable(halo_stream stream) override { queue_of(stream); }

    void fill(const halo_filling &what, int64_t n_groups, halo_stream stream) override {
        auto *const dst = reinterpret_cast<void *>(what.dst);
        const size_t threads = HALO_THREADS, all = static_cast<size_t>(n_groups) * threads;
        check(clSetKernelArg(fill_.get(), 0, sizeof what, &what), "clSetKernelArg");
        check(clSetKernelExecInfo(fill_.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof dst, &dst), "clSetKernelExecInfo");
        check(clEnqueueNDRangeKernel(queue_of(stream), fill_.get(), 1, nullptr, &all, &threads, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    }

    halo_event *event_create() override { return reinterpret_cast<halo_event *>(new Marker()); }

    void event_destroy(halo_event *event) noexcept override {
        Marker *const marker = &marker_of(event);
        if (marker->event != nullptr) clReleaseEvent(marker->event);
        delete marker;
    }

    void event_record(halo_event *event, halo_stream stream) override {
        Marker &marker = marker_of(event);
        const cl_command_queue queue = queue_of(stream);
        cl_event now = nullptr;
        check(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &now), "clEnqueueMarkerWithWaitList");
        if (marker.event != nullptr) clReleaseEvent(marker.event);
        marker.event = now;
        check(clFlush(queue), "clFlush"); // nobody need ask for the work to begin
    }

    bool event_has_fired(halo_event *event) override {
        const Marker &marker = marker_of(event);
        if (marker.event == nullptr) return true;
        cl_int status = CL_COMPLETE;
        check(clGetEventInfo(marker.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
        if (status < 0) check(status, "work in a queue");
        return status == CL_COMPLETE;
    }

    void event_wait(halo_event *event, halo_stream stream) override {
        const Marker &marker = marker_of(event);
        if (marker.event == nullptr) return;
        check(clEnqueueBarrierWithWaitList(queue_of(stream), 1, &marker.event, nullptr), "clEnqueueBarrierWithWaitList");
    }

    void synchronize(halo_stream stream) override { check(clFinish(queue_of(stream)), "clFinish"); }

    // Memory that a program shares the host may reach or not, as it was asked for.
    accelerator::PointerKind kind_of(const void *pointer) override {
        const int32_t given = program_->given().memory_at(pointer);
        if (given == HALO_MEMORY_DEVICE) return { HALO_POINTER_DEVICE, ordinal_ };
        if (given == HALO_MEMORY_PINNED) return { HALO_POINTER_BOTH, -1 };
        const bool may_be_shared = program_->is_own() ? false : program_->is_shared(pointer, true);
        return { may_be_shared ? HALO_POINTER_UNKNOWN : HALO_POINTER_HOST, -1 };
    }

private:
    static constexpr const char *names[] = { "halo_move", "halo_test", "halo_combine", "halo_levels" };

    std::span<void *const> without_null(std::span<void *const> reached) {
        pointers_.assign(reached.begin(), reached.end());
        std::erase(pointers_, nullptr);
        return pointers_;
    }

    // A queue is looked at when it is another than the last.
    cl_command_queue queue_of(halo_stream stream) {
        if (stream == nullptr) return program_->own_queue();
        const auto queue = static_cast<cl_command_queue>(stream);
        if (queue == known_) return queue;
        cl_context context = nullptr;
        cl_command_queue_properties properties = 0;
        check(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr), "clGetCommandQueueInfo of a stream");
        cl_device_id device = nullptr;
        check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr), "clGetCommandQueueInfo");
        check(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr), "clGetCommandQueueInfo");
        if (context != program_->context())
            fail(HALO_ERR_ARGUMENT, "a stream is a command queue of another OpenCL context: the setting device.context names the program's");
        if (device != program_->device()) fail(HALO_ERR_ARGUMENT, "a stream is a command queue of another OpenCL device");
        if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) fail(HALO_ERR_ARGUMENT, "a stream is an out-of-order command queue");
        return known_ = queue;
    }

    std::shared_ptr<Program> program_;
    int32_t ordinal_;
    Queue setup_;
    KernelObject fill_;
    CommandBuffers buffers_;
    std::vector<KernelObject> kernels_; // by accelerator::Kernel
    cl_command_queue known_ = nullptr;
    std::vector<void *> pointers_;
};

// The setting device.context: the program's cl_context, as a number.
cl_context context_of(const halo_host *services) {
    const char *const text = services != nullptr && services->setting != nullptr ? services->setting(services->core, "device.context") : nullptr;
    if (text == nullptr || *text == '\0') return nullptr;
    const char *const digits = std::strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    uintptr_t address = 0;
    const auto [end, error] = std::from_chars(digits, digits + std::strlen(digits), address, 16);
    if (error != std::errc() || *end != '\0' || address == 0)
        fail(HALO_ERR_CONFIG, "the setting device.context is '%s': a cl_context is a hexadecimal number", text);
    return reinterpret_cast<cl_context>(address);
}

} // namespace

} // namespace halo::opencl

namespace halo::accelerator {

int count_devices(char *why, size_t why_bytes) {
    const opencl::Devices found = opencl::find_devices();
    const size_t n = found.usable.size();
    if (n == 0)
        std::snprintf(why, why_bytes, "no OpenCL device that can be used%s%s", found.others.empty() ? "" : ": ", found.others.c_str());
    else
        std::snprintf(why, why_bytes, "%zu OpenCL device%s: %s%s", n, n == 1 ? "" : "s", opencl::name_of(found.usable.front()).c_str(),
                      n == 1 ? "" : ", ...");
    return static_cast<int>(n);
}

int count_ordinals(const halo_host *services) { return static_cast<int>(opencl::find_devices(opencl::context_of(services)).usable.size()); }

std::unique_ptr<Runtime> open_runtime(const halo_host *services, int32_t ordinal) {
    const cl_context context = opencl::context_of(services);
    const opencl::Devices found = opencl::find_devices(context);
    if (ordinal >= 0 && static_cast<size_t>(ordinal) < found.usable.size())
        return std::make_unique<opencl::Runtime>(opencl::Program::of(found.usable[static_cast<size_t>(ordinal)], context), ordinal);
    fail(HALO_ERR_ARGUMENT, "there is no OpenCL device %d among %zu%s%s%s", ordinal, found.usable.size(),
         context != nullptr ? " of the context that device.context names" : "", found.others.empty() ? "" : "; ", found.others.c_str());
}

} // namespace halo::accelerator
