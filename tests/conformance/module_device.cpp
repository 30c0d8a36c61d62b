// SPDX-License-Identifier: BSD-3-Clause
#include "module_device.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>

namespace conformance {

namespace {

thread_local halo_device *here = nullptr;

} // namespace

ModuleDevice::ModuleDevice(const char *name, const char *file, Settings more) : settings_(std::move(more)) {
    const std::string path = file;
    settings_.emplace_back("device", name);
    settings_.emplace_back("plugin_path", path.substr(0, path.rfind('/')));
    void *const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    plugin_ = opened ? static_cast<const halo_device_plugin *>(dlsym(opened, "halo_device_plugin_v1")) : nullptr;
    if (!plugin_) {
        std::printf("%s\n", dlerror());
        std::exit(EXIT_FAILURE);
    }
    char why[256] = "";
    if (plugin_->query(nullptr, why, sizeof why) == 0) {
        constexpr int skipped = 77;
        std::printf("device %s cannot be used: %s\n", name, why);
        std::exit(skipped);
    }
    what_ = why;
    services_.struct_size = sizeof services_;
    services_.core = this;
    services_.report = [](void *, const char *text) { std::printf("%s\n", text); };
    services_.setting = [](void *self, const char *key) -> const char * {
        for (const auto &[known, value] : static_cast<ModuleDevice *>(self)->settings_)
            if (known == key) return value.c_str();
        return nullptr;
    };
}

halo_device *ModuleDevice::enter(void *) {
    if (!here) succeed(plugin_->ops->open(&services_, 0, &here), "open", __FILE__, __LINE__);
    return here;
}

void ModuleDevice::leave() {
    if (here) plugin_->ops->close(here);
    here = nullptr;
}

bool ModuleDevice::print_counts() const {
    std::printf("on device %s: %s; %lld copies\n", plugin_->name, what_.c_str(), static_cast<long long>(n_copies_));
    return n_copies_ > 0;
}

} // namespace conformance
