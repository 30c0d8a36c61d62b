// SPDX-License-Identifier: BSD-3-Clause
// What an exchange's handle stands for.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "capi/handle.h"
#include "exchange/kinds/kinds.h"

namespace halo {

// An exchange with the handles of its fields, as arrivals are told by handle.
struct ExchangeObject {
    ExchangeObject(const std::vector<Field *> &fields, std::vector<halo_field *> given, const halo_exchange_desc &desc, const BetweenLists &lists)
        : rules(fields[0]->topology().context().call_rules()),
          program(desc),
          exchange(make_exchange(fields, with_own_combine(desc), lists)),
          handles(std::move(given)) {
        if (lists.transfer) transfer = *lists.transfer;
        if (lists.levels) levels = *lists.levels;
        if (desc.sections) sections.assign(desc.sections, desc.sections + fields.size());
        program.sections = desc.sections ? sections.data() : nullptr;
        for (size_t f = 0; f < fields.size(); ++f) told.push_back(fields[f]->controller() ? handle_of(*fields[f]->controller()) : handles[f]);
        if (desc.arrival)
            exchange->on_arrival(
                [this](const std::vector<Arrivals::Part> &parts) { for_each_told(parts, [this](const Arrivals::Part &part) { tell(part); }); });
    }

    // The program's function is called through this object, which notes that it is.
    halo_exchange_desc with_own_combine(halo_exchange_desc desc) {
        if (!desc.combine) return desc;
        desc.combine_user = this;
        desc.combine = [](void *self, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes) {
            const auto *object = static_cast<ExchangeObject *>(self);
            const CallRules::Callback inside(object->rules, Inside::callback, "combine");
            return object->program.combine(object->program.combine_user, values, contributions, n, type, element_bytes);
        };
        return desc;
    }

    halo_field *handle_of(const Field &field) const {
        for (Handle &shell : shell_of(handles[0])->owner->shells.all())
            if (shell.alive && shell.object == &field) return reinterpret_cast<halo_field *>(&shell);
        fail(HALO_ERR_INTERNAL, "field %s has no handle", field.spec().name.c_str());
    }
    // Of a controlled field it is its controller's.
    halo_arrival arrival(const Arrivals::Part &part) const {
        return { told[part.field], exchange->field(part.field)->topology().local_parts()[part.part] };
    }
    // A field and those it controls count as one.
    template <class Visit>
    void for_each_told(const std::vector<Arrivals::Part> &parts, Visit &&visit) const {
        const bool any_controlled = told != handles;
        std::set<std::pair<halo_field *, int64_t>> known;
        for (const Arrivals::Part &part : parts)
            if (!any_controlled || known.emplace(told[part.field], part.part).second) visit(part);
    }
    void tell(const Arrivals::Part &part) const {
        const halo_arrival known = arrival(part);
        const CallRules::Callback inside(rules, Inside::arrival, "arrival");
        const halo_status status = program.arrival(program.arrival_user, &known);
        if (status != HALO_SUCCESS && status != HALO_DECLINED)
            fail(status >= HALO_ERR_ARGUMENT ? status : HALO_ERR_ARGUMENT, "the arrival callback returned %s for field %s, part %lld",
                 status_name(status), exchange->field(part.field)->spec().name.c_str(), static_cast<long long>(known.gid));
    }

    CallRules &rules;
    halo_exchange_desc program; // with the functions of the program
    std::optional<halo_transfer_desc> transfer;
    std::optional<halo_levels_desc> levels;
    std::vector<uint32_t> sections;
    std::unique_ptr<Exchange> exchange;
    std::vector<halo_field *> handles;
    std::vector<halo_field *> told; // of each field, whose handle its arrivals are told by
};

} // namespace halo
