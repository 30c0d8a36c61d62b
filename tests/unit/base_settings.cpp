// SPDX-License-Identifier: BSD-3-Clause
// The setting table and its values.
#include <climits>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/config_text.h"
#include "base/setting_value.h"
#include "expect_failure.h"

namespace halo {
namespace {

Config with(const char *key, const char *value) {
    const Assignment assignment{ key, value, "call", key };
    return Config(std::span(&assignment, 1));
}

TEST(Settings, DefaultsAreValues) {
    const Config config;
    std::set<std::string> keys, variables;
    for (const Setting &setting : setting_table()) {
        EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
        EXPECT_TRUE(variables.insert(environment_name(setting.key)).second) << setting.key;
        EXPECT_EQ(*config.value(setting.key), setting.default_value);
        EXPECT_EQ(*config.source(setting.key), "default");
    }
    EXPECT_EQ(environment_name("pool.cap"), "HALO_POOL_CAP");
    EXPECT_EQ(config.duration("timeout"), 0);
    EXPECT_EQ(config.duration("warn_after"), 10);
    EXPECT_EQ(config.bytes("pool.cap"), INT64_MAX);
    EXPECT_EQ(config.text("transport"), "auto");
    EXPECT_FALSE(config.boolean("check"));
    EXPECT_EQ(config.value("no_such_key"), nullptr);
}

TEST(Settings, Durations) {
    const struct {
        const char *text;
        double seconds;
    } good[] = { { "30s", 30 },    { "30", 30 }, { "5ms", 0.005 }, { "2min", 120 }, { "1.5h", 5400 }, { "250us", 250e-6 },
                 { "10ns", 1e-8 }, { "3 s", 3 }, { "none", 0 },    { "inf", 0 },    { "0", 0 } };
    for (const auto &[text, seconds] : good) EXPECT_DOUBLE_EQ(with("timeout", text).duration("timeout"), seconds) << text;
    for (const char *text : { "", "s", "-1s", "5 m s", "5parsecs", "1e3s", "nan", "0x10", "1e400", "99999999999s", "+5s", ".5s", "5s extra" })
        expect_failure(HALO_ERR_CONFIG, { "'timeout'", "from call", text, "0 to 1000000000 s, none" }, [&] { with("timeout", text); });
}

TEST(Settings, Sizes) {
    const struct {
        const char *text;
        int64_t bytes;
    } good[] = { { "64K", 65536 },    { "64k", 65536 }, { "64KB", 65536 }, { "64KiB", 65536 }, { "1M", 1 << 20 }, { "1.5G", 3LL << 29 },
                 { "2T", 2LL << 40 }, { "4096", 4096 }, { "4096b", 4096 }, { "4096 B", 4096 }, { "4.1K", 4198 },  { "inf", INT64_MAX } };
    for (const auto &[text, bytes] : good) EXPECT_EQ(with("pool.cap", text).bytes("pool.cap"), bytes) << text;
    for (const char *text : { "", "K", "64X", "-64K", "4095", "64KKB", "64iB", "none", "infK", "1e9" })
        expect_failure(HALO_ERR_CONFIG, { "'pool.cap'", text, "4096 to inf" }, [&] { with("pool.cap", text); });
}

TEST(Settings, IntegersWordsAndBooleans) {
    EXPECT_EQ(with("host.threads", "1024").integer("host.threads"), 1024);
    for (const char *text : { "0", "1025", "-1", "2.5", "two", "", "3 ", "99999999999999999999" })
        expect_failure(HALO_ERR_CONFIG, { "'host.threads'", text, "1 to 1024" }, [&] { with("host.threads", text); });
    EXPECT_EQ(with("messages", "per_channel").word("messages"), "per_channel");
    EXPECT_EQ(with("messages", "neighbourhood").word("messages"), "neighbourhood");
    expect_failure(HALO_ERR_CONFIG, { "'mpi.requests'", "one of plain, persistent" }, [] { with("mpi.requests", "partitioned"); });
    for (const char *text : { "", "aggregat", "aggregate|per_channel", "|", "PER_CHANNEL" })
        expect_failure(HALO_ERR_CONFIG, { "'messages'", "one of aggregate, per_channel" }, [&] { with("messages", text); });
    for (const char *text : { "1", "yes", "TRUE", "on", "y" }) EXPECT_TRUE(with("check", text).boolean("check")) << text;
    for (const char *text : { "0", "no", "False", "OFF", "n" }) EXPECT_FALSE(with("check", text).boolean("check")) << text;
    EXPECT_TRUE(with("check", "full").boolean("check") && with("check", "Full").boolean("check"));
    expect_failure(HALO_ERR_CONFIG, { "'strict'", "'full'", "yes or no" }, [] { with("strict", "full"); });
    expect_failure(HALO_ERR_CONFIG, { "'check'", "'maybe'", "yes, no or full" }, [] { with("check", "maybe"); });
}

TEST(Settings, LongValuesAreCutInTexts) {
    const std::string text(100000, 'x');
    try {
        with("timeout", text.c_str());
        FAIL();
    } catch (const Error &error) {
        EXPECT_LT(error.text().size(), 400u);
    }
}

TEST(Settings, WrongAskingIsADefect) {
    const Config config;
    expect_failure(HALO_ERR_INTERNAL, { "'timeout'", "integer" }, [&] { config.integer("timeout"); });
    expect_failure(HALO_ERR_INTERNAL, { "'nothing'" }, [&] { config.boolean("nothing"); });
}

TEST(Settings, NearestKey) {
    EXPECT_STREQ(nearest_key("timeot"), "timeout");
    EXPECT_STREQ(nearest_key("tmieout"), "timeout");
    EXPECT_STREQ(nearest_key("pool_cap"), "pool.cap");
    EXPECT_STREQ(nearest_key("plugin_pth"), "plugin_path");
    EXPECT_EQ(nearest_key("completely_different"), nullptr);
    EXPECT_EQ(nearest_key(""), nullptr);
    EXPECT_EQ(nearest_key(std::string(1000000, 'a')), nullptr);
}

TEST(Settings, ManualIsUpToDate) {
    std::ifstream file(HALO_MANUAL_FILE);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), render_manual()) << "run: halo_info --manual > docs/configuration.md";
}

TEST(Settings, RenderingShowsValueAndSource) {
    const std::string text = render_settings(with("timeout", "30s"));
    EXPECT_NE(text.find("timeout = 30s # from call\n"), std::string::npos) << text;
    EXPECT_NE(text.find("warn_after = 10s # from default\n"), std::string::npos);
    EXPECT_NE(text.find("HALO_WARN_AFTER"), std::string::npos);
    EXPECT_NE(render_settings(with("timeot", "30s")).find("warning: call: no setting 'timeot'"), std::string::npos);
}

} // namespace
} // namespace halo
