// SPDX-License-Identifier: BSD-3-Clause
// The loader: what it takes, what it refuses and why.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "expect_failure.h"
#include "late.h"
#include "plugin/registry.h"

extern "C" const halo_device_plugin halo_device_host;

namespace halo {
const char installed_module_directory[] = "/installed/halo"; // as libhalo.a has it

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
    expect_refused("old_abi", { "ABI 7.", "this library has 1.12" });
    expect_refused("small", { "description has 16 bytes" });
    expect_refused("few_ops", { "operations have 24 bytes" });
    expect_refused("hole", { "operation 9 of 11 is NULL" });
    expect_refused("unresolved", { "halo_test_defined_nowhere" });
    expect_refused("empty", { "does not define the symbol halo_transport_plugin_v1" });
    expect_refused("borrower", { "does not define the symbol halo_transport_plugin_v1" });
    expect_refused("missing", { "libhalo_transport_missing.so", HALO_TEST_MODULES });
    EXPECT_TRUE(find("good").opened()); // the registry still works
}

// The host device, as a module might offer it.
struct OtherDevice {
    halo_device_ops ops = *halo_device_host.ops;
    halo_device_plugin plugin = halo_device_host;

    OtherDevice() { plugin.ops = &ops; }
    std::string problem() const { return problem_of(plugin, "host"); }
};

TEST(Registry, TakesDevicesWithOlderTables) {
    OtherDevice older;
    older.ops.struct_size = offsetof(halo_device_ops, ranges_run);
    EXPECT_EQ(older.problem(), "");
    older.ops.table_run_tested = nullptr;
    EXPECT_EQ(older.problem(), "");
    older.ops.table_test = nullptr;
    EXPECT_EQ(older.problem(), "operation 16 of 17 is NULL");
    older.ops.struct_size -= sizeof(void *);
    EXPECT_NE(older.problem().find("operations have 136 bytes, at least 144"), std::string::npos) << older.problem();
}

TEST(Registry, MemoryOfDevicesNeedsRanges) {
    OtherDevice device;
    device.plugin.memory_kinds |= 1u << HALO_MEMORY_DEVICE;
    const auto expect = [&](const char *text) { EXPECT_NE(device.problem().find(text), std::string::npos) << device.problem(); };
    expect("ranges_run and ranges_test");
    device.ops.ranges_run = [](halo_device *, const halo_copy_range *, int64_t, halo_stream) { return HALO_ERR_DEVICE; };
    expect("needs ranges_test");
    device.ops.ranges_test = device.ops.ranges_run;
    EXPECT_EQ(device.problem(), "");
    device.ops.struct_size = offsetof(halo_device_ops, ranges_test); // what is behind it does not count
    expect("needs ranges_test");
    device.ops.ranges_run = nullptr;
    device.ops.struct_size = sizeof device.ops;
    expect("needs ranges_run");
}

// A module that the program has already is not loaded again.
TEST(Registry, SharesWithTheProgram) {
    const Plugin late = Registry::instance().find(PluginKind::device, "late", { LATE_DIRECTORY });
    ASSERT_TRUE(late.device) << late.problem;
    EXPECT_EQ(late.device->ops, halo_device_late.ops);
    EXPECT_NE(late.path, "");
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
    ASSERT_EQ(plain.size(), 2u);
    EXPECT_TRUE(plain[0].starts_with("/") && plain[0].ends_with("/halo")) << plain[0];
    EXPECT_EQ(plain[1], "/installed/halo");
    EXPECT_EQ(with_path("/a:/b/c:"), (std::vector<std::string>{ "/a", "/b/c", plain[0], plain[1] }));
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
