// SPDX-License-Identifier: BSD-3-Clause
// Runs one body on every rank of a transport, be they threads of this process, processes of a launcher, or forked ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halo_plugin.h"

namespace transport_tests {

using Bytes = std::vector<unsigned char>;

// Fails the test with its text and ends the rank's body.
struct Stop {
    std::string text;
};
void require(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

// One open endpoint; closes when it goes.
class Rank {
public:
    Rank(const halo_transport_plugin &plugin, const halo_transport_params &params);
    ~Rank();
    Rank(const Rank &) = delete;
    Rank &operator=(const Rank &) = delete;

    void close();

    int32_t rank = -1;
    int32_t size = 0;
    int32_t max_tag = 0;
    halo_transport *transport = nullptr;
    const halo_transport_ops &ops;
    std::string error; // text of the last failed call

    // In an order in which all ranks can deal with their peers one after the other.
    std::vector<int32_t> peers() const;

    // Start an operation, which must succeed.
    void send(int32_t peer, int32_t tag, const Bytes &data, halo_request &request, int32_t lane = 0);
    void receive(int32_t peer, int32_t tag, Bytes &data, halo_request &request, int32_t lane = 0);
    void receive_matched(halo_matched &message, Bytes &data, halo_request &request);
    bool probe(int32_t peer, int32_t tag, size_t &bytes, halo_matched &message, int32_t lane = 0);

    // Test until done, for at most a minute; returns the operation's status.
    halo_status outcome(halo_request &request, size_t &bytes);
    // As outcome, must succeed; returns the bytes.
    size_t wait(halo_request &request);
    // Blocking, unordered with everything else; uses its own tags from max_tag down by the barrier's rounds.
    void barrier();
    // Wait for one peer, which must do the same.
    void meet(int32_t peer);
    // Call until all ranks have.
    void open_lanes(int32_t n_lanes);
    void wait_for_message(int32_t peer, int32_t tag, size_t &bytes, halo_matched &message, int32_t lane = 0);

private:
    void swap_tokens(int32_t to, int32_t from, int32_t tag);
    static void take_report(void *self, const char *text);
    halo_host host_;
};

// Payload that tells who sent it, to whom, under which number.
Bytes payload(int32_t source, int32_t destination, int64_t number, size_t bytes);
// Stops with the place of the first wrong byte.
void check_payload(const Bytes &data, size_t bytes, int32_t source, int32_t destination, int64_t number);

// What the suite runs over. Set before GoogleTest is initialised.
struct World {
    const halo_transport_plugin *plugin = nullptr; // null: threads
    const halo_bootstrap *bootstrap = nullptr;     // of forked processes
    std::map<std::string, std::string> settings;   // that modules may ask for
    bool threads() const { return plugin == nullptr; }
};
extern World world;

// The file in the argument `--module=FILE`; null: there is none.
const char *module_wanted(int argc, char **argv);
// Loads it and makes it the world's transport; says why it cannot.
bool take_module(const char *file);
// Those in arguments `--set=KEY=VALUE` are the world's settings.
void take_settings(int argc, char **argv);

// Opens one endpoint per rank; `n_ranks` counts for threads only, processes are as many as were started.
using Body = std::function<void(Rank &)>;
void run(int32_t n_ranks, const Body &body);

// Runs the body with the rank's opening parameters, for tests that open by themselves.
using RawBody = std::function<void(const halo_transport_plugin &, const halo_transport_params &)>;
void run_raw(int32_t n_ranks, const RawBody &body);

// Numbers of ranks a parameterised test gets: 1..8 as threads; 0, i.e. all, as processes.
std::vector<int32_t> rank_counts();

class OverRanks : public testing::TestWithParam<int32_t> {};

} // namespace transport_tests
