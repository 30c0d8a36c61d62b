// SPDX-License-Identifier: BSD-3-Clause
#include "harness.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "inproc.h"

namespace transport_tests {

World world;

const char *module_wanted(int argc, char **argv) {
    const char option[] = "--module=";
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, sizeof option - 1) == 0) return argv[i] + sizeof option - 1;
    return nullptr;
}

bool take_module(const char *file) {
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const void *plugin = module != nullptr ? dlsym(module, "halo_transport_plugin_v1") : nullptr;
    if (plugin == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    world.plugin = static_cast<const halo_transport_plugin *>(plugin);
    return plugin != nullptr;
}

void take_settings(int argc, char **argv) {
    const std::string option = "--set=";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const size_t equals = word.find('=', option.size());
        if (word.rfind(option, 0) == 0 && equals != std::string::npos)
            world.settings[word.substr(option.size(), equals - option.size())] = word.substr(equals + 1);
    }
}

void require(bool condition, const char *format, ...) {
    if (condition) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw Stop{ text };
}

void Rank::take_report(void *self, const char *text) { static_cast<Rank *>(self)->error = text; }

Rank::Rank(const halo_transport_plugin &plugin, const halo_transport_params &params) : ops(*plugin.ops) {
    const auto setting = [](void *, const char *key) -> const char * {
        const auto found = world.settings.find(key);
        return found != world.settings.end() ? found->second.c_str() : nullptr;
    };
    host_ = { sizeof(halo_host), this, take_report, [](void *, int32_t, const char *) {}, setting };
    halo_status status = ops.open(&host_, &params, &transport);
    require(status == HALO_SUCCESS, "open: status %d: %s", status, error.c_str());
    ops.identify(transport, &rank, &size, &max_tag);
}

Rank::~Rank() {
    if (std::uncaught_exceptions() == 0) close(); // after a failure the storage of what is in flight is gone
}

void Rank::close() {
    if (transport != nullptr) ops.close(transport);
    transport = nullptr;
}

std::vector<int32_t> Rank::peers() const {
    std::vector<int32_t> list;
    for (int32_t step = 0; step < size; ++step) {
        int32_t peer = (step - rank + size) % size;
        if (peer != rank) list.push_back(peer);
    }
    return list;
}

void Rank::send(int32_t peer, int32_t tag, const Bytes &data, halo_request &request, int32_t lane) {
    request = {};
    halo_status status = ops.send(transport, peer, lane, tag, data.data(), data.size(), &request);
    require(status == HALO_SUCCESS, "send to %d, tag %d: status %d: %s", peer, tag, status, error.c_str());
}

void Rank::receive(int32_t peer, int32_t tag, Bytes &data, halo_request &request, int32_t lane) {
    request = {};
    halo_status status = ops.receive(transport, peer, lane, tag, data.data(), data.size(), &request);
    require(status == HALO_SUCCESS, "receive from %d, tag %d: status %d: %s", peer, tag, status, error.c_str());
}

void Rank::receive_matched(halo_matched &message, Bytes &data, halo_request &request) {
    request = {};
    halo_status status = ops.receive_matched(transport, &message, data.data(), data.size(), &request);
    require(status == HALO_SUCCESS, "receive_matched: status %d: %s", status, error.c_str());
}

bool Rank::probe(int32_t peer, int32_t tag, size_t &bytes, halo_matched &message, int32_t lane) {
    int32_t found = -1;
    message = {};
    halo_status status = ops.probe(transport, peer, lane, tag, &found, &bytes, &message);
    require(status == HALO_SUCCESS && (found == 0 || found == 1), "probe of %d, tag %d: status %d, found %d: %s", peer, tag, status, found,
            error.c_str());
    return found == 1;
}

halo_status Rank::outcome(halo_request &request, size_t &bytes) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int64_t i = 1;; ++i) {
        int32_t done = 0;
        halo_status status = ops.test(transport, &request, &done, &bytes);
        if (done == 1) return status;
        require(status == HALO_SUCCESS, "test: status %d: %s", status, error.c_str());
        if (i % 64 == 0) std::this_thread::yield();
        require(i % 1024 != 0 || std::chrono::steady_clock::now() < end, "rank %d of %d waited a minute in vain", rank, size);
    }
}

size_t Rank::wait(halo_request &request) {
    size_t bytes = 0;
    halo_status status = outcome(request, bytes);
    require(status == HALO_SUCCESS, "operation ended with status %d: %s", status, error.c_str());
    return bytes;
}

void Rank::swap_tokens(int32_t to, int32_t from, int32_t tag) {
    Bytes token;
    halo_request sending;
    halo_request receiving;
    receive(from, tag, token, receiving);
    send(to, tag, token, sending);
    wait(receiving);
    wait(sending);
}

void Rank::barrier() {
    int32_t tag = max_tag;
    for (int32_t distance = 1; distance < size; distance *= 2) swap_tokens((rank + distance) % size, (rank - distance + size) % size, tag--);
}

void Rank::meet(int32_t peer) { swap_tokens(peer, peer, max_tag - 100); }

void Rank::open_lanes(int32_t n_lanes) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    halo_status status = HALO_BUSY;
    while ((status = ops.open_lanes(transport, n_lanes)) == HALO_BUSY) {
        std::this_thread::yield();
        require(std::chrono::steady_clock::now() < end, "rank %d waited a minute for lanes", rank);
    }
    require(status == HALO_SUCCESS, "open_lanes: status %d: %s", status, error.c_str());
}

void Rank::wait_for_message(int32_t peer, int32_t tag, size_t &bytes, halo_matched &message, int32_t lane) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!probe(peer, tag, bytes, message, lane)) {
        std::this_thread::yield();
        require(std::chrono::steady_clock::now() < end, "rank %d waited a minute for a message from %d, tag %d", rank, peer, tag);
    }
}

namespace {

uint64_t word_of(int32_t source, int32_t destination, int64_t number, size_t place) {
    uint64_t x = static_cast<uint64_t>(source) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(destination) * 0xbf58476d1ce4e5b9u +
                 static_cast<uint64_t>(number) * 0x94d049bb133111ebu + place * 0xd6e8feb86659fd93u;
    x ^= x >> 31;
    return x * 0x9e3779b97f4a7c15u;
}

} // namespace

Bytes payload(int32_t source, int32_t destination, int64_t number, size_t bytes) {
    Bytes data(bytes);
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = word_of(source, destination, number, i);
        std::memcpy(&data[i], &word, std::min<size_t>(8, bytes - i));
    }
    return data;
}

void check_payload(const Bytes &data, size_t bytes, int32_t source, int32_t destination, int64_t number) {
    require(data.size() >= bytes, "%zu bytes came for a buffer of %zu", bytes, data.size());
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = word_of(source, destination, number, i);
        if (std::memcmp(&data[i], &word, std::min<size_t>(8, bytes - i)) == 0) continue;
        require(false, "message %lld from %d to %d (%zu bytes) is wrong at byte %zu", static_cast<long long>(number), source, destination, bytes, i);
    }
}

namespace {

void guarded(const RawBody &body, const halo_transport_plugin &plugin, const halo_transport_params &params) {
    try {
        body(plugin, params);
    } catch (const Stop &stop) {
        ADD_FAILURE() << "rank " << (params.bootstrap != nullptr ? params.bootstrap->rank : params.rank) << ": " << stop.text;
        if (world.threads()) return;
        std::fflush(nullptr);
        std::_Exit(1); // the launcher ends the others
    }
}

} // namespace

void run_raw(int32_t n_ranks, const RawBody &body) {
    halo_transport_params params{ sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, world.bootstrap };
    if (!world.threads()) return guarded(body, *world.plugin, params);
    halo_inproc_group *group = nullptr;
    ASSERT_EQ(halo_inproc_group_create(n_ranks, &group), HALO_SUCCESS);
    params.group = group;
    std::vector<std::thread> threads;
    for (params.rank = 0; params.rank < n_ranks; ++params.rank) {
        threads.emplace_back([&body, params] { guarded(body, halo_transport_inproc, params); });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(halo_inproc_group_open_endpoints(group), 0);
    EXPECT_EQ(halo_inproc_group_destroy(group), HALO_SUCCESS);
}

void run(int32_t n_ranks, const Body &body) {
    run_raw(n_ranks, [&body](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank rank(plugin, params);
        body(rank);
    });
}

std::vector<int32_t> rank_counts() {
    if (!world.threads()) return { 0 };
    return { 1, 2, 3, 4, 5, 8 };
}

} // namespace transport_tests
