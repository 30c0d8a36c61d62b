// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "placed.h"
#include "test_device.h"

namespace conformance {

namespace {

bool as_threads = true;
const halo_bootstrap *bootstrap_of_processes = nullptr; // or they come from a launcher

std::string format_list(const char *pattern, va_list arguments) {
    char text[4096];
    std::vsnprintf(text, sizeof text, pattern, arguments);
    return text;
}

// Under a launcher the other ranks would wait for one that has stopped: the launcher ends them.
void guarded(int32_t rank, const std::function<void()> &body) {
    try {
        body();
    } catch (const Stop &reason) {
        ADD_FAILURE() << "rank " << rank << ": " << reason.text;
        if (!as_threads) {
            std::fflush(stdout);
            std::_Exit(1);
        }
    }
}

thread_local halo_context *context_of_thread = nullptr; // that storage comes from

void with_context(halo_inproc *group, int32_t rank, const Settings &settings, const std::function<void(Rank &)> &body) {
    Rank self;
    OK(make_context(group, rank, settings, &self.context));
    OK(halo_context_rank(self.context, &self.rank, &self.size));
    if (storage_is_shared()) context_of_thread = self.context;
    if (storage_is_on_device()) enter_device(self.context);
    try {
        body(self);
    } catch (...) {
        leave_device();
        throw;
    }
    context_of_thread = nullptr;
    leave_device();
    OK(halo_context_destroy(&self.context));
}

} // namespace

void stop(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    throw Stop{ std::move(text) };
}

std::string text_of(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    return text;
}

void succeed(halo_status status, const char *call, const char *file, int line) {
    if (status != HALO_SUCCESS) stop("%s:%d: %s: %s: %s", file, line, call, halo_status_name(status), halo_last_error());
}

halo_status make_context(halo_inproc *group, int32_t rank, const Settings &settings, halo_context **context) {
    std::vector<halo_setting> list{ { "timeout", "60s" } };
    if (storage_is_on_device())
        for (const auto &[key, value] : test_device().settings()) list.push_back({ key.c_str(), value.c_str() });
    for (const auto &[key, value] : settings) {
        const auto known = std::find_if(list.begin(), list.end(), [&wanted = key](const halo_setting &one) { return wanted == one.key; });
        if (known != list.end())
            known->value = value.c_str();
        else
            list.push_back({ key.c_str(), value.c_str() });
    }
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = list.data();
    options.n_settings = static_cast<int32_t>(list.size());
    if (group) return halo_context_create_inproc(group, rank, &options, context);
    return bootstrap_of_processes ? halo_context_create_over(bootstrap_of_processes, &options, context) : halo_context_create(&options, context);
}

bool threads() { return as_threads; }

void set_processes() { as_threads = false; }

void set_processes_over(const halo_bootstrap &bootstrap) {
    set_processes();
    bootstrap_of_processes = &bootstrap;
}

void run(int32_t n_ranks, const Settings &settings, const std::function<void(Rank &)> &body) {
    if (!as_threads) return guarded(-1, [&] { with_context(nullptr, -1, settings, body); });
    run_raw(n_ranks, [&](halo_inproc *group, int32_t rank) { with_context(group, rank, settings, body); });
}

void prepare_if_asked(halo_exchange *exchange) {
    if (number_from("CONFORMANCE_PREPARE", 0) != 0) OK(halo_exchange_prepare(exchange));
}

std::string description_of(const halo_exchange *exchange) {
    size_t bytes = 0;
    OK(halo_exchange_describe(exchange, nullptr, 0, &bytes));
    std::string text(bytes, '\0');
    OK(halo_exchange_describe(exchange, text.data(), bytes, nullptr));
    text.pop_back(); // the end of the text in C
    return text;
}

void run_each(int32_t n_ranks, const std::function<Settings(int32_t rank)> &settings, const std::function<void(Rank &)> &body) {
    if (as_threads) return run_raw(n_ranks, [&](halo_inproc *group, int32_t rank) { with_context(group, rank, settings(rank), body); });
    int32_t number = -1;
    run(n_ranks, {}, [&](Rank &self) { number = self.rank; });
    run(n_ranks, settings(number), body);
}

void run_raw(int32_t n_ranks, const std::function<void(halo_inproc *group, int32_t rank)> &body) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(n_ranks, &group), HALO_SUCCESS) << halo_last_error();
    std::vector<std::thread> ranks;
    ranks.reserve(static_cast<size_t>(n_ranks));
    for (int32_t rank = 0; rank < n_ranks; ++rank) ranks.emplace_back([&body, group, rank] { guarded(rank, [&] { body(group, rank); }); });
    for (std::thread &rank : ranks) rank.join();
    if (testing::Test::HasFailure()) return; // contexts may still live
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

std::vector<int32_t> rank_counts() {
    if (!as_threads) return { 0 };
    return { 1, 2, 3, 4, 5, 8 };
}

namespace {

bool storage_is(const char *what) {
    const char *storage = std::getenv("CONFORMANCE_STORAGE");
    return storage && std::strcmp(storage, what) == 0;
}

} // namespace

bool storage_is_shared() { return storage_is("shared"); }
bool storage_is_on_device() { return storage_is("device") || device_memory_is_shared(); }
bool device_memory_is_shared() { return storage_is("shared_device"); }

std::byte *take_memory(size_t bytes, bool shared) {
    if (!shared || !context_of_thread) return take_twinned(bytes);
    void *memory = nullptr;
    OK(halo_memory_allocate(context_of_thread, HALO_MEMORY_SHARED, static_cast<int64_t>(bytes), &memory));
    return static_cast<std::byte *>(memory);
}

void give_memory(std::byte *memory, bool shared) noexcept {
    void *given = memory;
    if (shared && context_of_thread)
        halo_memory_release(context_of_thread, &given);
    else
        give_twinned(memory);
}

int64_t number_from(const char *variable, int64_t otherwise) {
    const char *text = std::getenv(variable);
    return text && *text ? std::strtoll(text, nullptr, 0) : otherwise;
}

int64_t n_drawn(int64_t n) { return (n * number_from("CONFORMANCE_PERCENT", 100) + 99) / 100; }

bool prints(const Rank &rank) { return rank.rank == 0; }

} // namespace conformance
