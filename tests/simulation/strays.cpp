// SPDX-License-Identifier: BSD-3-Clause
// A collective call that has timed out on one object, and is then made on another: refused, and the context's collectives end on all ranks.
#include <cstring>

#include "halo_access.h"
#include "objects.h"
#include "relation.h"

namespace programs {

using conformance::stop;

namespace {

class Strays final : public Object {
public:
    Strays(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made) {}

    void create() override {}
    bool start(int64_t time) override {
        for (halo_topology *&topology : topologies_) make(topology);
        const std::vector<uint32_t> groups(keys().size(), 1);
        const auto tell = [&](halo_topology *topology) {
            return calls_.judge("sections", [&] { return halo_topology_set_sections(topology, groups.data(), std::ssize(groups)); });
        };
        if (made_.n_values > 0 && time % 2 == calls_.rank) simulation::sleep_for(static_cast<double>(made_.n_values));
        halo_status status = HALO_SUCCESS;
        while ((status = tell(topologies_[0])) != HALO_SUCCESS) {
            if (simulation::any_has_died()) throw Ended{};
            if (calls_.are_lost()) calls_.lose();
            if (status == HALO_TIMEOUT) stray([&] { return halo_topology_set_sections(topologies_[1], groups.data(), std::ssize(groups)); });
        }
        destroy();
        return true;
    }
    bool finish() override { return true; }
    void destroy() override {
        for (halo_topology *&topology : topologies_)
            if (topology) calls_.free("topology", [&] { return halo_topology_destroy(&topology); });
    }

private:
    const std::vector<uint64_t> &keys() const { return made_.keys[static_cast<size_t>(calls_.rank)]; }
    void make(halo_topology *&topology) {
        halo_keys_desc points = HALO_KEYS_DESC_INIT;
        points.keys = keys().data(), points.n_keys = std::ssize(keys()), points.numbering = HALO_NUMBERING_AS_GIVEN;
        calls_.talk("points", [&] { return halo_topology_create_keys(calls_.context, &points, &topology); });
    }
    // Unless another rank has ended the collectives before.
    void stray(const Call &on_another) {
        halo_status status = HALO_ERR_MEMORY;
        while (status == HALO_ERR_MEMORY) status = calls_.judge("sections of another", on_another);
        if (!calls_.are_lost()) stop("a call on another object than the one that timed out: %s: %s", halo_status_name(status), halo_last_error());
        if (std::strstr(halo_last_error(), "of another object")) ++calls_.features["calls on another object"];
        calls_.lose();
    }

    Calls &calls_;
    const ObjectCase &made_;
    halo_topology *topologies_[2] = {};
};

} // namespace

std::unique_ptr<Object> make_strays(Calls &calls, const ObjectCase &made) { return std::make_unique<Strays>(calls, made); }

} // namespace programs
