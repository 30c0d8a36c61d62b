// SPDX-License-Identifier: BSD-3-Clause
#include "device_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace bench {

namespace {

// Modules lie in halo/ beside the library.
const halo_device_plugin &load_plugin(const std::string &name) {
    Dl_info library;
    if (!dladdr(reinterpret_cast<const void *>(&halo_version), &library)) throw std::runtime_error("the library's file is not known");
    const std::filesystem::path path = std::filesystem::canonical(library.dli_fname).parent_path() / "halo" / ("libhalo_device_" + name + ".so");
    void *const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void *const symbol = module ? dlsym(module, "halo_device_plugin_v1") : nullptr;
    if (!symbol) throw std::runtime_error(dlerror());
    return *static_cast<const halo_device_plugin *>(symbol);
}

} // namespace

DeviceModule::DeviceModule(const std::string &name, std::string context) : context_(std::move(context)) {
    services_.struct_size = sizeof services_;
    services_.core = this;
    services_.report = [](void *self, const char *text) { static_cast<DeviceModule *>(self)->report_ = text; };
    services_.log = [](void *, int32_t, const char *) {};
    services_.setting = [](void *self, const char *key) -> const char * {
        return std::strcmp(key, "device.context") == 0 ? static_cast<DeviceModule *>(self)->context_.c_str() : nullptr;
    };
    const halo_device_plugin &plugin = load_plugin(name);
    std::memcpy(&ops_, plugin.ops, std::min(sizeof ops_, plugin.ops->struct_size));
    char why[512] = "";
    if (plugin.query(&services_, why, sizeof why) <= 0) throw std::runtime_error("device " + name + " cannot be used: " + why);
    what_ = why;
    check(ops_.open(&services_, 0, &device_));
    check(ops_.event_create(device_, &event_));
}

DeviceModule::~DeviceModule() {
    if (event_) ops_.event_destroy(device_, event_);
    if (device_) ops_.close(device_);
}

void DeviceModule::check(halo_status status) const {
    if (status == HALO_ERR_MEMORY) throw NoMemory(report_);
    if (status != HALO_SUCCESS) throw std::runtime_error(report_.empty() ? halo_status_name(status) : report_);
}

void DeviceModule::complete(halo_stream stream) const {
    check(ops_.event_record(device_, event_, stream));
    for (int32_t done = 0; !done;) check(ops_.event_query(device_, event_, &done));
}

DeviceMemory::DeviceMemory(const DeviceModule &module, size_t bytes) : module_(module), bytes_(bytes) {
    module.check(module.ops().allocate(module.get(), HALO_MEMORY_DEVICE, bytes, &pointer_));
}

DeviceMemory::~DeviceMemory() { module_.ops().release(module_.get(), HALO_MEMORY_DEVICE, pointer_, bytes_); }

void DeviceMemory::upload(const void *from, halo_stream stream) const {
    module_.check(module_.ops().copy(module_.get(), pointer_, from, bytes_, stream));
    module_.complete(stream);
}

void DeviceMemory::download(void *to, halo_stream stream) const {
    module_.check(module_.ops().copy(module_.get(), to, pointer_, bytes_, stream));
    module_.complete(stream);
}

DeviceTable::DeviceTable(const DeviceModule &module, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows,
                         const std::vector<uint32_t> &indices)
    : module_(module),
      n_rows_(std::ssize(rows)) {
    const halo_copy_program program{ sizeof program, shapes.data(), std::ssize(shapes), rows.data(), n_rows_, indices.data(), std::ssize(indices) };
    module.check(module.ops().table_create(module.get(), &program, &table_));
}

DeviceTable::~DeviceTable() { module_.ops().table_destroy(module_.get(), table_); }

halo_copy_range DeviceTable::range(const std::vector<void *> &bases) const {
    return { table_, 0, n_rows_, bases.data(), std::ssize(bases), nullptr, {}, HALO_ROWS_ALL, 0 };
}

void DeviceTable::run(const std::vector<void *> &bases, halo_stream stream) const {
    const halo_copy_range all = range(bases);
    module_.check(module_.ops().ranges_run(module_.get(), &all, 1, stream));
}

void DeviceTable::run_row_by_row(const std::vector<void *> &bases, halo_stream stream) const {
    for (int64_t row = 0; row < n_rows_; ++row) {
        const halo_copy_range one{ table_, row, 1, bases.data(), std::ssize(bases), nullptr, {}, HALO_ROWS_ALL, 0 };
        module_.check(module_.ops().ranges_run(module_.get(), &one, 1, stream));
    }
}

DeviceGraph::DeviceGraph(const DeviceModule &module) : module_(module) {
    const halo_device_ops &ops = module.ops();
    const halo_status status = ops.graphs_create ? ops.graphs_create(module.get(), &graphs_) : HALO_ERR_STATE;
    if (status == HALO_ERR_STATE)
        lacks_ = ops.graphs_create ? module.report() : "the module is of before plugin ABI 1.10";
    else
        module.check(status);
}

DeviceGraph::~DeviceGraph() {
    if (graphs_) module_.ops().graphs_destroy(module_.get(), graphs_);
}

int32_t DeviceGraph::run(const std::vector<halo_copy_range> &ranges, halo_stream stream) {
    steps_.clear();
    for (const halo_copy_range &range : ranges) steps_.push_back({ HALO_STEP_RUN, 0, 1, &range, nullptr });
    int32_t how = HALO_STEPS_LAUNCHED;
    module_.check(module_.ops().graphs_run(module_.get(), graphs_, steps_.data(), std::ssize(steps_), stream, &how));
    return how;
}

} // namespace bench
