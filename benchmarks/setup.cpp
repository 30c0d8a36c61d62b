// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "benchmarks.h"
#include "contenders.h"
#include "halo_channel.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    int64_t pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

// Each attempt has a topology of its own, so that no plan is shared with an earlier one.
void exchanges(const Session &session, const Options &options, Report &report) {
    report.begin("making an exchange", "medians in ms: topology, field and exchange; the first and the second run; the expert's plan and buffers");
    for (const WorkSize &size : options.works) {
        Work work(size, session.rank(), session.n_ranks());
        work.fill();
        std::vector<double> create, first, second, expert;
        for (int attempt = 0; attempt < std::min(options.pairs, 7); ++attempt) {
            std::unique_ptr<Contender> libhalo, other;
            create.push_back(timed(session, [&] { libhalo = make_libhalo(session.context(), work, Part::all); }) * milliseconds);
            first.push_back(timed(session, [&] { libhalo->exchange(); }) * milliseconds);
            second.push_back(timed(session, [&] { libhalo->exchange(); }) * milliseconds);
            if (session.mpi() || session.n_ranks() == 1)
                expert.push_back(timed(session, [&] { other = std::make_unique<Expert>(session, work, Part::all); }) * milliseconds);
        }
        report.row(Row()
                       .add("case", size.text())
                       .add("create ms", median_of(create))
                       .add("first run ms", median_of(first))
                       .add("second run ms", median_of(second))
                       .add("expert create ms", median_of(expert)));
    }
}

// Ends of `n` channels between ranks 0 and 1, half of them each way; with one rank both ends are here.
void fill_channels(const Session &session, int64_t n, uint64_t seed, std::vector<halo_channel_key> &keys) {
    for (int64_t i = 0; i < n; ++i)
        keys.push_back({ i / 26, i / 26 + 1 + i % 26, static_cast<int32_t>(i % 2), static_cast<int32_t>(i % 26 + (i % 26 > 12)), 0 });
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed + static_cast<uint64_t>(session.rank())));
}

void many_channels(const Session &session, const Options &options, Report &report) {
    report.begin("channels by hand",
                 "registered one by one in random key order, then committed; bars: 2 s and 200 bytes each, of growth of resident memory");
    std::vector<halo_channel_key> keys;
    if (session.rank() < 2) fill_channels(session, options.channels, options.seed, keys);
    std::vector<halo_channel *> channels(keys.size(), nullptr);
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.count = 8;
    halo_group_desc policy = HALO_GROUP_DESC_INIT;
    policy.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group = nullptr;
    const int64_t before = resident_bytes();
    const double registered = timed(session, [&] {
        for (size_t i = 0; i < keys.size(); ++i) {
            desc.send_rank = session.n_ranks() == 1 ? 0 : keys[i].field;
            desc.receive_rank = session.n_ranks() == 1 ? 0 : 1 - keys[i].field;
            halo::check(halo_channel_register(session.context(), &keys[i], &desc, &channels[i]));
        }
    });
    const double committed = timed(
        session, [&] { halo::check(halo_group_create(session.context(), channels.data(), static_cast<int64_t>(channels.size()), &policy, &group)); });
    double each = static_cast<double>(resident_bytes() - before) / static_cast<double>(options.channels);
    session.max({ &each, 1 });
    const double destroyed = timed(session, [&] {
        halo::check(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) halo::check(halo_channel_destroy(&channel));
    });
    report.row(Row()
                   .add("channels", options.channels)
                   .add("register s", registered)
                   .add("commit s", committed)
                   .add("bytes each", each)
                   .add("destroy s", destroyed));
}

} // namespace

void run_setup(const Session &session, const Options &options, Report &report) {
    exchanges(session, options, report);
    run_setup_of_boxes(session, options, report);
    many_channels(session, options, report);
}

} // namespace bench
