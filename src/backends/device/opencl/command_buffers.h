// SPDX-License-Identifier: BSD-3-Clause
// Launches that are recorded into command buffers (cl_khr_command_buffer), where a driver has them.
#pragma once

#include <memory>
#include <span>

#include "program.h"
#include "runtime.h"

namespace halo::opencl {

class CommandBuffers {
public:
    explicit CommandBuffers(const Program &program);
    ~CommandBuffers();
    CommandBuffers(const CommandBuffers &) = delete;
    CommandBuffers &operator=(const CommandBuffers &) = delete;

    // nullptr: nothing.
    const char *what_lacks() const { return lacks_; }
    // Is there no memory but the host's? Then nobody need be told what kernels use.
    bool reach_all() const { return reach_all_; }

    // `names` are those of kernels, by accelerator::Kernel; as Runtime::record.
    std::unique_ptr<accelerator::Graph> record(std::span<const accelerator::Launch> launches, std::span<const char *const> names, char *arguments,
                                               std::span<void *const> reached) const;
    void replay(accelerator::Graph &graph, cl_command_queue queue) const;

private:
    struct Functions;

    const Program &program_;
    std::unique_ptr<const Functions> functions_;
    const char *lacks_ = nullptr;
    bool reach_all_ = false;
};

} // namespace halo::opencl
