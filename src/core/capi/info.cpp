// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_text.h"
#include "base/error.h"
#include "capi/handle.h"
#include "capi/list.h"
#include "halo_plugin.h"
#include "plugin/selection.h"

namespace halo {

namespace {

const char *compiler() {
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

std::string render_version() {
    return format("halo %d.%d.%d\nplugin ABI %d.%d, copy tables %d, wire format %d\nbuilt with %s\n", HALO_VERSION_MAJOR, HALO_VERSION_MINOR,
                  HALO_VERSION_PATCH, HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, HALO_COPY_LAYOUT, wire_version, compiler());
}

// What a context has opened.
std::string render_used_modules(Context &context) {
    const Devices &devices = context.devices();
    const std::string device = devices.has_memory() ? devices.own().text(devices.name()) : std::string("device ") + devices.name();
    return format("transport %s, %s: rank %d of %d\n%s%s\nshared memory: %s\n", context.fabric().describe().c_str(), context.transport_path().c_str(),
                  context.rank(), context.size(), context.fabric().describe_routes().c_str(), device.c_str(), context.shared_memory_text().c_str());
}

std::string render(Context *context, int32_t what) {
    switch (what) {
    case HALO_INFO_VERSION: return render_version();
    case HALO_INFO_MODULES: return context ? render_used_modules(*context) : render_modules(Config(std::span<const halo_setting>()));
    case HALO_INFO_SETTINGS: return render_settings(context ? context->config() : Config(std::span<const halo_setting>()));
    case HALO_INFO_MANUAL: return render_manual();
    default: fail(HALO_ERR_ARGUMENT, "info: %d is none of HALO_INFO_...", what);
    }
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_info(const halo_context *context, int32_t what, char *text, size_t capacity, size_t *needed_bytes) {
    if (!context) return guard([&] { write_text(render(nullptr, what), text, capacity, needed_bytes); });
    return with_handle(context, [&] { write_text(render(&object_of<ContextObject>(context).context, what), text, capacity, needed_bytes); });
}
