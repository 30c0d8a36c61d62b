// SPDX-License-Identifier: BSD-3-Clause
// Which device of a module a rank takes.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "expect_failure.h"
#include "plugin/own_device.h"

extern "C" const halo_device_plugin halo_device_host;

namespace halo {
namespace {

template <int32_t n>
halo_device_plugin with_devices() {
    halo_device_plugin plugin = halo_device_host;
    plugin.name = "many";
    plugin.count = [](const halo_host *) -> int32_t { return n; };
    return plugin;
}

OwnDevice chosen(const halo_device_plugin &plugin, const char *asked, const LocalRank &local) {
    const Assignment assignments[] = { { "device.ordinal", asked, "call", "device.ordinal" } };
    const halo_host host{};
    return choose_own_device(plugin, Config(assignments), host, local);
}

TEST(OwnDevice, RanksTakeTurns) {
    const halo_device_plugin three = with_devices<3>();
    for (int32_t rank = 0; rank < 7; ++rank) {
        const OwnDevice own = chosen(three, "-1", { rank, "SOMEBODY" });
        EXPECT_EQ(own.ordinal, rank % 3);
        EXPECT_FALSE(own.is_guess);
        EXPECT_EQ(own.text("many"), format("device many %d of 3: local rank %d (SOMEBODY)", rank % 3, rank));
    }
}

TEST(OwnDevice, WhatIsNotKnownIsTheFirst) {
    EXPECT_TRUE(chosen(with_devices<3>(), "-1", {}).is_guess);
    EXPECT_EQ(chosen(with_devices<3>(), "-1", {}).ordinal, 0);
    EXPECT_EQ(chosen(with_devices<1>(), "-1", { 5, "SOMEBODY" }).text("many"), "device many 0 of 1: the only one");
    halo_device_plugin older = with_devices<3>();
    older.struct_size = offsetof(halo_device_plugin, count);
    for (const halo_device_plugin &plugin : { older, halo_device_host, with_devices<0>() }) {
        EXPECT_EQ(chosen(plugin, "-1", { 5, "SOMEBODY" }).ordinal, 0);
        EXPECT_EQ(chosen(plugin, "7", { 5, "SOMEBODY" }).ordinal, 7); // its module says whether there is one
    }
}

TEST(OwnDevice, TheSettingIsStrongest) {
    EXPECT_EQ(chosen(with_devices<3>(), "2", { 0, "SOMEBODY" }).ordinal, 2);
    expect_failure(HALO_ERR_DEVICE, { "device.ordinal = 3 from call", "there are 3 devices of 'many'" }, [] {
        chosen(with_devices<3>(), "3", { 0, "SOMEBODY" });
    });
}

class Environment {
public:
    Environment() {
        for (const char *name : names) {
            const char *const value = std::getenv(name);
            before_.emplace_back(value != nullptr, value ? value : "");
            unsetenv(name);
        }
    }
    ~Environment() {
        for (size_t i = 0; i < std::size(names); ++i) before_[i].first ? setenv(names[i], before_[i].second.c_str(), 1) : unsetenv(names[i]);
    }
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

    static constexpr const char *names[] = { "HALO_LAUNCH_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                             "SLURM_LOCALID",          "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID" };

private:
    std::vector<std::pair<bool, std::string>> before_;
};

TEST(OwnDevice, LaunchersTellTheLocalRank) {
    const Environment nothing_else;
    EXPECT_EQ(local_rank_by_launcher().number, -1);
    for (const char *name : Environment::names) {
        setenv(name, "12", 1);
        const LocalRank local = local_rank_by_launcher();
        EXPECT_EQ(local.number, 12) << name;
        EXPECT_EQ(local.source, name);
        for (const char *wrong : { "", "-3", "2x", "x", "99999999999" }) {
            setenv(name, wrong, 1);
            EXPECT_EQ(local_rank_by_launcher().number, -1) << name << "=" << wrong;
        }
        unsetenv(name);
    }
    setenv("SLURM_LOCALID", "3", 1); // around a launcher of its own
    setenv("HALO_LAUNCH_LOCAL_RANK", "1", 1);
    EXPECT_EQ(local_rank_by_launcher().number, 1);
}

} // namespace
} // namespace halo
