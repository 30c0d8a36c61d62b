// SPDX-License-Identifier: BSD-3-Clause
/// A program's own kernels on the device that the setting `device` names: memory there, and one queue for kernels and exchanges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <halo.hpp>

namespace device {

/// Addresses in a device's memory, in a table that lies there too: a kernel that gets it reads and writes what they lead to.
struct Table {
    const void *memory;
    std::span<double *const> addresses;
};

/// What a kernel is given: a number or a struct of numbers, which must live until the call returns; memory of the device; a table.
class Argument {
public:
    template <class T>
    Argument(const T &value) : value_(&value),
                               bytes_(sizeof value) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    }
    template <class T>
    Argument(T *memory) : memory_(memory),
                          bytes_(sizeof memory) {}
    Argument(const Table &table) : memory_(table.memory), bytes_(sizeof table.memory), reached_(table.addresses) {}

    bool is_memory() const { return value_ == nullptr; }
    /// Where the argument is: its value, or the pointer.
    const void *value() const { return is_memory() ? static_cast<const void *>(&memory_) : value_; }
    const void *memory() const { return memory_; }
    std::size_t bytes() const { return bytes_; }
    std::span<double *const> reached() const { return reached_; }

private:
    const void *value_ = nullptr, *memory_ = nullptr;
    std::size_t bytes_;
    std::span<double *const> reached_;
};

/// One rank's: all that is put into it is done in that order, and the host waits for none of it but where it says so. Outlives the fields
/// whose memory is from here; used by the thread that has made it.
class Queue {
public:
    virtual ~Queue() = default;
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    /// For halo::Exchange's start and finish.
    virtual halo_stream stream() const = 0;
    /// Puts a kernel into the queue: `n`, its first parameter, is how many threads it wants.
    virtual void run(const std::string &kernel, std::int64_t n, std::initializer_list<Argument> arguments) = 0;
    /// Between host and device. Waits until it is done.
    virtual void copy(void *to, const void *from, std::size_t bytes) = 0;

    /// Zeroed memory of the device.
    template <class T>
    T *allocate(std::int64_t n) {
        return static_cast<T *>(add(n * static_cast<std::int64_t>(sizeof(T))));
    }
    /// What is in the queue must be done with it, and no field bound to it.
    void release(void *memory);
    /// Storage for halo::Field.
    halo_binding binding(double *memory, std::int32_t set = 0) const;

protected:
    explicit Queue(const halo::Context &context);
    std::int32_t ordinal() const { return ordinal_; }

private:
    struct Release {
        halo_context *context;
        void operator()(void *memory) const { halo_memory_release(context, &memory); }
    };
    void *add(std::int64_t bytes);

    const halo::Context &context_;
    std::int32_t ordinal_; // which of the devices is this rank's
    std::vector<std::unique_ptr<void, Release>> memory_;
};

/// The setting names a device that is not there, or that this program has no kernels for.
struct NotThere : std::runtime_error {
    static constexpr int exit_code = 77;
    using std::runtime_error::runtime_error;
};

/// What a program opens of a vendor's runtime, once for all of its ranks.
class Runtime {
public:
    virtual ~Runtime() = default;
    /// The setting `device.context`; empty: it needs none.
    virtual std::string context() const = 0;
    virtual std::unique_ptr<Queue> make_queue(const halo::Context &context) = 0;
};

/// To be made before the program's contexts.
class Device {
public:
    /// Asks libhalo for the setting `device`. Throws NotThere.
    Device();

    /// For all contexts that get a queue; they must go first.
    const halo_context_options *options() const { return &options_; }
    /// nullptr: fields are in memory of the host.
    std::unique_ptr<Queue> make_queue(const halo::Context &context) const { return runtime_ ? runtime_->make_queue(context) : nullptr; }

private:
    std::unique_ptr<Runtime> runtime_;
    std::string context_;
    halo_setting setting_{ "device.context", nullptr };
    halo_context_options options_ = HALO_CONTEXT_OPTIONS_INIT;
};

} // namespace device
