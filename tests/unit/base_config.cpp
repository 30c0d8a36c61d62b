// SPDX-License-Identifier: BSD-3-Clause
// Sources of settings and their order.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "expect_failure.h"

namespace halo {
namespace {

// A process environment without any HALO_ variable, with an empty home; put back afterwards.
class ConfigSources : public testing::Test {
protected:
    void SetUp() override {
        for (char **variable = environ; *variable; ++variable) saved_.push_back(*variable);
        for (const std::string &variable : saved_)
            if (variable.starts_with("HALO_")) unsetenv(variable.substr(0, variable.find('=')).c_str());
        char pattern[] = "/tmp/halo_config_XXXXXX";
        directory_ = mkdtemp(pattern);
        setenv("HOME", directory_.c_str(), 1);
        unsetenv("XDG_CONFIG_HOME");
    }
    void TearDown() override {
        clearenv();
        for (std::string &variable : saved_) {
            const size_t equals = variable.find('=');
            setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
        }
        std::filesystem::remove_all(directory_);
    }
    std::string write(const std::string &name, const std::string &text) {
        std::string path = directory_ + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << text;
        return path;
    }
    static Config load(std::vector<halo_setting> call = {}) { return Config(std::span<const halo_setting>(call)); }

    std::string directory_;

private:
    std::vector<std::string> saved_;
};

TEST_F(ConfigSources, EachSourceBeatsTheNext) {
    const std::string user = write(".config/halo/halo.conf", "timeout = 1s\n");
    EXPECT_EQ(load().duration("timeout"), 1);
    EXPECT_EQ(*load().source("timeout"), user + ":1");
    const std::string job = write("job.conf", "# of this job\n\n timeout = 2s # two\n");
    setenv("HALO_CONFIG_FILE", job.c_str(), 1);
    EXPECT_EQ(load().duration("timeout"), 2);
    EXPECT_EQ(*load().source("timeout"), job + ":3");
    setenv("HALO_TIMEOUT", "3s", 1);
    EXPECT_EQ(load().duration("timeout"), 3);
    EXPECT_EQ(*load().source("timeout"), "environment");
    const Config config = load({ { "timeout", "4s" } });
    EXPECT_EQ(config.duration("timeout"), 4);
    EXPECT_EQ(*config.source("timeout"), "call");
    EXPECT_EQ(*config.value("timeout"), "4s");
    EXPECT_TRUE(config.warnings().empty());
}

TEST_F(ConfigSources, ModulesAreToldBooleansInOneFormOfWriting) {
    EXPECT_STREQ(load({ { "progress_thread", "On" } }).told("progress_thread"), "yes");
    EXPECT_STREQ(load({ { "progress_thread", "0" } }).told("progress_thread"), "no");
    EXPECT_STREQ(load({ { "check", "FULL" } }).told("check"), "full");
    EXPECT_STREQ(load({ { "timeout", "4s" } }).told("timeout"), "4s");
    EXPECT_EQ(load({}).told("timeot"), nullptr);
}

TEST_F(ConfigSources, WhatTheLauncherTellsProgramsIsNoSetting) {
    setenv("HALO_LAUNCH_LOCAL_RANK", "1", 1);
    setenv("HALO_RENDEZVOUS_RANK", "3", 1);
    const Config config = load({ { "strict", "yes" } });
    EXPECT_TRUE(config.warnings().empty());
    EXPECT_EQ(config.integer("rendezvous.rank"), 3);
}

TEST_F(ConfigSources, UserDirectory) {
    write("other/halo/halo.conf", "check = yes");
    write(".config/halo/halo.conf", "check = no");
    setenv("XDG_CONFIG_HOME", (directory_ + "/other").c_str(), 1);
    EXPECT_TRUE(load().boolean("check"));
    setenv("XDG_CONFIG_HOME", "other", 1); // not absolute: does not count
    EXPECT_FALSE(load().boolean("check"));
    EXPECT_EQ(*load().source("check"), directory_ + "/.config/halo/halo.conf:1");
}

TEST_F(ConfigSources, WorkingDirectoryIsNotRead) {
    write("halo.conf", "check = yes");
    write("halo/halo.conf", "check = yes");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
    EXPECT_FALSE(load().boolean("check"));
    setenv("HALO_CONFIG_FILE", "halo.conf", 1);
    expect_failure(HALO_ERR_CONFIG, { "HALO_CONFIG_FILE", "'halo.conf'", "absolute" }, [] { load(); });
    std::filesystem::current_path(before);
}

TEST_F(ConfigSources, JobFileMustBeReadable) {
    const std::string missing = directory_ + "/missing.conf";
    setenv("HALO_CONFIG_FILE", missing.c_str(), 1);
    expect_failure(HALO_ERR_CONFIG, { missing.c_str() }, [] { load(); });
    setenv("HALO_CONFIG_FILE", directory_.c_str(), 1);
    expect_failure(HALO_ERR_CONFIG, { directory_.c_str(), "regular file" }, [] { load(); });
    const std::string large = write("large.conf", std::string(2 << 20, '#'));
    setenv("HALO_CONFIG_FILE", large.c_str(), 1);
    expect_failure(HALO_ERR_CONFIG, { "regular file of at most 1048576 bytes" }, [] { load(); });
}

TEST_F(ConfigSources, EmptyVariablesAreUnset) {
    setenv("HALO_TIMEOUT", "", 1);
    setenv("HALO_CONFIG_FILE", "", 1);
    EXPECT_EQ(*load().source("timeout"), "default");
}

TEST_F(ConfigSources, BadValuesNameTheirSource) {
    const std::string job = write("job.conf", "\nhost.threads = many\n");
    setenv("HALO_CONFIG_FILE", job.c_str(), 1);
    expect_failure(HALO_ERR_CONFIG, { "'host.threads'", (job + ":2").c_str(), "'many'", "1 to 1024" }, [] { load(); });
    unsetenv("HALO_CONFIG_FILE");
    setenv("HALO_RECEIVE", "later", 1);
    expect_failure(HALO_ERR_CONFIG, { "'receive'", "from environment", "'later'", "one of posted, probed" }, [] { load(); });
}

TEST_F(ConfigSources, UnknownKeysWarnWithASuggestion) {
    const std::string job = write("job.conf", "timeot = 3s\n");
    setenv("HALO_CONFIG_FILE", job.c_str(), 1);
    setenv("HALO_POOL_CPA", "1G", 1);
    const Config config = load({ { "totally.unlike", "1" } });
    ASSERT_EQ(config.warnings().size(), 3u);
    EXPECT_EQ(config.warnings()[0], job + ":1: no setting 'timeot'; did you mean 'timeout'?");
    EXPECT_EQ(config.warnings()[1], "environment: no setting 'HALO_POOL_CPA'; did you mean 'HALO_POOL_CAP'?");
    EXPECT_EQ(config.warnings()[2], "call: no setting 'totally.unlike'");
}

TEST_F(ConfigSources, StrictMakesUnknownKeysErrors) {
    setenv("HALO_TIMEOT", "3s", 1);
    EXPECT_EQ(load().warnings().size(), 1u);
    setenv("HALO_STRICT", "1", 1);
    expect_failure(HALO_ERR_CONFIG, { "HALO_TIMEOT", "did you mean 'HALO_TIMEOUT'", "strict = 1, from environment" }, [] { load(); });
    EXPECT_EQ(load({ { "strict", "no" } }).warnings().size(), 1u);
}

TEST_F(ConfigSources, NullInCallIsAnError) {
    expect_failure(HALO_ERR_ARGUMENT, { "setting 1 of 2", "the value is NULL" }, [] { load({ { "check", "1" }, { "strict", nullptr } }); });
    expect_failure(HALO_ERR_ARGUMENT, { "setting 0 of 1", "the key is NULL" }, [] { load({ { nullptr, "1" } }); });
}

TEST_F(ConfigSources, RaisedRightsHideThePluginPath) {
    const char *environment[] = { "HALO_PLUGIN_PATH=/evil", "HALO_CHECK=1",  "PATH=/bin", "HALO_", "HALO",
                                  "HALO_CONFIG_FILE=/x",    "HALO_TIMEOUT=", nullptr };
    const auto open = environment_assignments(environment, false);
    ASSERT_EQ(open.size(), 2u);
    EXPECT_EQ(open[0].key, "plugin_path");
    EXPECT_EQ(open[0].value, "/evil");
    const auto secure = environment_assignments(environment, true);
    ASSERT_EQ(secure.size(), 1u);
    EXPECT_EQ(secure[0].key, "check");
}

TEST(ConfigText, Syntax) {
    const auto lines = parse_config_text("a=1\r\n\n  # x\n\tb.c =  two words  # comment\nd = e#f\ng =\nh = i = j", "/f");
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0].key + "|" + lines[0].value + "|" + lines[0].source, "a|1|/f:1");
    EXPECT_EQ(lines[1].key + "|" + lines[1].value + "|" + lines[1].source, "b.c|two words|/f:4");
    EXPECT_EQ(lines[2].value, "e#f");
    EXPECT_EQ(lines[3].value, "");
    EXPECT_EQ(lines[4].value, "i = j");
    expect_failure(HALO_ERR_CONFIG, { "/f:2", "key = value" }, [] { parse_config_text("a = 1\njust words\n", "/f"); });
    expect_failure(HALO_ERR_CONFIG, { "/f:1", "key = value" }, [] { parse_config_text(" = 3", "/f"); });
    expect_failure(HALO_ERR_CONFIG, { "/f:1", "zero byte" }, [] { parse_config_text(std::string_view("a = b\0c", 7), "/f"); });
}

TEST(ConfigText, LaterLinesWin) {
    const auto lines = parse_config_text("timeout = 1s\ntimeout = 2s", "/f");
    const Config config(lines);
    EXPECT_EQ(config.duration("timeout"), 2);
    EXPECT_EQ(*config.source("timeout"), "/f:2");
}

TEST(ConfigAtRunTime, Set) {
    Config config;
    config.set("timeout", "7s");
    EXPECT_EQ(config.duration("timeout"), 7);
    EXPECT_EQ(*config.source("timeout"), "call");
    expect_failure(HALO_ERR_CONFIG, { "'timeout'", "from call", "'soon'" }, [&] { config.set("timeout", "soon"); });
    EXPECT_EQ(config.duration("timeout"), 7);
    expect_failure(HALO_ERR_STATE, { "'messages'", "fixed", "'aggregate'" }, [&] { config.set("messages", "per_channel"); });
    EXPECT_EQ(config.word("messages"), "aggregate");
    expect_failure(HALO_ERR_NOT_FOUND, { "'timeot'", "did you mean 'timeout'" }, [&] { config.set("timeot", "1s"); });
}

TEST(ConfigAtRunTime, AgreementHasOneFormOfWriting) {
    const auto agreement = [](const char *text) {
        const Assignment assignment{ "check", text, "call", "check" };
        return Config(std::span(&assignment, 1)).agreement();
    };
    EXPECT_EQ(agreement("1"), agreement("true"));
    EXPECT_NE(agreement("1"), agreement("0"));
    EXPECT_NE(agreement("1"), agreement("full"));
    bool messages = false;
    for (const auto &[key, value] : agreement("1")) {
        EXPECT_TRUE(find_setting(key)->agrees);
        messages |= key == "messages" && value == "aggregate";
    }
    EXPECT_TRUE(messages);
}

} // namespace
} // namespace halo
