// SPDX-License-Identifier: BSD-3-Clause
// The loader: what it takes, what it refuses and why.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "expect_failure.h"
#include "plugin/registry.h"

namespace halo {
namespace {

const std::vector<std::string> modules = { HALO_TEST_MODULES };

Plugin find(const std::string &name) { return Registry::instance().find(PluginKind::transport, name, modules); }

void expect_refused(const std::string &name, std::initializer_list<const char *> parts) {
    const Plugin plugin = find(name);
    EXPECT_FALSE(plugin.opened()) << name;
    for (const char *part : parts) EXPECT_NE(plugin.problem.find(part), std::string::npos) << name << ": no '" << part << "' in: " << plugin.problem;
}

TEST(Registry, BuiltIn) {
    const Plugin inproc = find("inproc");
    ASSERT_TRUE(inproc.transport);
    EXPECT_EQ(inproc.path, "");
    EXPECT_STREQ(inproc.transport->name, "inproc");
    EXPECT_EQ(problem_of(*inproc.transport, "inproc"), "");
    const Plugin host = Registry::instance().find(PluginKind::device, "host", {});
    ASSERT_TRUE(host.device);
    EXPECT_EQ(problem_of(*host.device, "host"), "");
}

TEST(Registry, OpensAGoodModuleOnce) {
    const Plugin good = find("good");
    ASSERT_TRUE(good.opened()) << good.problem;
    EXPECT_EQ(good.path, std::filesystem::canonical(HALO_TEST_MODULES "/libhalo_transport_good.so").string());
    EXPECT_STREQ(good.version(), "1.2.3");
    EXPECT_EQ(find("good").transport, good.transport);
}

TEST(Registry, FirstDirectoryWins) {
    const std::vector<std::string> directories = { "/nowhere", HALO_TEST_MODULES, "/tmp" };
    EXPECT_TRUE(Registry::instance().find(PluginKind::transport, "good", directories).opened());
}

TEST(Registry, RefusesBadModules) {
    expect_refused("misnamed", { "calls itself 'another'", "'misnamed'" });
    expect_refused("old_abi", { "ABI 7.3", "this library has 1.3" });
    expect_refused("small", { "description has 16 bytes" });
    expect_refused("few_ops", { "operations have 24 bytes" });
    expect_refused("hole", { "operation 9 of 11 is NULL" });
    expect_refused("unresolved", { "halo_test_defined_nowhere" });
    expect_refused("empty", { "does not define the symbol halo_transport_plugin_v1" });
    expect_refused("borrower", { "does not define the symbol halo_transport_plugin_v1" });
    expect_refused("missing", { "libhalo_transport_missing.so", HALO_TEST_MODULES });
    EXPECT_TRUE(find("good").opened()); // the registry still works
}

TEST(Registry, RefusesADamagedFile) {
    char pattern[] = "/tmp/halo_modules_XXXXXX";
    const std::string directory = mkdtemp(pattern);
    std::ofstream(directory + "/libhalo_device_torn.so") << "this is no shared object";
    const Plugin torn = Registry::instance().find(PluginKind::device, "torn", { directory });
    EXPECT_FALSE(torn.opened());
    EXPECT_NE(torn.problem.find("torn"), std::string::npos) << torn.problem;
    std::filesystem::remove_all(directory);
}

TEST(Registry, RefusesWhatIsNoFile) {
    char pattern[] = "/tmp/halo_modules_XXXXXX";
    const std::string directory = mkdtemp(pattern);
    ASSERT_EQ(mkfifo((directory + "/libhalo_device_pipe.so").c_str(), 0600), 0);
    std::filesystem::create_directory(directory + "/libhalo_device_folder.so");
    for (const char *name : { "pipe", "folder" }) {
        const Plugin refused = Registry::instance().find(PluginKind::device, name, { directory });
        EXPECT_FALSE(refused.opened());
        EXPECT_NE(refused.problem.find("no file"), std::string::npos) << refused.problem;
    }
    std::filesystem::remove_all(directory);
}

TEST(Registry, NamesAreNotPaths) {
    for (const char *name : { "", "../modules/x", "a/b", "good.so", "Good", "a b" }) expect_refused(name, { "a-z, 0-9 and _" });
}

TEST(Registry, ManyThreads) {
    std::vector<std::thread> threads;
    std::vector<const halo_transport_plugin *> found(8);
    for (size_t i = 0; i < found.size(); ++i) threads.emplace_back([&, i] { found[i] = find(i % 2 ? "good" : "better").transport; });
    for (std::thread &thread : threads) thread.join();
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], found[i % 2]);
    EXPECT_TRUE(found[0] && found[1]);
}

TEST(Modules, Directories) {
    const auto with_path = [](const char *path) {
        const Assignment assignment{ "plugin_path", path, "environment", "HALO_PLUGIN_PATH" };
        return module_directories(Config(std::span(&assignment, 1)));
    };
    const auto plain = module_directories(Config());
    ASSERT_EQ(plain.size(), 1u);
    EXPECT_TRUE(plain[0].starts_with("/") && plain[0].ends_with("/halo")) << plain[0];
    EXPECT_EQ(with_path("/a:/b/c:"), (std::vector<std::string>{ "/a", "/b/c", plain[0] }));
    expect_failure(HALO_ERR_CONFIG, { "plugin_path", "environment", "'b'", "absolute" }, [&] { with_path("/a:b"); });
    expect_failure(HALO_ERR_CONFIG, { "'.'" }, [&] { with_path("."); });
}

TEST(Modules, Names) {
    const auto names = module_names(PluginKind::transport, { HALO_TEST_MODULES, "/nowhere", HALO_TEST_MODULES });
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::count(names.begin(), names.end(), "good"), 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "old_abi"), 1);
    EXPECT_TRUE(module_names(PluginKind::device, { HALO_TEST_MODULES }).empty());
}

} // namespace
} // namespace halo
