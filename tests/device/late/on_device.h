// SPDX-License-Identifier: BSD-3-Clause
// What programs with fields on the late device have: memory of it by the context, streams, and copies to and from the host.
#pragma once

#include <vector>

#include "late.h"
#include "ranks.h"

namespace late {

// Settings of a context whose device is the late one, or an older form of it.
inline conformance::Settings settings(conformance::Settings more = {}, const char *device = "late") {
    const conformance::Settings own{ { "device", device }, { "plugin_path", LATE_DIRECTORY } };
    more.insert(more.end(), own.begin(), own.end());
    return more;
}

// Values in memory of a device. Work on it must be done when it goes.
template <class T>
class Array {
public:
    Array(halo_context *context, size_t n, int32_t ordinal = 0) : context_(context), n_(n) {
        OK(halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, ordinal, static_cast<int64_t>(n * sizeof(T)), &data_));
        device_ = late_of_memory(data_);
    }
    ~Array() { halo_memory_release(context_, &data_); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    T *data() const { return static_cast<T *>(data_); }
    halo_device *device() const { return device_; }
    // In a stream; read before it returns.
    void write(const std::vector<T> &values, halo_stream stream) const {
        conformance::succeed(halo_device_late.ops->copy(device_, data_, values.data(), n_ * sizeof(T), stream), "copy", __FILE__, __LINE__);
    }
    // `n` of the values, from a place on.
    void write_part(const std::vector<T> &values, size_t first, size_t n, halo_stream stream) const {
        conformance::succeed(halo_device_late.ops->copy(device_, data() + first, values.data() + first, n * sizeof(T), stream), "copy", __FILE__,
                             __LINE__);
    }
    // All of another one's, when the stream comes there.
    void copy_from(const Array &other, halo_stream stream) const {
        conformance::succeed(halo_device_late.ops->copy(device_, data_, other.data_, n_ * sizeof(T), stream), "copy", __FILE__, __LINE__);
    }
    // Waits for the stream.
    std::vector<T> read(halo_stream stream) const {
        std::vector<T> values(n_);
        conformance::succeed(halo_device_late.ops->copy(device_, values.data(), data_, n_ * sizeof(T), stream), "copy", __FILE__, __LINE__);
        return values;
    }

private:
    halo_context *context_;
    size_t n_;
    void *data_ = nullptr;
    halo_device *device_ = nullptr;
};

class Stream {
public:
    explicit Stream(halo_device *device) : device_(device) {
        conformance::succeed(late_stream_create(device, &stream_), "late_stream_create", __FILE__, __LINE__);
    }
    ~Stream() {
        late_stream_synchronize(device_, stream_);
        late_stream_destroy(device_, stream_);
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator halo_stream() const { return stream_; }
    void synchronize() const { late_stream_synchronize(device_, stream_); }

private:
    halo_device *device_;
    halo_stream stream_ = nullptr;
};

inline halo_pool_stats pool_of(halo_context *context, int32_t memory) {
    halo_pool_stats stats = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(context, memory, &stats));
    return stats;
}

} // namespace late
