// SPDX-License-Identifier: BSD-3-Clause
// What an exchange's handle stands for.
#pragma once

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
        if (desc.sections) sections.assign(desc.sections, desc.sections + fields.size());
        program.sections = desc.sections ? sections.data() : nullptr;
        if (desc.arrival) exchange->on_arrival([this](const Arrivals::Part &part) { tell(part); });
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

    halo_arrival arrival(const Arrivals::Part &part) const {
        return { handles[part.field], exchange->field(part.field)->topology().local_parts()[part.part] };
    }
    void tell(const Arrivals::Part &part) const {
        const halo_arrival told = arrival(part);
        const CallRules::Callback inside(rules, Inside::arrival, "arrival");
        const halo_status status = program.arrival(program.arrival_user, &told);
        if (status != HALO_SUCCESS && status != HALO_DECLINED)
            fail(status >= HALO_ERR_ARGUMENT ? status : HALO_ERR_ARGUMENT, "the arrival callback returned %s for field %s, part %lld",
                 status_name(status), exchange->field(part.field)->spec().name.c_str(), static_cast<long long>(told.gid));
    }

    CallRules &rules;
    halo_exchange_desc program; // with the functions of the program
    std::vector<uint32_t> sections;
    std::unique_ptr<Exchange> exchange;
    std::vector<halo_field *> handles;
};

} // namespace halo
