// SPDX-License-Identifier: BSD-3-Clause
// A group of ranks as one of them sees it: transport, device, pools, settings, log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/log.h"
#include "comm/device.h"
#include "comm/transport.h"
#include "memory/pool.h"

namespace halo {

// Where ranks come from. At most one of `communicator` and `inproc_group` is set.
struct ContextSource {
    const void *communicator = nullptr;
    size_t handle_bytes = 0;
    const char *mpi = nullptr;
    void *inproc_group = nullptr;
    int32_t inproc_rank = -1;
};

struct WaitPolicy {
    int64_t spins = 0;        // turns before the first yield
    int64_t yields = 0;       // turns before the first sleep
    double warn_seconds = 0;  // 0: never
};

class Context {
public:
    Context(const ContextSource &source, const halo_context_options &options);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    int32_t rank() const { return transport_->rank(); }
    int32_t size() const { return transport_->size(); }

    Transport &transport() { return *transport_; }
    const Transport &transport() const { return *transport_; }
    Device &device() { return *device_; }
    Pools &pools() { return *pools_; }
    const Pools &pools() const { return *pools_; }
    Config &config() { return config_; }
    const Config &config() const { return config_; }
    Log &log() { return log_; }
    const WaitPolicy &waiting() const { return waiting_; }
    bool check_mode() const { return check_mode_; }

    // Seconds of a blocking call: `asked` if it is >= 0, else the setting "timeout"; 0: no limit.
    double timeout(double asked) const;

    // Change a setting at run time.
    void set(const std::string &key, const std::string &value);

    // Text of the last failing call on this context.
    const std::string &error() const { return error_; }
    void remember_error(const char *text) noexcept;

    // Ordinal of the next object whose messages need a tag slot. Same on all ranks, because creation is collective.
    uint32_t next_serial() { return ++serial_; }
    // First of the two tags (by epoch parity) of a run with this serial, on lane 0.
    int32_t run_tag(uint32_t serial) const;

    // Lanes for per-channel tags: at least `lanes` beyond lane 0. Collective.
    void open_channel_lanes(int32_t lanes) { transport_->open_lanes(1 + lanes); }

    int64_t dropped = 0;  // late messages of abandoned runs
    int64_t children = 0; // topologies, channels, groups made from this context

private:
    void open_transport(const ContextSource &source);
    void agree_on_settings();
    void read_waiting();

    Config config_;
    Log log_;
    std::string report_; // text of a module's last error
    std::string error_;
    halo_host host_{};
    WaitPolicy waiting_;
    bool check_mode_ = false;
    uint32_t serial_ = 0;
    std::vector<halo_allocator> allocators_;
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Pools> pools_;
};

// Tags of lane 0: the first few belong to collectives, the rest to runs, two each.
inline constexpr int32_t collective_tag = 0;
inline constexpr int32_t first_run_tag = 16;

} // namespace halo
