// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/exchange.h"
#include "capi/list.h"
#include "comm/collective_stream.h"

namespace halo {

namespace {

Exchange &exchange_of(const halo_exchange *exchange) { return *object_of<ExchangeObject>(exchange).exchange; }

halo_run read_run(Exchange &exchange, const halo_run *run) {
    const halo_run defaults = HALO_RUN_INIT;
    try {
        return read_optional_struct(run, defaults);
    } catch (const Error &error) {
        exchange.refuse_unread(error);
        throw;
    }
}

// What is given between lists of fields.
struct Way {
    const halo_transfer_desc *transfer = nullptr;
    const halo_levels_desc *levels = nullptr;
};

// What exchanges of every kind have.
template <class Desc>
void take_over(const Desc &way, halo_exchange_desc &desc) {
    desc.messages = way.messages;
    desc.receive = way.receive;
    desc.timeout_seconds = way.timeout_seconds;
}

// The description that exchanges made by `call` have.
template <class Desc>
void write_own(const std::optional<Desc> &own, Desc *desc, const char *call) {
    require(desc, "desc");
    if (!own) fail(HALO_ERR_NOT_FOUND, "exchange: %s has not made it", call);
    write_struct(desc, *own);
}

// Of the fields on several levels, if there are any, else of the first: whichever makes the exchange take more numbers. Others may be no fields.
const Topology &counted_topology(halo_field *const *fields, int32_t n_fields) {
    for (int32_t i = 0; i < n_fields; ++i) {
        const Handle *const shell = shell_of(fields[i]);
        if (!shell || shell->kind != HandleKind::field || !shell->alive || shell->owner != shell_of(fields[0])->owner) continue;
        if (const Topology &topology = object_of<Field>(fields[i]).topology(); has_levels(topology)) return topology;
    }
    return object_of<Field>(fields[0]).topology();
}

// From lists of fields, of which the first field stands for the context.
halo_status create_exchange(std::initializer_list<halo_field *const *> lists, int32_t n_fields, const halo_exchange_desc *desc, const Way &way,
                            halo_exchange **exchange) {
    return with_handle(**lists.begin(), [&] {
        require(exchange, "exchange");
        check_limit("exchange: n_fields", n_fields, limits::fields);
        const halo_exchange_desc defaults = HALO_EXCHANGE_DESC_INIT;
        halo_exchange_desc known = read_optional_struct(desc, defaults);
        const Topology &topology = counted_topology(*lists.begin(), n_fields);
        BetweenLists between{ way.transfer, way.levels, static_cast<int32_t>(lists.size()) };
        const Context::TakesNumbers numbers(topology.context(), numbers_of(topology, n_fields, known, between));
        std::vector<halo_field *> fields;
        for (halo_field *const *list : lists) fields.insert(fields.end(), list, list + n_fields);
        std::vector<Field *> objects;
        for (halo_field *field : fields) {
            require_handle(shell_of(field), HandleKind::field);
            Field &object = object_of<Field>(field);
            if (std::find(objects.begin(), objects.end(), &object) != objects.end())
                fail(HALO_ERR_ARGUMENT, "exchange: field %s is given twice", object.spec().name.c_str());
            objects.push_back(&object);
        }
        const halo_transfer_desc transfer_defaults = HALO_TRANSFER_DESC_INIT;
        const halo_levels_desc levels_defaults = HALO_LEVELS_DESC_INIT;
        const halo_transfer_desc transfer = read_optional_struct(way.transfer, transfer_defaults);
        const halo_levels_desc levels = read_optional_struct(way.levels, levels_defaults);
        if (way.transfer) take_over(transfer, known), between.transfer = &transfer;
        if (way.levels) take_over(levels, known), between.levels = &levels;
        check_timeout("exchange", known.timeout_seconds);
        ContextObject *owner = shell_of(fields[0])->owner;
        const CollectiveCall call(owner->context, "exchange");
        auto object = std::make_unique<ExchangeObject>(objects, fields, known, between);
        *exchange = owner->shells.make<halo_exchange>(owner, object.get());
        object.release();
    });
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_exchange_create(halo_field *const *fields, int32_t n_fields, const halo_exchange_desc *desc, halo_exchange **exchange) {
    if (!fields || n_fields < 1)
        return guard([&] { fail(HALO_ERR_ARGUMENT, "exchange: %d fields at address %p", n_fields, static_cast<const void *>(fields)); });
    return create_exchange({ fields }, n_fields, desc, {}, exchange);
}

halo_status halo_exchange_create_transfer(halo_field *const *sources, halo_field *const *destinations, int32_t n_fields,
                                          const halo_transfer_desc *desc, halo_exchange **exchange) {
    if (!sources || !destinations || n_fields < 1)
        return guard([&] {
            fail(HALO_ERR_ARGUMENT, "transfer: %d fields at addresses %p and %p", n_fields, static_cast<const void *>(sources),
                 static_cast<const void *>(destinations));
        });
    const halo_transfer_desc defaults = HALO_TRANSFER_DESC_INIT;
    return create_exchange({ sources, destinations }, n_fields, nullptr, { desc ? desc : &defaults, nullptr }, exchange);
}

halo_status halo_exchange_create_levels(halo_field *const *coarse, halo_field *const *newer, halo_field *const *fine, int32_t n_fields,
                                        const halo_levels_desc *desc, halo_exchange **exchange) {
    if (!coarse || !fine || n_fields < 1)
        return guard([&] {
            fail(HALO_ERR_ARGUMENT, "levels: %d fields at addresses %p and %p", n_fields, static_cast<const void *>(coarse),
                 static_cast<const void *>(fine));
        });
    const halo_levels_desc defaults = HALO_LEVELS_DESC_INIT;
    const Way way{ nullptr, desc ? desc : &defaults };
    return newer ? create_exchange({ coarse, newer, fine }, n_fields, nullptr, way, exchange)
                 : create_exchange({ coarse, fine }, n_fields, nullptr, way, exchange);
}

halo_status halo_exchange_destroy(halo_exchange **exchange) {
    return guard([&] {
        require(exchange, "exchange");
        const CallLock::Call call = require_callable(shell_of(*exchange), HandleKind::exchange);
        if (exchange_of(*exchange).in_flight()) fail(HALO_BUSY, "exchange: a run is in flight; finish or abandon it first");
        const std::optional<Error> failed = exchange_of(*exchange).take_device_failure();
        Context &context = shell_of(*exchange)->owner->context;
        destroy_object<ExchangeObject>(exchange);
        if (!failed) return;
        context.log().error("%s", failed->what()); // programs seldom look at what destroying says
        context.remember_error(failed->what());
        throw Error(*failed);
    });
}

halo_status halo_exchange_start(halo_exchange *exchange, const halo_run *run, halo_stream stream) {
    return with_handle(exchange, [&] { exchange_of(exchange).start(read_run(exchange_of(exchange), run), stream); });
}

halo_status halo_exchange_finish(halo_exchange *exchange, halo_stream stream) {
    return with_handle(exchange, [&] { exchange_of(exchange).finish(stream); });
}

halo_status halo_exchange_post(halo_exchange *exchange, const halo_run *run) {
    return with_handle(exchange, [&] { exchange_of(exchange).post(read_run(exchange_of(exchange), run)); });
}

halo_status halo_exchange_prepare(halo_exchange *exchange) {
    return with_handle(exchange, [&] { exchange_of(exchange).prepare(); });
}

halo_status halo_exchange_send(halo_exchange *exchange, halo_stream stream) {
    return with_handle(exchange, [&]() -> halo_status { return exchange_of(exchange).send(stream) ? HALO_SUCCESS : HALO_BUSY; });
}

halo_status halo_exchange_test(halo_exchange *exchange, int32_t *done) {
    return with_handle(exchange, [&] {
        require(done, "done");
        *done = exchange_of(exchange).test() ? 1 : 0;
    });
}

halo_status halo_exchange_unpack(halo_exchange *exchange, halo_stream stream) {
    return with_handle(exchange, [&] { exchange_of(exchange).unpack(stream); });
}

halo_status halo_exchange_refine(halo_exchange *exchange, halo_stream stream) {
    return with_handle(exchange, [&] { exchange_of(exchange).refine(stream); });
}

halo_status halo_exchange_abandon(halo_exchange *exchange) {
    return with_handle(exchange, [&] { exchange_of(exchange).abandon(); });
}

halo_status halo_exchange_arrivals(halo_exchange *exchange, halo_arrival *arrivals, int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] {
        ExchangeObject &object = object_of<ExchangeObject>(exchange);
        std::vector<halo_arrival> list;
        object.for_each_told(object.exchange->arrivals(), [&](const Arrivals::Part &part) { list.push_back(object.arrival(part)); });
        write_list(list, arrivals, capacity, n, "arrivals");
    });
}

halo_status halo_exchange_peers(const halo_exchange *exchange, size_t row_bytes, halo_peer_row *rows, int64_t capacity, int64_t *n) {
    return with_handle(exchange, [&] { write_rows(exchange_of(exchange).peers(), row_bytes, rows, capacity, n, "peers"); });
}

halo_status halo_exchange_describe(const halo_exchange *exchange, char *text, size_t capacity, size_t *needed_bytes) {
    return with_handle(exchange, [&] { write_text(exchange_of(exchange).describe(), text, capacity, needed_bytes); });
}

halo_status halo_exchange_get_desc(const halo_exchange *exchange, halo_exchange_desc *desc) {
    return with_handle(exchange, [&] {
        require(desc, "desc");
        write_struct(desc, object_of<ExchangeObject>(exchange).program);
    });
}

halo_status halo_exchange_get_transfer_desc(const halo_exchange *exchange, halo_transfer_desc *desc) {
    return with_handle(exchange, [&] { write_own(object_of<ExchangeObject>(exchange).transfer, desc, "halo_exchange_create_transfer"); });
}

halo_status halo_exchange_get_levels_desc(const halo_exchange *exchange, halo_levels_desc *desc) {
    return with_handle(exchange, [&] { write_own(object_of<ExchangeObject>(exchange).levels, desc, "halo_exchange_create_levels"); });
}

halo_status halo_exchange_get_stats(const halo_exchange *exchange, halo_exchange_stats *stats) {
    return with_handle(exchange, [&] {
        require(stats, "stats");
        halo_exchange_stats filled = HALO_EXCHANGE_STATS_INIT;
        exchange_of(exchange).count(filled);
        write_struct(stats, filled);
    });
}
