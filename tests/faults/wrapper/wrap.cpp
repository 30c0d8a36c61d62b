// SPDX-License-Identifier: BSD-3-Clause
// What is inside: the in-process transport, or the module that the environment names in WRAP_MODULE; one that opens over a bootstrap where
// WRAP_OVER_BOOTSTRAP says so. Programs that know nothing of the wrapper get its delays by WRAP_DELAY and WRAP_SLOW_TEST, chances both, and memory of
// the late device taken in messages by WRAP_TAKES_LATE.
#include "wrap.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>

#include "halo_plugin.h"
#include "inproc.h"

namespace {

constexpr int32_t n_spared_tags = 16;  // the first of lane 0: set-up and collectives
constexpr int64_t longest_delay = 200; // calls

bool is_collective(int32_t lane, int32_t tag) { return lane == 0 && tag < n_spared_tags; }

// Channels of groups have lanes of their own; those of an exchange are parts of its peers' messages, which begin with these bytes.
bool of_channel(int32_t lane, const void *data, size_t bytes) {
    constexpr char part_magic[] = { 'H', 'L', 'P', 'T' };
    return lane > 0 || (bytes >= sizeof part_magic && std::memcmp(data, part_magic, sizeof part_magic) == 0);
}

// Where memory of the late device is, if this is such and the program has that device; else it is what it was.
using Reach = void *(*)(const void *);
void *reached(const void *data) {
    static const auto reach = reinterpret_cast<Reach>(dlsym(RTLD_DEFAULT, "late_reach"));
    void *const there = reach ? reach(data) : nullptr;
    return there ? there : const_cast<void *>(data);
}

// A message that the wrapper sends from memory of its own.
struct Held {
    int32_t peer = 0;
    int32_t lane = 0;
    int32_t tag = 0;
    std::vector<std::byte> bytes;
    int64_t due = 0; // call number
    bool sent = false;
    halo_status failed = HALO_SUCCESS; // its send, or the test of it
    halo_request inner{};
    halo_request *outer = nullptr; // of the core, or none

    bool same_channel(const Held &other) const { return peer == other.peer && lane == other.lane && tag == other.tag; }
};

struct Seat {
    halo_inproc_group *group = nullptr;
    int32_t rank = -1;
};

double number_in(const char *variable) {
    const char *text = std::getenv(variable);
    return text ? std::strtod(text, nullptr) : 0;
}

class Wrapped;
thread_local Seat next_seat;
thread_local int32_t next_reach = WRAP_REACHES_ALL;
thread_local Wrapped *last_opened = nullptr;

class Wrapped {
public:
    Wrapped(const halo_host *host, const halo_transport_ops &inner) : host_(host), inner_(inner) {}
    ~Wrapped() {
        if (transport_) inner_.close(transport_);
        if (last_opened == this) last_opened = nullptr;
    }
    Wrapped(const Wrapped &) = delete;
    Wrapped &operator=(const Wrapped &) = delete;

    halo_status open(halo_transport_params params) {
        if (next_seat.group) {
            params.group = next_seat.group;
            params.rank = next_seat.rank;
            next_seat = {};
        }
        last_opened = this;
        reach_ = next_reach;
        takes_ = static_cast<int32_t>(number_in("WRAP_TAKES_LATE"));
        delay_as_environment_says();
        return inner_.open(host_, &params, &transport_);
    }
    bool reaches(int32_t peer) const {
        if (inner_.reaches && inner_.reaches(transport_, peer) == 0) return false;
        int32_t rank = 0, size = 0, max_tag = 0;
        inner_.identify(transport_, &rank, &size, &max_tag);
        return reach_ == WRAP_REACHES_ALL || (reach_ == WRAP_REACHES_ODD && (rank + peer) % 2 != 0);
    }
    bool says_it_takes(const char *device) const { return takes_ == WRAP_TAKES_ALL && std::strcmp(device, "late") == 0; }
    halo_status open_lanes(int32_t n_lanes) { return faults_.no_lanes ? HALO_BUSY : inner_.open_lanes(transport_, n_lanes); }
    const halo_transport_ops &inner() const { return inner_; }
    halo_transport *transport() const { return transport_; }
    const wrap_counts &counts() const { return counts_; }
    void set_faults(const wrap_faults &faults) {
        faults_ = faults;
        faulty_ = true;
        random_.seed(faults.seed);
    }

    halo_status send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request);
    halo_status receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request);
    halo_status receive_matched(halo_matched *message, void *data, size_t capacity, halo_request *request);
    halo_status test(halo_request *request, int32_t *done, size_t *bytes);
    halo_status cancel(halo_request *request, int32_t *done);
    halo_status probe(int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message);
    halo_status progress();

private:
    bool chance(double probability) { return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability; }
    bool fault(double probability) {
        if (faults_.spare > 0 || faults_.most <= 0 || !chance(probability)) return false;
        --faults_.most;
        ++counts_.faults;
        return true;
    }
    bool refuses(const char *call, int32_t peer) {
        if (!fault(faults_.refuse)) return false;
        host_->report(host_->core, (std::string("wrap: ") + call + " with rank " + std::to_string(peer) + " refused").c_str());
        return true;
    }
    bool spared(int32_t lane, int32_t tag, const void *data = nullptr, size_t bytes = 0) {
        if (faults_.channels_only && !of_channel(lane, data, bytes)) return true;
        if (is_collective(lane, tag) && !faults_.collectives) return true;
        faults_.spare -= faults_.spare > 0;
        return false;
    }
    void delay_as_environment_says() {
        wrap_faults faults{};
        faults.delay = number_in("WRAP_DELAY");
        faults.slow_test = number_in("WRAP_SLOW_TEST");
        if (faults.delay > 0 || faults.slow_test > 0) set_faults(faults);
    }
    void *taken(const void *data, int64_t &count) {
        void *const there = takes_ == WRAP_TAKES_NONE ? const_cast<void *>(data) : reached(data);
        count += there != data;
        return there;
    }
    void hold(Held held);
    void end(const Held &held, halo_status status);
    void damage(std::vector<std::byte> &bytes);
    void release();
    bool waits_for_earlier(size_t place) const;

    const halo_host *host_;
    const halo_transport_ops &inner_;
    halo_transport *transport_ = nullptr;
    wrap_counts counts_{};
    wrap_faults faults_{};
    bool faulty_ = false;
    int32_t reach_ = WRAP_REACHES_ALL;
    int32_t takes_ = WRAP_TAKES_NONE;
    std::mt19937_64 random_;
    int64_t calls_ = 0;
    std::deque<std::unique_ptr<Held>> held_;                   // in the order of their sending
    std::unordered_map<halo_request *, halo_status> finished_; // requests of the core that the wrapper has completed
};

void Wrapped::hold(Held held) { held_.push_back(std::make_unique<Held>(std::move(held))); }

void Wrapped::damage(std::vector<std::byte> &bytes) {
    if (!bytes.empty() && fault(faults_.truncate)) bytes.resize(random_() % bytes.size());
    const auto first = static_cast<size_t>(faults_.corrupt_after);
    if (bytes.size() > first && fault(faults_.corrupt)) {
        std::byte &victim = bytes[first + random_() % (bytes.size() - first)];
        victim ^= static_cast<std::byte>(1u << random_() % 8);
    }
}

halo_status Wrapped::send(int32_t peer, int32_t lane, int32_t tag, const void *given, size_t bytes, halo_request *request) {
    const void *const data = taken(given, counts_.from_device);
    ++counts_.sends;
    counts_.open += !is_collective(lane, tag);
    counts_.bytes_sent += static_cast<int64_t>(bytes);
    finished_.erase(request);
    if (!faulty_ || spared(lane, tag, data, bytes)) return inner_.send(transport_, peer, lane, tag, data, bytes, request);
    if (refuses("send", peer)) return HALO_ERR_TRANSPORT;
    if (fault(faults_.drop)) {
        finished_[request] = HALO_SUCCESS;
        return HALO_SUCCESS;
    }
    Held held;
    held.peer = peer;
    held.lane = lane;
    held.tag = tag;
    held.bytes.assign(static_cast<const std::byte *>(data), static_cast<const std::byte *>(data) + bytes);
    held.due = calls_ + (chance(faults_.delay) ? static_cast<int64_t>(random_() % longest_delay) : 0);
    Held twin = held;
    held.outer = request;
    damage(held.bytes);
    hold(std::move(held));
    if (fault(faults_.duplicate)) hold(std::move(twin));
    release();
    return HALO_SUCCESS;
}

bool Wrapped::waits_for_earlier(size_t place) const {
    for (size_t i = 0; i < place; ++i)
        if (!held_[i]->sent && held_[i]->same_channel(*held_[place])) return true;
    return false;
}

// The core hears of it in the test of its request; nobody hears of what becomes of a twin.
void Wrapped::end(const Held &held, halo_status status) {
    if (held.outer) finished_[held.outer] = status;
}

// Send what is due; forget what has arrived, or has failed.
void Wrapped::release() {
    ++calls_;
    for (size_t i = 0; i < held_.size(); ++i) {
        Held &held = *held_[i];
        if (held.sent || held.due > calls_ || waits_for_earlier(i)) continue;
        held.failed = inner_.send(transport_, held.peer, held.lane, held.tag, held.bytes.data(), held.bytes.size(), &held.inner);
        held.sent = true;
    }
    std::erase_if(held_, [&](const std::unique_ptr<Held> &held) {
        if (!held->sent) return false;
        int32_t done = held->failed == HALO_SUCCESS ? 0 : 1;
        size_t bytes = 0;
        if (!done) held->failed = inner_.test(transport_, &held->inner, &done, &bytes);
        if (!done && held->failed == HALO_SUCCESS) return false;
        end(*held, held->failed);
        return true;
    });
}

halo_status Wrapped::receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    ++counts_.receives;
    counts_.open -= !is_collective(lane, tag);
    finished_.erase(request);
    if (!spared(lane, tag) && refuses("receive", peer)) return HALO_ERR_TRANSPORT;
    return inner_.receive(transport_, peer, lane, tag, taken(data, counts_.to_device), capacity, request);
}

halo_status Wrapped::receive_matched(halo_matched *message, void *data, size_t capacity, halo_request *request) {
    ++counts_.receives;
    finished_.erase(request);
    return inner_.receive_matched(transport_, message, taken(data, counts_.to_device), capacity, request);
}

halo_status Wrapped::test(halo_request *request, int32_t *done, size_t *bytes) {
    ++counts_.tests;
    *done = 0;
    release();
    if (chance(faults_.slow_test)) return HALO_SUCCESS;
    if (const auto known = finished_.find(request); known != finished_.end()) {
        const halo_status status = known->second;
        finished_.erase(known);
        *done = 1;
        if (status != HALO_SUCCESS) host_->report(host_->core, "wrap: the transport inside has not taken a message to another rank");
        return status;
    }
    for (const auto &held : held_)
        if (held->outer == request) return HALO_SUCCESS;
    const halo_status status = inner_.test(transport_, request, done, bytes);
    if (status != HALO_SUCCESS || *done == 0 || !fault(faults_.fail)) return status;
    *done = 0;
    host_->report(host_->core, "wrap: a message with another rank is lost");
    return HALO_ERR_TRANSPORT;
}

halo_status Wrapped::cancel(halo_request *request, int32_t *done) {
    ++counts_.cancels;
    return inner_.cancel(transport_, request, done);
}

halo_status Wrapped::probe(int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    ++counts_.probes;
    *found = 0;
    release();
    if (chance(faults_.slow_test)) return HALO_SUCCESS;
    const halo_status status = inner_.probe(transport_, peer, lane, tag, found, bytes, message);
    counts_.found += *found;
    counts_.open -= *found != 0 && !is_collective(lane, tag);
    return status;
}

halo_status Wrapped::progress() {
    if (chance(faults_.nap)) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    release();
    return inner_.progress(transport_);
}

// ---- the operations table

Wrapped &wrapped(halo_transport *transport) { return *reinterpret_cast<Wrapped *>(transport); }

const halo_transport_ops *inner_operations() {
    const char *path = std::getenv("WRAP_MODULE");
    if (!path || !*path) return halo_transport_inproc.ops;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *symbol = module ? dlsym(module, "halo_transport_plugin_v1") : nullptr;
    return symbol ? static_cast<const halo_transport_plugin *>(symbol)->ops : nullptr;
}

halo_status open(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    const halo_transport_ops *inner = inner_operations();
    if (!inner) {
        host->report(host->core, "wrap: the module of WRAP_MODULE cannot be opened");
        return HALO_ERR_PLUGIN;
    }
    auto made = std::make_unique<Wrapped>(host, *inner);
    const halo_status status = made->open(*params);
    if (status == HALO_SUCCESS) *transport = reinterpret_cast<halo_transport *>(made.release());
    return status;
}

void close(halo_transport *transport) { delete &wrapped(transport); }

void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    const auto &inside = *reinterpret_cast<const Wrapped *>(transport);
    inside.inner().identify(inside.transport(), rank, size, max_tag);
}

halo_status open_lanes(halo_transport *transport, int32_t n_lanes) { return wrapped(transport).open_lanes(n_lanes); }

halo_status send(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request) {
    return wrapped(transport).send(peer, lane, tag, data, bytes, request);
}

halo_status receive(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    return wrapped(transport).receive(peer, lane, tag, data, capacity, request);
}

halo_status test(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    return wrapped(transport).test(request, done, bytes);
}

halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) { return wrapped(transport).cancel(request, done); }

halo_status probe(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    return wrapped(transport).probe(peer, lane, tag, found, bytes, message);
}

halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    return wrapped(transport).receive_matched(message, data, capacity, request);
}

halo_status progress(halo_transport *transport) { return wrapped(transport).progress(); }

int32_t threads(const halo_transport *transport) {
    const auto &inside = *reinterpret_cast<const Wrapped *>(transport);
    return inside.inner().threads ? inside.inner().threads(inside.transport()) : HALO_THREADS_ANY;
}

int32_t ends_all_when_closed(const halo_transport *transport) {
    const auto &inside = *reinterpret_cast<const Wrapped *>(transport);
    return inside.inner().ends_all_when_closed ? inside.inner().ends_all_when_closed(inside.transport()) : 0;
}

int32_t reaches(const halo_transport *transport, int32_t peer) { return reinterpret_cast<const Wrapped *>(transport)->reaches(peer) ? 1 : 0; }

// What is delayed. Where nothing is, a test may say that nothing needs calls.
int32_t sends_by_calls(const halo_transport *, int32_t) { return number_in("WRAP_SENDS_ALONE") > 0 ? 0 : 1; }

int32_t takes_device_memory(const halo_transport *transport, int32_t, const char *device, char *why, size_t why_bytes) {
    const bool takes = reinterpret_cast<const Wrapped *>(transport)->says_it_takes(device);
    std::snprintf(why, why_bytes, "%s", takes ? "as it was told" : "it was not told to");
    return takes ? 1 : 0;
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    std::strncpy(why, "for tests", why_bytes - 1);
    return 1;
}

uint32_t capabilities() { return std::getenv("WRAP_OVER_BOOTSTRAP") ? HALO_TRANSPORT_OVER_BOOTSTRAP : 0; }

constexpr halo_transport_ops operations = { sizeof(halo_transport_ops),
                                            open,
                                            close,
                                            identify,
                                            open_lanes,
                                            send,
                                            receive,
                                            test,
                                            cancel,
                                            probe,
                                            receive_matched,
                                            progress,
                                            threads,
                                            ends_all_when_closed,
                                            reaches,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            sends_by_calls,
                                            takes_device_memory };

} // namespace

extern "C" {

HALO_API extern const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), "wrap", "0.2.0", query, &operations, capabilities(), 0
};

HALO_API halo_inproc_group *wrap_group_create(int32_t n_ranks) {
    halo_inproc_group *group = nullptr;
    return halo_inproc_group_create(n_ranks, &group) == HALO_SUCCESS ? group : nullptr;
}
HALO_API halo_status wrap_group_destroy(halo_inproc_group *group) { return halo_inproc_group_destroy(group); }
HALO_API void wrap_seat(halo_inproc_group *group, int32_t rank) { next_seat = { group, rank }; }
HALO_API void wrap_reach(int32_t which) { next_reach = which; }
HALO_API void wrap_set_faults(const wrap_faults *faults) {
    if (last_opened) last_opened->set_faults(*faults);
}
HALO_API wrap_counts wrap_get_counts() { return last_opened ? last_opened->counts() : wrap_counts{}; }
}
