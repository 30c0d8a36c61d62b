// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <memory>

#include <dirent.h>
#include <dlfcn.h>

#include "base/error.h"
#include "plugin/registry.h"

namespace halo {

namespace {

// "halo" in the directory of the object that holds this code; empty when the system cannot tell.
std::string own_directory() {
    Dl_info info;
    std::error_code error;
    if (!dladdr(reinterpret_cast<const void *>(&own_directory), &info) || !info.dli_fname) return {};
    const auto path = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::string() : (path.parent_path() / "halo").string();
}

// std::filesystem ends the program where memory fails while it reads a directory.
struct CloseDirectory {
    void operator()(DIR *directory) const { closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

} // namespace

const char *plugin_kind_name(PluginKind kind) noexcept {
    return kind == PluginKind::transport ? "transport" : kind == PluginKind::device ? "device" : "bootstrap";
}

std::vector<std::string> module_directories(const Config &config) {
    std::vector<std::string> directories;
    std::string_view rest = config.text("plugin_path");
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        const std::string directory(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (!directory.empty() && directory[0] != '/')
            fail(HALO_ERR_CONFIG, "setting 'plugin_path' from %s: directory '%s' is not absolute", config.source("plugin_path")->c_str(),
                 directory.c_str());
        if (!directory.empty()) directories.push_back(directory);
    }
    if (std::string own = own_directory(); !own.empty()) directories.push_back(std::move(own));
    if (installed_module_directory) directories.emplace_back(installed_module_directory);
    return directories;
}

std::string module_file(PluginKind kind, const std::string &name) { return std::string("libhalo_") + plugin_kind_name(kind) + "_" + name + ".so"; }

std::vector<std::string> module_names(PluginKind kind, const std::vector<std::string> &directories) {
    const std::string begin = std::string("libhalo_") + plugin_kind_name(kind) + "_";
    const std::string end = ".so";
    std::vector<std::string> names;
    for (const std::string &directory : directories) {
        const OpenDirectory open(opendir(directory.c_str()));
        while (const dirent *entry = open ? readdir(open.get()) : nullptr) {
            const std::string_view file = entry->d_name;
            if (file.size() > begin.size() + end.size() && file.starts_with(begin) && file.ends_with(end))
                names.emplace_back(file.substr(begin.size(), file.size() - begin.size() - end.size()));
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

} // namespace halo
