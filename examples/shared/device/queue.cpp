// SPDX-License-Identifier: BSD-3-Clause
#include "queue.h"

#include <algorithm>

#include "runtimes.h"

namespace device {

Queue::Queue(const halo::Context &context) : context_(context), ordinal_(std::stoi(context.setting("device.ordinal").first)) {}

void *Queue::add(std::int64_t bytes) {
    memory_.reserve(memory_.size() + 1);
    memory_.emplace_back(context_.allocate_on(ordinal_, bytes), Release{ context_ });
    return memory_.back().get();
}

void Queue::release(void *memory) {
    memory_.erase(std::find_if(memory_.begin(), memory_.end(), [&](const auto &one) { return one.get() == memory; }));
}

halo_binding Queue::binding(double *memory, std::int32_t set) const {
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = memory, binding.set = set;
    binding.memory = HALO_MEMORY_DEVICE, binding.device = ordinal_;
    return binding;
}

namespace {

using Open = std::unique_ptr<Runtime> (*)();

constexpr struct {
    const char *name;
    Open open;
} runtimes[] = {
#ifdef WITH_OPENCL
    { "opencl", open_opencl },
#endif
#ifdef WITH_CUDA
    { "cuda", open_cuda },
#endif
    { "host", nullptr },
};

// What the setting is in this process's contexts, told by one that is alone.
std::string asked_device() {
    const halo::Inproc alone(1);
    try {
        return halo::Context(alone, 0).setting("device").first;
    } catch (const halo::error &failure) {
        if (failure.status() != HALO_ERR_PLUGIN) throw;
        throw NotThere(failure.what());
    }
}

} // namespace

Device::Device() {
    const std::string name = asked_device();
    const auto *const found = std::find_if(std::begin(runtimes), std::end(runtimes), [&](const auto &one) { return one.name == name; });
    if (found == std::end(runtimes)) throw NotThere("this program has no kernels for device '" + name + "'");
    if (found->open == nullptr) return;
    runtime_ = found->open();
    context_ = runtime_->context();
    if (context_.empty()) return;
    setting_.value = context_.c_str();
    options_.settings = &setting_, options_.n_settings = 1;
}

} // namespace device
