// SPDX-License-Identifier: BSD-3-Clause
// Loops over shared points: one writes what each rank owns, one adds to all copies through a map, one reads them all.
#include <algorithm>
#include <cstring>

#include "halo_access.h"
#include "objects.h"
#include "relation.h"

namespace programs {

using conformance::stop;

namespace {

constexpr int most_trials = 12; // longer than faults last

class Loops final : public Object {
public:
    Loops(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), relation_(made) {}

    void create() override {
        const std::vector<uint64_t> &keys = made_.keys[static_cast<size_t>(calls_.rank)];
        halo_keys_desc points = HALO_KEYS_DESC_INIT;
        points.keys = keys.data(), points.n_keys = std::ssize(keys), points.numbering = HALO_NUMBERING_AS_GIVEN;
        if (made_.made == Made::keys_by_hash) points.directory = HALO_DIRECTORY_HASH;
        calls_.talk("points", [&] { return halo_topology_create_keys(calls_.context, &points, &topology_); });
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "l", desc.n_components = made_.n_components;
        calls_.together(
            "field", [&] { return halo_field_create(topology_, &desc, &field_); },
            [&] { calls_.free("field", [&] { return halo_field_destroy(&field_); }); });
        calls_.alone("allocate", [&] { return halo_field_allocate(field_, -1); });
    }
    // What has been added leaves with the begin of the loop that reads, or every other time when its loop ends. Batches count: after a failure no
    // rank begins a further one.
    bool start(int64_t time) override {
        time_ = time;
        calls_.alone("mark fresh", [&] { return halo_access_mark_fresh(field_, 0, HALO_ON_HOST); });
        return calls_.all(write()) && calls_.all(add()) && begin(HALO_READ, HALO_VIA_MAP);
    }
    bool finish() override {
        if (!calls_.works("ready", [&] { return halo_access_ready(batch_); })) return false;
        for_values([&](uint64_t key, int64_t c, const double &value) {
            if (value != right(key, c))
                stop("component %d of key %d is %g, not %g", static_cast<int>(c), static_cast<int>(key), value, right(key, c));
        });
        end();
        static const char *const modes[] = { "", "added by loops", "lowered by loops", "raised by loops" };
        ++calls_.features[modes[made_.desc.op]];
        return true;
    }
    void destroy() override {
        if (batch_) halo_access_abandon(batch_);
        batch_ = nullptr;
        if (field_) calls_.free("field", [&] { return halo_field_destroy(&field_); });
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
    }

private:
    double written(uint64_t key, int64_t c) const { return static_cast<double>(1000 * (time_ + 1) + static_cast<int64_t>(key) * 10 + c); }
    double more(int32_t rank, uint64_t key, int64_t c) const {
        return static_cast<double>(1000 * (time_ + 1) + static_cast<int64_t>(key) * 11 + rank * 7 % 4 * 31 - 40 + c);
    }
    double combine(double a, double b) const {
        return made_.desc.op == HALO_SUM ? a + b : made_.desc.op == HALO_MIN ? std::min(a, b) : std::max(a, b);
    }
    double right(uint64_t key, int64_t c) const {
        double value = written(key, c);
        for (int32_t rank = 0; rank < relation_.n_ranks(); ++rank)
            if (relation_.has(rank, key)) value = combine(value, more(rank, key, c));
        return value;
    }

    bool begin(int32_t mode, int32_t through) {
        halo_access access = HALO_ACCESS_INIT;
        access.field = field_, access.mode = mode, access.through = through, access.whole = mode == HALO_WRITE;
        bool has_timed_out = false, dead = false; // a peer was two runs behind when the time was over: the call made again fails
        const auto begin = [&] {
            const halo_status status =
                halo_access_begin(calls_.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch_);
            dead = status == HALO_ERR_STATE && has_timed_out && std::strstr(halo_last_error(), "the exchange is dead");
            has_timed_out = status == HALO_TIMEOUT;
            return dead ? HALO_SUCCESS : status;
        };
        for (int trial = 0; trial < most_trials; ++trial) {
            const halo_status status = calls_.judge("begin", begin);
            if (simulation::any_has_died()) throw Ended{};
            if (status != HALO_TIMEOUT && !(status == HALO_ERR_MEMORY && !batch_)) return status == HALO_SUCCESS && !dead;
        }
        return false; // the peer's call has failed so
    }
    void end() {
        calls_.alone("end", [&] { return halo_access_end(batch_); });
        batch_ = nullptr;
    }
    // What has been added leaves: the batch is over, or can only be abandoned.
    bool end_and_send() {
        bool has_failed = false, dead = false;
        const auto send = [&] {
            const halo_status status = halo_access_end_and_send(batch_);
            dead = status == HALO_ERR_STATE && has_failed;
            has_failed = status != HALO_SUCCESS;
            return dead ? HALO_SUCCESS : status;
        };
        halo_status status = HALO_ERR_MEMORY;
        for (int trial = 0; trial < most_trials && status == HALO_ERR_MEMORY; ++trial) {
            status = calls_.judge("end and send", send);
            if (simulation::any_has_died()) throw Ended{};
        }
        if (status != HALO_SUCCESS || dead) return false;
        batch_ = nullptr;
        ++calls_.features["sent when loops end"];
        return true;
    }
    template <class Loop>
    bool loop(int32_t mode, int32_t through, Loop &&body) {
        if (!begin(mode, through) || !calls_.works("ready", [&] { return halo_access_ready(batch_); })) return false;
        for_values(body);
        if (through == HALO_VIA_MAP && time_ % 2 == 1) return end_and_send();
        end();
        return true;
    }
    bool write() {
        return loop(HALO_WRITE, HALO_DIRECT, [&](uint64_t key, int64_t c, double &value) {
            if (relation_.owner(key) == calls_.rank) value = written(key, c);
        });
    }
    bool add() {
        static constexpr int32_t modes[] = { 0, HALO_INC, HALO_ACCESS_MIN, HALO_ACCESS_MAX };
        return loop(modes[made_.desc.op], HALO_VIA_MAP,
                    [&](uint64_t key, int64_t c, double &value) { value = combine(value, more(calls_.rank, key, c)); });
    }
    template <class Visit>
    void for_values(Visit &&visit) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field_, calls_.rank, &layout));
        OK(halo_field_data(field_, calls_.rank, 0, &data));
        const std::vector<uint64_t> &keys = made_.keys[static_cast<size_t>(calls_.rank)];
        for (int64_t c = 0; c < made_.n_components; ++c)
            for (size_t i = 0; i < keys.size(); ++i)
                visit(keys[i], c,
                      static_cast<double *>(data)[layout.first_owned + static_cast<int64_t>(i) * layout.stride[0] + c * layout.component_stride]);
    }

    Calls &calls_;
    const ObjectCase &made_;
    Relation relation_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_batch *batch_ = nullptr;
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_loops(Calls &calls, const ObjectCase &made) { return std::make_unique<Loops>(calls, made); }

} // namespace programs
