// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_messages.h"

#include "exchange/device_work.h"

namespace halo {

DeviceMessages::DeviceMessages(Context &context)
    : context_(context),
      wanted_(context.config().word("device.messages")),
      least_(static_cast<size_t>(context.config().bytes("device.messages_least"))) {}

const DeviceMessages::Answer &DeviceMessages::answer(const Device &device, int32_t peer) {
    const auto [known, is_new] = answers_.try_emplace(peer);
    Answer &answer = known->second;
    if (!is_new) return answer;
    const bool takes = context_.fabric().takes_memory_of(device.name(), peer, answer.why);
    answer.takes = wanted_ == "yes" || (wanted_ == "auto" && takes);
    if (wanted_ != "auto") answer.why = "setting device.messages = " + wanted_;
    if (!context_.pools().has(HALO_MEMORY_DEVICE, device.ordinal())) answer = { false, format("device %s has no memory of its own", device.name()) };
    return answer;
}

Pool *DeviceMessages::for_arrivals(const Run &run, int32_t peer) {
    const DeviceWork *const work = run.only_work();
    if (!work || !answer(work->device(), peer).takes) return nullptr;
    return &context_.pools().pool(HALO_MEMORY_DEVICE, work->device().ordinal());
}

std::string DeviceMessages::describe(const Run &run, int32_t peer, size_t bytes) {
    const DeviceWork *const work = run.only_work();
    if (!work) return "by memory of the host, as storage is not all on one device";
    const Answer &known = answer(work->device(), peer);
    if (!known.takes) return "by memory of the host: " + known.why;
    if (bytes < least_) return "by memory of the host, as it is less than device.messages_least";
    return "dense values from the device's memory: " + known.why;
}

} // namespace halo
