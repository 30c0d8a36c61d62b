// SPDX-License-Identifier: BSD-3-Clause
#include "library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace halo::ucx {

namespace {

constexpr const char *file_name = "libucp.so.0";

// ---- which are loaded

// Loaded objects whose file is called `wanted` and a version, be it "libucp.so.0" or "libucp-1a2b.so.0".
struct Search {
    const char *wanted;
    std::vector<std::string> found;
};

int look_at(dl_phdr_info *info, size_t, void *user) {
    auto &search = *static_cast<Search *>(user);
    const char *slash = std::strrchr(info->dlpi_name, '/');
    const char *name = slash != nullptr ? slash + 1 : info->dlpi_name;
    const size_t length = std::strlen(search.wanted);
    if (std::strncmp(name, search.wanted, length) == 0 && (name[length] == '.' || name[length] == '-')) search.found.emplace_back(info->dlpi_name);
    return 0;
}

std::vector<std::string> loaded(const char *wanted) {
    Search search{ wanted, {} };
    dl_iterate_phdr(look_at, &search);
    return search.found;
}

// Two copies share files, handlers and hooks without knowing of each other.
std::string second_copy() {
    for (const char *part : { "libucp", "libucs" }) {
        const std::vector<std::string> copies = loaded(part);
        if (copies.size() > 1) return "the process has two copies of UCX, " + copies[0] + " and " + copies[1];
    }
    return {};
}

// ---- loading

// UCX takes over error signals when it is loaded. They are the program's, unless its user has asked UCX for them.
class Signals {
public:
    Signals() : wanted_(std::getenv("UCX_HANDLE_ERRORS") != nullptr || std::getenv("UCX_DEBUG_SIGNO") != nullptr) {
        sigaltstack(nullptr, &stack_);
        for (size_t i = 1; i < actions_.size(); ++i) sigaction(static_cast<int>(i), nullptr, &actions_[i]);
    }

    // `library`: what has been loaded since.
    void restore(void *library) const {
        if (wanted_) return;
        if (auto *disable = reinterpret_cast<void (*)()>(dlsym(library, "ucs_debug_disable_signals")))
            disable(); // it would not do so again when it ends
        for (size_t i = 1; i < actions_.size(); ++i) {
            struct sigaction now {};
            const int signal = static_cast<int>(i);
            if (sigaction(signal, nullptr, &now) == 0 && now.sa_sigaction != actions_[i].sa_sigaction) sigaction(signal, &actions_[i], nullptr);
        }
        stack_t now{};
        if (sigaltstack(nullptr, &now) == 0 && now.ss_sp != stack_.ss_sp) sigaltstack(&stack_, nullptr);
    }

private:
    bool wanted_;
    stack_t stack_{};
    std::array<struct sigaction, 65> actions_{};
};

void *load() {
    const Signals before;
    void *library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library != nullptr) before.restore(library);
    return library;
}

template <class Function>
bool take(void *library, Function &function, const char *name, std::string &missing) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
    return function != nullptr;
}

// The name of the first function that is missing; "": none is.
std::string take_all(void *library) {
    std::string missing;
    take(library, ucp.config_read, "ucp_config_read", missing);
    take(library, ucp.config_release, "ucp_config_release", missing);
    take(library, ucp.init_version, "ucp_init_version", missing);
    take(library, ucp.cleanup, "ucp_cleanup", missing);
    take(library, ucp.context_query, "ucp_context_query", missing);
    take(library, ucp.get_version, "ucp_get_version", missing);
    take(library, ucp.get_version_string, "ucp_get_version_string", missing);
    take(library, ucp.worker_create, "ucp_worker_create", missing);
    take(library, ucp.worker_destroy, "ucp_worker_destroy", missing);
    take(library, ucp.worker_get_address, "ucp_worker_get_address", missing);
    take(library, ucp.worker_release_address, "ucp_worker_release_address", missing);
    take(library, ucp.worker_progress, "ucp_worker_progress", missing);
    take(library, ucp.worker_flush_nbx, "ucp_worker_flush_nbx", missing);
    take(library, ucp.ep_create, "ucp_ep_create", missing);
    take(library, ucp.tag_send_nbx, "ucp_tag_send_nbx", missing);
    take(library, ucp.tag_recv_nbx, "ucp_tag_recv_nbx", missing);
    take(library, ucp.tag_msg_recv_nbx, "ucp_tag_msg_recv_nbx", missing);
    take(library, ucp.tag_probe_nb, "ucp_tag_probe_nb", missing);
    take(library, ucp.tag_recv_request_test, "ucp_tag_recv_request_test", missing);
    take(library, ucp.request_check_status, "ucp_request_check_status", missing);
    take(library, ucp.request_cancel, "ucp_request_cancel", missing);
    take(library, ucp.request_free, "ucp_request_free", missing);
    take(library, ucp.status_string, "ucs_status_string", missing);
    return missing;
}

struct Found {
    bool usable = false;
    std::string text;
};

Found find() {
    const std::vector<std::string> there = loaded("libucp");
    void *library = there.empty() ? load() : dlopen(there.front().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD);
    if (library == nullptr) {
        const char *reason = dlerror();
        return { false, std::string("no UCX: ") + (reason != nullptr ? reason : there.front().c_str()) };
    }
    const std::vector<std::string> now = loaded("libucp");
    const std::string path = now.empty() ? file_name : now.front();
    if (const std::string missing = take_all(library); !missing.empty()) return { false, path + " has no " + missing };
    unsigned major = 0, minor = 0, release = 0;
    ucp.get_version(&major, &minor, &release);
    const std::string text = std::string("UCX ") + ucp.get_version_string() + " (" + path + (there.empty() ? ")" : ", which was there)");
    if (major == UCP_API_MAJOR && minor >= UCP_API_MINOR) return { true, text };
    return { false, text + " is older than the headers that the module was built with, " + std::to_string(UCP_API_MAJOR) + "." +
                        std::to_string(UCP_API_MINOR) + ", or of another major version" };
}

} // namespace

bool usable(std::string &text) {
    static std::mutex one_at_a_time; // contexts may be made in several threads
    const std::lock_guard lock(one_at_a_time);
    text = second_copy();
    if (!text.empty()) return false;
    static const Found found = find();
    text = second_copy(); // there may be a libucs without libucp
    if (!text.empty()) return false;
    text = found.text;
    return found.usable;
}

} // namespace halo::ucx
