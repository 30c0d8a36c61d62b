// SPDX-License-Identifier: BSD-3-Clause
#include "channel/group.h"

#include "base/checked.h"
#include "base/limits.h"
#include "capi/handle.h"
#include "comm/collective_stream.h"

namespace halo {

namespace {

Group &group_of(const halo_group *group) { return object_of<Group>(group); }

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_group_create(halo_context *context, halo_channel *const *channels, int64_t n, const halo_group_desc *desc, halo_group **group) {
    return with_handle(context, [&] {
        require(group, "group");
        const halo_group_desc defaults = HALO_GROUP_DESC_INIT;
        const halo_group_desc known = read_optional_struct(desc, defaults);
        check_timeout("group", known.timeout_seconds);
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, "group", known.timeout_seconds);
        Context::KeepsNumbers numbers(owner.context);
        halo_group *const made = owner.shells.make<halo_group>(&owner, nullptr); // nothing fails here alone when all have agreed
        try {
            shell_of(made)->object = new Group(owner.channels, channels, n, known);
        } catch (...) {
            owner.shells.retire(shell_of(made));
            throw;
        }
        *group = made;
        numbers.succeed();
    });
}

halo_status halo_group_get_desc(const halo_group *group, halo_group_desc *desc) {
    return with_handle(group, [&] {
        require(desc, "desc");
        write_struct(desc, group_of(group).desc());
    });
}

halo_status halo_group_destroy(halo_group **group) {
    return with_handle(group ? *group : nullptr, [&] {
        if (group_of(*group).busy()) fail(HALO_BUSY, "destroy: a run or a channel of the group is under way");
        destroy_object<Group>(group);
    });
}

halo_status halo_group_drain(halo_group *group, double timeout_seconds) {
    return with_handle(group, [&] {
        check_timeout("halo_group_drain", timeout_seconds);
        group_of(group).drain(timeout_seconds);
    });
}

halo_status halo_group_abandon(halo_group *group) {
    return with_handle(group, [&] { group_of(group).abandon(); });
}

halo_status halo_group_table(halo_group *group, size_t row_bytes, const halo_group_row **rows, int64_t *n) {
    return with_handle(group, [&] {
        require(rows, "rows");
        require(n, "n");
        *rows = group_of(group).table(row_bytes);
        *n = group_of(group).size();
    });
}

halo_status halo_group_writable(halo_group *group, int32_t *writable) {
    return with_handle(group, [&] {
        require(writable, "writable");
        *writable = group_of(group).run("halo_group_writable").writable() ? 1 : 0;
    });
}

halo_status halo_group_start_receive(halo_group *group) {
    return with_handle(group, [&] { group_of(group).run("halo_group_start_receive").start_receive(); });
}

halo_status halo_group_send(halo_group *group, const uint8_t *null_flags, halo_stream stream) {
    return with_handle(group, [&] { return group_of(group).run("halo_group_send").send(null_flags, stream) ? HALO_SUCCESS : HALO_BUSY; });
}

halo_status halo_group_send_rows(halo_group *group, const int64_t *rows, int64_t n, const uint8_t *null_flags, halo_stream stream) {
    return with_handle(group, [&] {
        AggregateRun &run = group_of(group).run("halo_group_send_rows");
        if (n < 0 || (n > 0 && !rows))
            fail(HALO_ERR_ARGUMENT, "halo_group_send_rows: %lld rows at address %p", static_cast<long long>(n), static_cast<const void *>(rows));
        check_limit("halo_group_send_rows: n", n, limits::listed);
        return run.send_rows({ rows, static_cast<size_t>(n) }, null_flags, stream) ? HALO_SUCCESS : HALO_BUSY;
    });
}

halo_status halo_group_try_receive(halo_group *group, int32_t *done) {
    return with_handle(group, [&] {
        require(done, "done");
        *done = group_of(group).run("halo_group_try_receive").try_receive() ? 1 : 0;
    });
}

halo_status halo_group_stale(halo_group *group, halo_stream stream) {
    return with_handle(group, [&] { group_of(group).run("halo_group_stale").stale(stream); });
}
