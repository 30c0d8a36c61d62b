// SPDX-License-Identifier: BSD-3-Clause
// The operations table and the module's entry.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "halo_plugin.h"
#include "job.h"

struct halo_ranks {
    const halo_host *host;
};

namespace {

using halo::pmix::Job;
using halo::pmix::Trouble;

constexpr int32_t score_usable = 100;

// What the core is told of it.
template <class Do>
halo_status told(const halo_host *host, Do &&what) {
    try {
        const Trouble trouble = what();
        if (trouble) host->report(host->core, trouble.text.c_str());
        return trouble.status;
    } catch (const std::bad_alloc &) {
        host->report(host->core, "no memory for an exchange by PMIx");
        return HALO_ERR_MEMORY;
    }
}

halo_status open(const halo_host *host, halo_ranks **ranks) {
    return told(host, [&] {
        auto opened = std::make_unique<halo_ranks>(halo_ranks{ host });
        Trouble trouble = Job::instance().enter();
        if (!trouble) *ranks = opened.release();
        return trouble;
    });
}

void close(halo_ranks *ranks) {
    Job::instance().leave();
    delete ranks;
}

void identify(const halo_ranks *, int32_t *rank, int32_t *n_ranks) {
    *rank = Job::instance().rank();
    *n_ranks = Job::instance().size();
}

halo_status start(halo_ranks *ranks, const void *mine, size_t bytes) {
    return told(ranks->host, [&] { return Job::instance().start(mine, bytes); });
}

halo_status test(halo_ranks *ranks, void *all, int32_t *done) {
    bool complete = false;
    const halo_status status = told(ranks->host, [&] { return Job::instance().test(all, complete); });
    *done = complete ? 1 : 0;
    return status;
}

bool is_set(const char *variable) {
    const char *text = std::getenv(variable);
    return text != nullptr && *text != '\0';
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    const bool started = is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK");
    const char *const version = PMIx_Get_version(); // "OpenPMIx 4.2.2 (PMIx Standard: ...)"
    const char *const end = std::strstr(version, " (");
    if (started)
        std::snprintf(why, why_bytes, "%.*s has started this process in job %s", static_cast<int>(end ? end - version : std::strlen(version)),
                      version, std::getenv("PMIX_NAMESPACE"));
    else
        std::snprintf(why, why_bytes, "no launcher with PMIx has started this process (PMIX_NAMESPACE, PMIX_RANK)");
    return started ? score_usable : 0;
}

constexpr halo_bootstrap_ops ops = { sizeof(halo_bootstrap_ops), open, close, identify, start, test };

} // namespace

extern "C" HALO_API const halo_bootstrap_plugin halo_bootstrap_plugin_v1;
const halo_bootstrap_plugin halo_bootstrap_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_bootstrap_plugin), "pmix", "0.2.0", query, &ops
};
