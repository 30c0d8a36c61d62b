// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/sweeps.h"

namespace halo {

namespace {

void check(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (!desc.source_stable) fail(HALO_ERR_ARGUMENT, "exchange: sweeps read owned cells after start has returned: they want source_stable");
    if (desc.kind != HALO_KIND_GHOSTS || desc.shared != HALO_SHARED_KEEP || desc.stencil != HALO_STENCIL_FULL)
        fail(HALO_ERR_ARGUMENT, "exchange: sweeps fill ghosts of the full stencil, not kind %d, shared %d, stencil %d", desc.kind, desc.shared,
             desc.stencil);
    for (const Field *field : fields) {
        const FieldSpec &spec = field->spec();
        if (!field->topology().has_rows())
            fail(HALO_ERR_ARGUMENT,
                 "exchange: the parts of field %s need not lie in rows and columns: sweeps want blocks, or boxes that the library has cut",
                 spec.name.c_str());
        if (spec.sparse || spec.places != std::vector<Centring>{ HALO_CENTRE_CELL })
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse or not in cells: sweeps cannot fill it", spec.name.c_str());
    }
}

} // namespace

Sweeps::Sweeps(PlanCache &plans, const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check(fields, desc);
    for (int32_t d = 0; d < fields[0]->topology().n_dims(); ++d) sweeps_.push_back(std::make_unique<Exchange>(plans, fields, desc, nullptr, d));
    for (const Field *field : fields) n_pointers_ += field->topology().local_parts().size();
}

void Sweeps::keep(const halo_run &run) {
    const size_t n_fields = sweeps_[0]->n_fields();
    run_ = run;
    if (run.field_mask) run_.field_mask = (mask_.assign(run.field_mask, run.field_mask + n_fields), mask_.data());
    if (run.sets) run_.sets = (sets_.assign(run.sets, run.sets + n_fields), sets_.data());
    if (run.data) run_.data = (data_.assign(run.data, run.data + n_pointers_), data_.data());
}

template <class Step>
void Sweeps::step(Step &&step) {
    try {
        step();
    } catch (const Error &error) {
        if (error.status() != HALO_TIMEOUT && !present().in_flight()) running_ = false;
        throw;
    }
}

void Sweeps::post(const halo_run &run) {
    if (running_) fail(HALO_ERR_STATE, "exchange in sweeps: post or start is illegal: a run is in flight");
    keep(run);
    present_ = 0;
    sent_ = false;
    present().post(run_);
    running_ = true;
}

bool Sweeps::send(halo_stream stream) {
    stream_ = stream;
    step([&] { sent_ = present().send(stream); });
    return sent_;
}

// A sweep that has ended starts the next one.
bool Sweeps::test() {
    bool here = false;
    step([&] {
        while (true) {
            if (!sent_ && !(sent_ = present().send(stream_))) return;
            if (!present().test()) return;
            if ((here = is_last())) return;
            present().unpack(stream_);
            present().refine();
            ++present_;
            sent_ = false;
            present().post(run_);
        }
    });
    return here;
}

void Sweeps::unpack(halo_stream stream) {
    if (!test()) fail(HALO_ERR_STATE, "exchange in sweeps: unpack is illegal before test says done");
    step([&] { present().unpack(stream); });
}

void Sweeps::refine() {
    if (!is_last()) fail(HALO_ERR_STATE, "exchange in sweeps: refine is illegal before unpack");
    present().refine();
    running_ = false;
}

void Sweeps::start(const halo_run &run, halo_stream stream) {
    if (running_) fail(HALO_ERR_STATE, "exchange in sweeps: post or start is illegal: a run is in flight");
    keep(run);
    present_ = 0;
    stream_ = stream;
    running_ = true;
    step([&] { present().start(run_, stream); });
    sent_ = true;
}

// Goes on where a call that timed out has stopped.
void Sweeps::finish(halo_stream stream) {
    if (!running_ || !sent_) fail(HALO_ERR_STATE, "exchange in sweeps: finish is illegal: nothing has been sent");
    step([&] {
        for (present().finish(stream); !is_last(); present().finish(stream)) {
            ++present_;
            sent_ = false; // should it time out: the caller goes on with send
            present().start(run_, stream);
            sent_ = true;
        }
    });
    running_ = false;
}

void Sweeps::abandon() {
    present().abandon();
    running_ = false;
}

void Sweeps::count(halo_exchange_stats &stats) const {
    for (const auto &sweep : sweeps_) sweep->count(stats);
    stats.runs = static_cast<int64_t>(sweeps_.back()->runs());
}

} // namespace halo
