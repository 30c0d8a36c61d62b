// SPDX-License-Identifier: BSD-3-Clause
#include "particles/particles.h"

#include "base/checked.h"
#include "capi/handle.h"
#include "capi/list.h"
#include "comm/collective_stream.h"

using namespace halo;

namespace {

constexpr halo_particles_arrays no_arrays = HALO_PARTICLES_ARRAYS_INIT;

// `counts` of start are lengths; those of finish are room, which may exceed what is there.
ParticleArrays read_arrays(const Particles &particles, const halo_particles_arrays *arrays) {
    require(arrays, "arrays");
    const halo_particles_arrays known = read_struct(arrays, no_arrays);
    const std::vector<int64_t> &gids = particles.topology().local_parts();
    const auto n_columns = static_cast<int64_t>(particles.columns().size());
    if (known.n_parts != std::ssize(gids))
        fail(HALO_ERR_ARGUMENT, "particles: arrays of %lld parts; this rank has %zu", static_cast<long long>(known.n_parts), gids.size());
    if (known.n_data != known.n_parts * n_columns)
        fail(HALO_ERR_ARGUMENT, "particles: n_data is %lld; %lld parts of %lld columns have %lld arrays", static_cast<long long>(known.n_data),
             static_cast<long long>(known.n_parts), static_cast<long long>(n_columns), static_cast<long long>(known.n_parts * n_columns));
    if (known.n_parts > 0) {
        require(known.counts, "counts");
        require(known.data, "data");
    }
    for (int64_t part = 0; part < known.n_parts; ++part)
        if (known.counts[part] < 0)
            fail(HALO_ERR_ARGUMENT, "particles: part %lld has %lld of them", static_cast<long long>(gids[static_cast<size_t>(part)]),
                 static_cast<long long>(known.counts[part]));
    return { { known.counts, static_cast<size_t>(known.n_parts) }, known.data, known.targets };
}

void require_arrays(const Particles &particles, const ParticleArrays &arrays, std::span<const int64_t> used) {
    const size_t n_columns = particles.columns().size();
    for (size_t part = 0; part < used.size(); ++part)
        for (size_t c = 0; c < n_columns && used[part] > 0; ++c)
            if (!arrays.data[part * n_columns + c])
                fail(HALO_ERR_ARGUMENT, "particles: the array of part %lld, column %zu, is NULL",
                     static_cast<long long>(particles.topology().local_parts()[part]), c);
}

void require_targets(const Particles &particles, const ParticleArrays &arrays) {
    if (particles.columns().has_position()) {
        if (arrays.targets) fail(HALO_ERR_ARGUMENT, "particles: targets are given, and positions tell them");
        return;
    }
    if (arrays.counts.empty()) return;
    require(arrays.targets, "targets");
    for (size_t part = 0; part < arrays.counts.size(); ++part)
        if (arrays.counts[part] > 0 && !arrays.targets[part])
            fail(HALO_ERR_ARGUMENT, "particles: the targets of part %lld are NULL", static_cast<long long>(particles.topology().local_parts()[part]));
}

ParticleArrays read_start(Particles &particles, const halo_particles_arrays *arrays) {
    try {
        const ParticleArrays read = read_arrays(particles, arrays);
        require_arrays(particles, read, read.counts);
        require_targets(particles, read);
        return read;
    } catch (const Error &error) {
        particles.refuse(error);
        throw;
    }
}

} // namespace

halo_status halo_particles_create(halo_topology *topology, const halo_particles_desc *desc, halo_particles **particles) {
    return with_handle(topology, [&] {
        require(desc, "desc");
        require(particles, "particles");
        const halo_particles_desc known = read_struct(desc, halo_particles_desc HALO_PARTICLES_DESC_INIT);
        check_timeout("particles", known.timeout_seconds);
        ContextObject &owner = *shell_of(topology)->owner;
        const CollectiveCall call(owner.context, "particles", HALO_TIMEOUT_CONFIGURED, object_of<Topology>(topology).id());
        Context::KeepsNumbers numbers(owner.context);
        auto object = std::make_unique<Particles>(object_of<Topology>(topology), owner.reductions, known);
        *particles = owner.shells.make<halo_particles>(&owner, object.get());
        object.release();
        numbers.succeed();
    });
}

halo_status halo_particles_destroy(halo_particles **particles) {
    return guard([&] {
        require(particles, "particles");
        const CallLock::Call call = require_callable(shell_of(*particles), HandleKind::particles);
        if (const auto &object = object_of<Particles>(*particles); object.in_flight())
            fail(HALO_BUSY, "%s: a run is in flight", object.what().c_str());
        destroy_object<Particles>(particles);
    });
}

halo_status halo_particles_start(halo_particles *particles, const halo_particles_arrays *arrays) {
    return with_handle(particles, [&] {
        auto &object = object_of<Particles>(particles);
        object.start(read_start(object, arrays));
    });
}

halo_status halo_particles_test(halo_particles *particles, int32_t *done) {
    return with_handle(particles, [&] {
        require(done, "done");
        *done = object_of<Particles>(particles).test() ? 1 : 0;
    });
}

halo_status halo_particles_counts(halo_particles *particles, int64_t *counts, int64_t capacity, int64_t *n) {
    return with_handle(particles, [&] {
        auto &object = object_of<Particles>(particles);
        if (!takes_list(std::ssize(object.topology().local_parts()), counts, capacity, n, "counts")) return;
        const std::vector<int64_t> &known = object.counts();
        std::copy(known.begin(), known.end(), counts);
    });
}

halo_status halo_particles_left(const halo_particles *particles, halo_particle_place *places, int64_t capacity, int64_t *n) {
    return with_handle(particles, [&] {
        const std::span<const halo_particle_place> left = object_of<Particles>(particles).left();
        if (takes_list(std::ssize(left), places, capacity, n, "places")) std::copy(left.begin(), left.end(), places);
    });
}

halo_status halo_particles_finish(halo_particles *particles, const halo_particles_arrays *arrays) {
    return with_handle(particles, [&] {
        auto &object = object_of<Particles>(particles);
        const ParticleArrays read = read_arrays(object, arrays);
        require_arrays(object, read, object.counts());
        object.finish(read);
    });
}

halo_status halo_particles_abandon(halo_particles *particles) {
    return with_handle(particles, [&] { object_of<Particles>(particles).abandon(); });
}
