// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/check_mode.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "exchange/poison.h"

namespace halo {

namespace {

// Of a value of up to any size; never 0.
uint32_t folded(uint64_t hash, const std::byte *value, int64_t bytes) {
    if (bytes == 8) { // most values
        uint64_t word;
        std::memcpy(&word, value, sizeof word);
        hash = Digest::mix(hash ^ word) + 1;
        return static_cast<uint32_t>(hash >> 32 ^ hash) | 1u;
    }
    for (int64_t done = 0; done < bytes; done += 8) {
        uint64_t word = 0;
        std::memcpy(&word, value + done, static_cast<size_t>(std::min<int64_t>(8, bytes - done)));
        hash = Digest::mix(hash ^ word) + 1;
    }
    return static_cast<uint32_t>(hash >> 32 ^ hash) | 1u;
}

template <class Number>
void negate_all(std::byte *value, int64_t bytes) {
    for (int64_t done = 0; done < bytes; done += static_cast<int64_t>(sizeof(Number))) {
        Number number;
        std::memcpy(&number, value + done, sizeof number);
        number = static_cast<Number>(Number{} - number);
        std::memcpy(value + done, &number, sizeof number);
    }
}

void flip_signs(std::byte *value, int64_t bytes) { // of IEEE numbers: also of zeros and NaN
    value[bytes - 1] ^= std::byte{ 0x80 };
}

// The value as the device's rows give it.
void negate(halo_type type, std::byte *value, int64_t bytes) {
    switch (type) {
    case HALO_INT32: return negate_all<uint32_t>(value, bytes);
    case HALO_INT64: return negate_all<uint64_t>(value, bytes);
    case HALO_FLOAT32:
    case HALO_COMPLEX64:
        for (int64_t done = 0; done < bytes; done += 4) flip_signs(value + done, 4);
        return;
    case HALO_FLOAT64:
    case HALO_COMPLEX128:
        for (int64_t done = 0; done < bytes; done += 8) flip_signs(value + done, 8);
        return;
    default: return;
    }
}

// One hash per point over its components, in the receiver's order.
void add_source(const BoxCopy &box, const std::byte *storage, std::vector<uint32_t> &hashes) {
    std::vector<std::byte> value(box.element_bytes);
    for_each_point(box, [&](int64_t number, int64_t x, int64_t y, int64_t z) {
        for (int64_t c = 0; c < box.n[3]; ++c) {
            std::memcpy(value.data(), storage + source_offset(box, x, y, z) + c * box.src_stride[3], box.element_bytes);
            if (box.negate != 0) negate(box.negate, value.data(), box.element_bytes);
            hashes[number] = folded(hashes[number], value.data(), box.element_bytes);
        }
    });
}

template <class Visit>
void for_each_component(const BoxCopy &box, Visit &&visit) {
    for_each_point(box, [&](int64_t number, int64_t x, int64_t y, int64_t z) {
        for (int64_t c = 0; c < box.n[3]; ++c) visit(number, x, y, z, target_offset(box, x, y, z) + c * box.dst_stride[3]);
    });
}

} // namespace

std::string CheckMode::name_point(const CheckedEdge &edge, int64_t x, int64_t y, int64_t z) const {
    const Field &field = *fields_[edge.field];
    const BoxCopy &box = edge.target[0];
    const long long cell[3] = { edge.low[0] + x, edge.low[1] + y, edge.low[2] + z };
    const std::string point = box.dst_list ? format("%s %u", field.is_mapped() ? "position" : "point", box.dst_list[x])
                                           : format("cell (%lld, %lld, %lld)", cell[0], cell[1], cell[2]);
    return format("field %s, part %lld, %s, which part %lld on rank %d fills", field.spec().name.c_str(), static_cast<long long>(edge.key.recv_gid),
                  point.c_str(), static_cast<long long>(edge.key.send_gid), edge.send_rank);
}

// Looks for the cell that an element of a part's storage belongs to.
std::string CheckMode::name_element(const Field &field, int64_t part, int64_t element) const {
    const PartLayout &layout = field.layout(part);
    const FieldSpec &spec = field.spec();
    const Extent cells = field.cells(part);
    const auto gid = static_cast<long long>(field.topology().local_parts()[part]);
    for (int64_t place = 0; place < std::ssize(spec.places); ++place)
        for (int64_t c = 0; c < spec.n_components; ++c)
            for (int64_t z = -spec.ghosts.low[2]; z < points(cells[2], spec.places[place], 2) + spec.ghosts.high[2]; ++z)
                for (int64_t y = -spec.ghosts.low[1]; y < points(cells[1], spec.places[place], 1) + spec.ghosts.high[1]; ++y)
                    for (int64_t x = -spec.ghosts.low[0]; x < points(cells[0], spec.places[place], 0) + spec.ghosts.high[0]; ++x)
                        if (layout.offset(x, y, z) + c * layout.component_stride + place * layout.place_stride == element)
                            return format("field %s, part %lld, cell (%lld, %lld, %lld), component %lld", spec.name.c_str(), gid,
                                          static_cast<long long>(x), static_cast<long long>(y), static_cast<long long>(z), static_cast<long long>(c));
    return format("field %s, part %lld, element %lld of its storage, which is no cell", spec.name.c_str(), gid, static_cast<long long>(element));
}

CheckMode::Hashes CheckMode::source_hashes(const Run &run, const CheckedEdge &edge) const {
    Hashes hashes(static_cast<size_t>(edge.n_points), 0);
    for (const BoxCopy &box : edge.source) add_source(box, static_cast<const std::byte *>(run.bases[box.src_base]), hashes);
    return hashes;
}

// ---- start

void CheckMode::start(const Run &run) {
    local_.clear();
    sent_.clear();
    received_.clear();
    refuse_poison_in_owned(run);
    for (const CheckedEdge &edge : run.plan->local_checked())
        if (edge.hashed) local_.push_back({ &edge, source_hashes(run, edge) });
    if (source_stable_)
        for (const PlanLink &link : run.plan->links())
            for (const CheckedEdge &edge : link.send.checked)
                if (edge.hashed) sent_.push_back({ &edge, source_hashes(run, edge) });
    for_each_receiving(*run.plan, [&](const CheckedEdge &edge) {
        if (edge.hashed) poison(run, edge);
    });
}

void CheckMode::refuse_poison_in_owned(const Run &run) const {
    for (int64_t field = 0; field < std::ssize(fields_); ++field)
        for (int64_t part = 0; part < run.plan->n_parts(field); ++part)
            if (run.plan->narrowing().takes(static_cast<size_t>(field)) && run.part(field, part)) refuse_poison_in_part(run, field, part);
}

void CheckMode::refuse_poison_in_part(const Run &run, int64_t number, int64_t part) const {
    const Field &field = *fields_[number];
    const PartLayout &layout = field.layout(part);
    const FieldSpec &spec = field.spec();
    const Extent cells = field.cells(part);
    const auto *storage = static_cast<const std::byte *>(run.part(number, part));
    if (!can_be_poison(spec)) return;
    for (int64_t c = 0; c < spec.n_components; ++c)
        for (int64_t z = 0; z < cells[2]; ++z)
            for (int64_t y = 0; y < cells[1]; ++y)
                for (int64_t x = 0; x < cells[0]; ++x) {
                    const int64_t element = layout.offset(x, y, z) + c * layout.component_stride;
                    const PoisonOrigin origin = poison_origin(spec, storage + element * spec.element_bytes);
                    if (!origin.found) continue;
                    const std::string from = origin.ordinal < 0 ? std::string("a ghost") : format("a ghost of field number %d", origin.ordinal);
                    fail(HALO_ERR_CHECK,
                         "%s: run %u: %s was computed from %s (element %lld of its part's storage) that was read between start and finish",
                         what_.c_str(), run.epoch, name_element(field, part, element).c_str(), from.c_str(), static_cast<long long>(origin.element));
                }
}

void CheckMode::poison(const Run &run, const CheckedEdge &edge) const {
    const Field &field = *fields_[edge.field];
    for_each_component(edge.target[0], [&](int64_t, int64_t, int64_t, int64_t, int64_t offset) {
        store_poison(field.spec(), poison_of(field, offset), target(run, edge) + offset);
    });
}

size_t CheckMode::hash_bytes(const PlanDirection &direction) {
    size_t points = 0;
    for (const CheckedEdge &edge : direction.checked)
        if (edge.hashed) points += static_cast<size_t>(edge.n_points);
    return points * sizeof(uint32_t);
}

void CheckMode::write_hashes(const Run &run, const PlanDirection &direction, std::byte *at) const {
    for (const CheckedEdge &edge : direction.checked) {
        if (!edge.hashed || edge.n_points == 0) continue;
        const Hashes hashes = source_hashes(run, edge);
        std::memcpy(at, hashes.data(), hashes.size() * sizeof(uint32_t));
        at += hashes.size() * sizeof(uint32_t);
    }
}

void CheckMode::take_hashes(const PlanDirection &direction, const std::byte *at) {
    for (const CheckedEdge &edge : direction.checked) {
        if (!edge.hashed || edge.n_points == 0) continue;
        Hashes hashes(static_cast<size_t>(edge.n_points));
        std::memcpy(hashes.data(), at, hashes.size() * sizeof(uint32_t));
        at += hashes.size() * sizeof(uint32_t);
        received_.push_back({ &edge, std::move(hashes) });
    }
}

// ---- finish

void CheckMode::require_poison(const Run &run, const CheckedEdge &edge) const {
    const Field &field = *fields_[edge.field];
    for_each_component(edge.target[0], [&](int64_t, int64_t x, int64_t y, int64_t z, int64_t offset) {
        if (!holds_poison(field.spec(), poison_of(field, offset), target(run, edge) + offset))
            fail(HALO_ERR_CHECK, "%s: run %u: %s, was written between start and finish", what_.c_str(), run.epoch, name_point(edge, x, y, z).c_str());
    });
}

void CheckMode::require_source(const Run &run, const CheckedEdge &edge, const Hashes &hashes) const {
    const Hashes now = source_hashes(run, edge);
    const auto differs = std::mismatch(now.begin(), now.end(), hashes.begin()).first;
    if (differs == now.end()) return;
    fail(HALO_ERR_CHECK,
         "%s: run %u: field %s, part %lld: what goes to part %lld was overwritten before finish (point %lld of %lld of %s), though source_stable was "
         "promised",
         what_.c_str(), run.epoch, fields_[edge.source_field]->spec().name.c_str(), static_cast<long long>(edge.key.send_gid),
         static_cast<long long>(edge.key.recv_gid), static_cast<long long>(differs - now.begin()), static_cast<long long>(edge.n_points),
         describe(edge.key).c_str());
}

// Ghosts that this rank has filled itself are poisoned again until finish, so that reading them is found wherever parts are placed.
void CheckMode::after_start(const Run &run) {
    withheld_.clear();
    for (const Received &local : local_) {
        require_hashes(run, *local.edge, local.hashes, "does not hold what it was given");
        for_each_component(local.edge->target[0], [&](int64_t, int64_t, int64_t, int64_t, int64_t offset) {
            const std::byte *value = target(run, *local.edge) + offset;
            withheld_.insert(withheld_.end(), value, value + local.edge->target[0].element_bytes);
        });
    }
    for (const Received &local : local_) poison(run, *local.edge);
}

void CheckMode::give_back_withheld(const Run &run) {
    const std::byte *value = withheld_.data();
    for (const Received &local : local_)
        for_each_component(local.edge->target[0], [&](int64_t, int64_t, int64_t, int64_t, int64_t offset) {
            std::memcpy(target(run, *local.edge) + offset, value, local.edge->target[0].element_bytes);
            value += local.edge->target[0].element_bytes;
        });
}

void CheckMode::before_unpack(const Run &run) {
    for (const PlanLink &link : run.plan->links())
        for (const CheckedEdge &edge : link.receive.checked)
            if (edge.hashed) require_poison(run, edge);
    for (const Received &local : local_) require_poison(run, *local.edge);
    give_back_withheld(run);
    if (source_stable_)
        for (const auto *list : { &local_, &sent_ })
            for (const Received &source : *list) require_source(run, *source.edge, source.hashes);
    keep_storage(run);
}

void CheckMode::keep_storage(const Run &run) {
    before_.resize(static_cast<size_t>(run.plan->send_base(0)));
    for (int64_t field = 0; field < std::ssize(fields_); ++field)
        for (int64_t part = 0; part < run.plan->n_parts(field); ++part) {
            auto &copy = before_[run.plan->part_base(field, part)];
            const auto *storage = static_cast<const std::byte *>(run.part(field, part));
            copy.clear();
            if (storage) copy.assign(storage, storage + fields_[field]->layout(part).elements * fields_[field]->spec().element_bytes);
        }
}

void CheckMode::require_hashes(const Run &run, const CheckedEdge &edge, const Hashes &hashes, const char *blame) const {
    const Field &field = *fields_[edge.field];
    const BoxCopy &box = edge.target[0];
    const int64_t bytes = field.spec().element_bytes;
    for_each_point(box, [&](int64_t number, int64_t x, int64_t y, int64_t z) {
        const int64_t offset = target_offset(box, x, y, z);
        uint32_t hash = 0;
        for (int64_t c = 0; c < box.n[3]; ++c) hash = folded(hash, target(run, edge) + offset + c * box.dst_stride[3], bytes);
        if (hash == hashes[static_cast<size_t>(number)]) [[likely]]
            return;
        bool all_poison = true;
        for (int64_t c = 0; c < box.n[3]; ++c) {
            const int64_t at = offset + c * box.dst_stride[3];
            all_poison = all_poison && holds_poison(field.spec(), poison_of(field, at), target(run, edge) + at);
        }
        fail(HALO_ERR_CHECK, "%s: run %u: %s, %s", what_.c_str(), run.epoch, name_point(edge, x, y, z).c_str(),
             all_poison ? "was not filled" : blame);
    });
}

// What the run may write becomes equal on both sides; then nothing may differ.
void CheckMode::require_untouched(const Run &run) {
    for_each_receiving(*run.plan, [&](const CheckedEdge &edge) {
        const BoxCopy &box = edge.target[0];
        auto &copy = before_[box.dst_base];
        if (copy.empty()) return;
        for_each_component(box, [&](int64_t, int64_t, int64_t, int64_t, int64_t offset) {
            std::memcpy(copy.data() + offset, target(run, edge) + offset, box.element_bytes);
        });
    });
    for (int64_t field = 0; field < std::ssize(fields_); ++field)
        for (int64_t part = 0; part < run.plan->n_parts(field); ++part) {
            const auto &copy = before_[run.plan->part_base(field, part)];
            const auto *storage = static_cast<const std::byte *>(run.part(field, part));
            const auto differs = std::mismatch(copy.begin(), copy.end(), storage).first;
            if (differs != copy.end())
                fail(HALO_ERR_CHECK, "%s: run %u: %s, was changed by unpacking, though no part fills it", what_.c_str(), run.epoch,
                     name_element(*fields_[field], part, (differs - copy.begin()) / fields_[field]->spec().element_bytes).c_str());
        }
}

void CheckMode::after_unpack(const Run &run) {
    for (const Received &received : received_) require_hashes(run, *received.edge, received.hashes, "does not hold what was sent");
    require_untouched(run);
}

} // namespace halo
