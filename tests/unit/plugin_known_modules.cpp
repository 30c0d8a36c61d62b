// SPDX-License-Identifier: BSD-3-Clause
// What is said of modules that are not there, against the packages that are made and wanted.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "expect_failure.h"
#include "plugin/known_modules.h"
#include "plugin/selection.h"

namespace halo {
namespace {

std::string read(const std::string &file) {
    std::ifstream stream(std::string(HALO_SOURCE) + "/" + file);
    return { std::istreambuf_iterator<char>(stream), {} };
}

TEST(KnownModules, AreThoseThatHavePackages) {
    const std::string text = read("cmake/HaloDebian.cmake");
    const std::regex line(R"re(halo_debian_module\(halo_(transport|device|bootstrap)_(\w+) (\S+) )re");
    std::map<std::string, std::string> packages;
    for (std::sregex_iterator found(text.begin(), text.end(), line), end; found != end; ++found)
        packages[format("%s %s", (*found)[1].str().c_str(), (*found)[2].str().c_str())] = (*found)[3].str();
    std::map<std::string, std::string> known;
    for (const KnownModule &one : known_modules())
        if (one.package) known[format("%s %s", plugin_kind_name(one.kind), one.name)] = one.package;
    EXPECT_EQ(known, packages);
    EXPECT_FALSE(known.empty());
}

// Packages of Debian are those that the project uses, or that its own want.
TEST(KnownModules, PackagesOfDebianAreInItsLists) {
    const std::string lists = read("packages.txt") + read("cmake/HaloDebian.cmake");
    const std::regex named(R"re(Debian: ([a-z0-9., -]+))re"), word(R"re([a-z][a-z0-9.-]+)re");
    int n = 0;
    for (const KnownModule &one : known_modules())
        for (const std::string text : { one.to_build, one.to_run ? one.to_run : "" })
            for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found) {
                const std::string names = (*found)[1].str();
                for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name, ++n)
                    EXPECT_NE(lists.find(name->str()), std::string::npos) << name->str();
            }
    EXPECT_GE(n, 8);
}

TEST(KnownModules, WhoAsksForOneThatIsNotThereHearsHowToGetIt) {
    const auto config_of = [](const char *key, const char *value) {
        const Assignment assignments[] = { { key, value, "call", key }, { "plugin_path", "/nowhere", "call", "plugin_path" } };
        return Config(assignments);
    };
    halo_host host{};
    host.log = [](void *, int32_t, const char *) {};
    expect_failure(HALO_ERR_PLUGIN, { "device 'hip' cannot be used", "there is no libhalo_device_hip.so", "the package libhalo-hip", "hipcc" },
                   [&] { choose_device(config_of("device", "hip"), host); });
    expect_failure(HALO_ERR_PLUGIN, { "transport 'ucx' cannot be used", "the package libhalo-ucx", "libucx-dev" },
                   [&] { choose_transport(config_of("transport", "ucx"), host, {}); });
    EXPECT_EQ(advice(PluginKind::device, "somebodys", false), "");
    EXPECT_EQ(advice(PluginKind::transport, "mpi_abi", false).find("it is built where there is an MPI with the standard ABI"), 0u);
    EXPECT_NE(advice(PluginKind::device, "opencl", true).find("pocl-opencl-icd"), std::string::npos);
    EXPECT_EQ(advice(PluginKind::transport, "shm", true), "");
}

} // namespace
} // namespace halo
