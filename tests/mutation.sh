#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Do the tests notice defects? Breaks a copy of the tree in one line at a time, builds it and runs programs of tests until one fails: first the tests
# that are likely to notice, then everything. Fails if a defect is noticed by none. Prints a Markdown table: what was broken, and who saw it first.
# Each processor has a copy and works on its own. A row of the record (docs/measurements/mutations.md) is taken from there while neither its line here nor
# the file that it breaks has changed since.
# usage: mutation.sh --rows      builds nothing: does each row still change one line of its file?
#        mutation.sh DIRECTORY [pattern of defects]      DIRECTORY: for the copies and for what was seen: kept, so that the next time only changes are
# built, and no defect is tried again of the very same library that was seen by the very same program. Pattern: of those alone, whatever the record says; . is all
set -ufo pipefail
cd "$(dirname "$0")/.."
pattern="${2:-.}"
n_workers="$(nproc)"
record="$PWD/docs/measurements/mutations.md"
programs=(unit_base unit_field halo_cpp unit_memory unit_mesh unit_comm unit_stream unit_channel unit_exchange unit_particles unit_plan unit_plugin unit_sphere unit_forest unit_topology unit_access misuse test_channel halo_counts halo_seeded
    halo_protocols halo_simulation halo_goes_wrong halo_fabric halo_schedules halo_access_loops test_keys test_levels test_mesh test_particles test_progress halo_box_conformance halo_conformance
    device_tests late_device_programs late_device_graphs late_device_direct late_device_apart)
modules=(halo_transport_shm halo_transport_ucx halo_transport_mpi_openmpi halo_transport_mpi_mpich halo_bootstrap_pmix halo_device_opencl)
settings=(CONFORMANCE_CASES=24 CONFORMANCE_BOX_CASES=40 KEYS_CASES=3 MESH_CASES=20 PARTICLES_CASES=24 MESH_LARGE_CASES=1 ACCESS_CASES=3 FAULTS_SCHEDULES=320 SIMULATION_SCHEDULES=30000)
export "${settings[@]}"
left_out='Steady.*:*Scale*:Ranks/Schedules.*' # tests that count allocations as optimised code makes them, and those that take long
declare -A seconds # that a program, or some of its tests, may take
declare -A digests # of programs, as they are built for the first worker

# what is broken | file in src/core | program that is likely to notice, and its tests | sed program, which changes one line
defects=(
    # Channels
    "a received channel stays received when it is made stale|channel/mailbox.cpp|test_channel *States*|/^void Mailbox::stale/,/^}/s/    state_ = HALO_STALE;//"
    "data that have arrived are taken for null|channel/mailbox.cpp|unit_channel|/^void Mailbox::finish_receive/,/^}/s/data ? HALO_RECEIVED : HALO_RECEIVED_NULL/HALO_RECEIVED_NULL/"
    "the epoch in a channel's message is not looked at|channel/mailbox.cpp|unit_channel|s/if (header.epoch != epoch_ + 1)/if (header.epoch == 0)/"
    "a channel takes a message that was cut|channel/mailbox.cpp|unit_channel Exact.*|s/if (exact_ \&\& payload != /if (!exact_ \&\& payload != /"
    "a channel takes what was sent to an earlier group|channel/mailbox.cpp|unit_channel|s/if (header.serial != serial_) {/if (header.serial == 0) {/"
    "a channel takes what was sent to another|channel/mailbox.cpp|unit_channel|s/; header.seal != expected)/; header.seal == ~expected)/"
    "a buffer in use is given back|channel/mailbox.cpp|test_channel *States*|s/^    if (state_ == HALO_STALE .. !operation_) return true;/    return true;/"
    "who has no buffer to give back is refused|channel/mailbox.cpp|test_channel *States*|s/^    if (!buffer_.held()) return true;//"
    "who waits for his buffer does not poll what he has sent|channel/mailbox.cpp|test_channel *States*|/^bool Mailbox::is_unused/,/^}/s/role_ == Role::sender) return poll_send();/role_ == Role::sender) return false;/"
    "a long wait is logged again and again|channel/long_waits.cpp|test_channel LongWaits.*|s/^    told_ = true;//"
    "a wait goes on in the next epoch|channel/long_waits.cpp|test_channel LongWaits.AWait*|s/epoch == epoch_ .. state/epoch >= epoch_ \&\& state/"
    "waits of channels that are gone are watched|channel/mailbox.cpp|test_channel LongWaits.ShortOnes*|/^void Mailbox::give_up/,/^}/s/^    room_->long_waits().forget(\*this);//"
    "who polls does not look how long he has waited|channel/mailbox.cpp|test_channel LongWaits.*|s/^    if (!told_) told_ = /    if (told_) told_ = /"
    "a busy call takes the last error's text|capi/guard.h|unit_base Guard.*|s/^        if (status == HALO_BUSY) return HALO_BUSY;//"
    "a group's message ends behind its first slice|channel/aggregate.cpp|test_channel *Aggregated*|s/(!link.any_data .. place.index > link.last_index)/!link.any_data/"
    "a destroyed group gives up what peers have not taken|channel/group.cpp|test_channel AggregatedGroup.*|s/if (!run_ .. run_->busy()) abandon();/abandon();/"
    "what comes while a group is drained is not waited for|channel/mailbox.cpp|test_channel Drain.*|/^bool Mailbox::drain/,/^}/s/return settled() .. idle();/return true;/"
    "a group is drained when its first channel is|channel/group.cpp|test_channel Drain.*|s/return n_drained == slots_.size();/return n_drained > 0;/"
    "a group's run is drained before its messages are taken|channel/aggregate.cpp|test_channel Drain.*|/^bool AggregateRun::drain/,/^}/s/if (!has_come()) return false;/if (!has_come()) return true;/"
    "a peer's message leaves before its last row|channel/aggregate_by_rows.cpp|test_channel AggregatedGroup.*|s/link.n_left > 0 .. //"
    "a row may be sent twice in a run|channel/aggregate_by_rows.cpp|test_channel AggregatedGroup.*|s/given_in_\[i\] == epoch_ ? /false ? /"
    "a row that is refused holds the others of its call back|channel/aggregate_by_rows.cpp|test_channel AggregatedGroup.*|s/^        give_up_claim(rows.first(n));//"
    "a buffer of the caller's is replaced while it is used|channel/mailbox.cpp|test_channel *Changes*|s/^    if (!waits_for_it .. !is_unused(.*$//"
    "a buffer that the own send is at replaces the last error's text|channel/mailbox.cpp|test_channel Channel.Busy*|/^bool Mailbox::is_unused/,/^}/s/return poll_send();/poll_send();/"
    "a buffer that is too small stays with a channel that grows|channel/mailbox.cpp|test_channel *Sizes*|s/buffer_.held() .. buffer_.capacity() < bytes)/bytes < 0)/"
    "a channel without payload tells where its nothing is|channel/mail_buffer.cpp|test_channel Asked.*|s/ .. memory_ != nowhere) source.memory/) source.memory/"
    "elements are told of which a channel's bytes are no multiple|channel/registry.cpp|test_channel Asked.*|s/box.bytes() % channel.element_bytes == 0 ? //;s/channel.element_bytes : 1;/channel.element_bytes;/"
    "a list is sent though one of it is under way|capi/channel.cpp|test_channel List.ABusy*|s/if (!all_may)/if (!all_may \&\& list.empty())/"
    "a group that is received leaves messages behind|channel/aggregate.cpp|halo_goes_wrong *Leaving*|s/if (!all .. is_leaving()) return false;/if (!all) return false;/"
    # Types
    "bits of short integers are written as int|base/combine.cpp|unit_base Types.*|s/return static_cast<T>(a \& b);/return a \& b;/"
    "halves are cut, not rounded|base/types.cpp|unit_base Types.Halves*|s/std::nearbyint(/std::trunc(/"
    "halves are summed|base/types.cpp|unit_base Types.*|s/== HALO_BYTES .. is_half(type)) return false;/== HALO_BYTES) return false;/"
    "vectors may have no sign|base/types.cpp|misuse MisusedTypes.*|s/ \&\& (type < HALO_UINT8 .. type > HALO_UINT64)//"
    "a run reads what was bound under another layout|exchange/round.cpp|misuse RunsOfSets.*|s/if (!run.data) field.require_present_layouts(.*$//"
    "rounds read what was bound under another layout|exchange/exchange.cpp|test_levels LevelsRefuse.Storage*|s/if (!run.data) fields_.f.->require_present_layouts(.*$//"
    "tables of a device stay when all is on the host again|exchange/round_spaces.cpp|late_device_programs KindsOnDevices.Storage*|s/^            took_all_ = false;.*$//"
    "storage that is bound again counts as that of before|field/field.cpp|misuse RunsOfSets.*|s/^    of_another_layout_.erase(.*$//"
    "storage is released a run late|field/sparse_storage.cpp|halo_conformance *SparseStorage*|s/age.runs >= release_after_/age.runs > release_after_/"
    "what a part heard between runs is forgotten|field/sparse_storage.cpp|halo_conformance *SparseStorage*|s/age.is_small \&\& !age.has_heard \&\& age.runs/age.is_small \&\& age.runs/"
    "one set alone is looked at before storage is released|field/sparse_storage.cpp|halo_conformance *SparseStorage*|/^bool Field::is_small/,/^}/s/data_.end(), \[\&\]/data_.begin() + 1, [\&]/"
    "a controlled field may be bound|field/sparse_storage.cpp|halo_conformance *SparseStorage*|/^void Field::require_own_storage/,/^}/s/if (controller_)/if (false)/"
    "a field has no storage where its controller had some before|field/sparse_storage.cpp|halo_conformance *SparseStorage*|s/if (controller.has_storage(part)) allocate_part/if (false) allocate_part/"
    "a layout changes under a run|field/field.cpp|halo_conformance *SparseStorage*|/^void Field::check_layout/,/^}/s/if (in_flight > 0)/if (false)/"
    "ghosts of blocks reach neighbours alone|topology/blocks/blocks.cpp|halo_box_conformance *WideGhosts*|/^bool BlocksTopology::are_near/,/^}/s/return all;/return true || all;/"
    "data that come do not keep storage|field/field.h|halo_conformance *SparseStorage*|s/^        if (!ages_.empty()) ages_.*has_heard = true;//"
    "a fill beyond its type is taken|field/field.cpp|misuse MisusedTypes.*|s/fits = is_within<Number>(value);/fits = true;/"
    "canonical sums of bytes are made of words|plan/lower/canonical.cpp|halo_box_conformance *Canonical*|s/case HALO_UINT8: return run_as<uint8_t>/case HALO_UINT8: return run_as<uint32_t>/"
    "poison in halves is not looked for|exchange/poison.cpp|unit_exchange Poison.Halves*|s/if (is_half(spec.type)) return find_half/if (false) return find_half/"
    "a device of before is taken to know all types|comm/device.cpp|unit_plugin ModuleVersions.*|s/return has_member(.*;/return plugin.types;/"
    "what a device does not know it combines all the same|exchange/round.cpp|late_device_programs DeviceErrors.Values*|s/^        if (piece.takes_part) require_known_values(planned, device_of(piece));//"
    # Devices
    "a message leaves before the device has packed it|exchange/messages_on_devices.cpp|late_device_programs OnDevices.*|s/return work->has_reached(mark);/return true;/"
    "who waits lets no other messages leave|comm/wait.cpp|late_device_programs KindsOnDevices.AWait*|s/^    context_.let_depart();//"
    "calls on objects let no messages leave|capi/handle.h|late_device_programs OnDevices.Messages*|s/context.admit(most);/context.call_rules().require(most);/"
    "work in another stream does not wait for what came before|exchange/device_work.cpp|late_device_programs OnDevices.AStream*|s/^        last_.hold(stream);//"
    "what start has put on a device is not marked|exchange/messages_on_devices.cpp|late_device_programs OnDevices.AStream*|s/for (DeviceWork .work : run.works) work->leave_stream();//"
    "what unpacking has put on a device is not marked|exchange/round.cpp|late_device_programs OnDevices.AStream*|s/^            work->leave_stream();//"
    "memory of a run is given back while a device uses it|exchange/device_work.cpp|late_device_programs OnDevices.*|s/use_->done.record(stream_);//"
    "what a device uses is let go of too early|comm/device_uses.cpp|late_device_programs OnDevices.*|s/if (!is_over(\*\*place, failed)) {/if (false) {/"
    "a device that fails after finish is not heard|comm/device_uses.cpp|late_device_programs DevicesFailLater.*|s/if (!use->told \&\& !place) place.emplace(.*$//"
    "what a device has failed in is not told by the next start|exchange/round.cpp|late_device_programs DevicesFailLater.*|/^void Round::do_post/,/^}/s/^        raise_device_failure();//"
    "finish does not ask whether its device has failed|exchange/round.cpp|late_device_programs *BeforeFinish.*|s/if (!run_.on_host()) require_sound_devices();//"
    "a failure that was told is told again|exchange/device_work.cpp|late_device_programs *BeforeFinish.*|s/use_->told = true;/throw;/"
    "destroying does not say what a device has failed in|capi/exchange.cpp|late_device_programs DevicesFailLater.*|s/^        throw Error(.failed);//"
    "what nobody is left to be told of is lost|comm/devices.cpp|late_device_programs DevicesFailLater.*|s/^    owner.gone = true;//"
    "a device's failure does not say whose work it was|exchange/round.cpp|late_device_programs DeviceErrors.ALaunch*|s/const Error error = named(present_error(), run_.epoch);/const Error error = present_error();/"
    "memory of the host is bound as a device's|comm/devices.cpp|late_device_programs PointersOfDevices.*|s/? !on_host \&\& !elsewhere : !on_device) return {};/? !elsewhere : !on_device) return {};/"
    "memory of another device is bound|comm/devices.cpp|late_device_programs PointersOfDevices.*|s/? !on_host \&\& !elsewhere : !on_device) return {};/? !on_host : !on_device) return {};/"
    "check mode does not look at the pointers of a run|exchange/round_spaces.cpp|late_device_programs PointersOfDevices.*|s/if (check_ \&\& run.data) require_kinds(run);//"
    "a device's memory is bound as the host's|comm/devices.cpp|late_device_programs PointersOfDevices.*|s/? !on_host \&\& !elsewhere : !on_device) return {};/? !on_host \&\& !elsewhere : true) return {};/"
    "the last part of a block is not looked at|field/field.cpp|late_device_programs PointersOfDevices.*|s/if (i == 0 .. i + 1 == n_parts) require_kind/if (i == 0) require_kind/"
    "ranks open transports of two kinds|comm/context_transports.cpp|misuse Bootstraps.*|s/if (other == all.end()) return;/return;/"
    "all ranks of a host take one device|plugin/own_device.cpp|late_device_programs OwnDevices.*|s/own.ordinal = local.number % own.n;/own.ordinal = 0;/"
    "a device that is not there is taken|plugin/own_device.cpp|late_device_programs OwnDevices.*|s/if (own.n > 0 \&\& asked >= own.n)/if (own.n > 0 \&\& asked > own.n)/"
    "loops take the first device|access/mirror.h|late_device_programs OwnDevices.*|s/return context.devices().own().ordinal;/return context.devices().own().ordinal * 0;/"
    "tables are not kept for a device|exchange/round_spaces.cpp|late_device_programs OnDevices.Abandoned*|s/if (piece.takes_part \&\& piece.work) piece.work->keep/if (false) piece.work->keep/"
    "flags of null edges are those of another run|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.Sparse*|s/^        std::memset(piece.flags, 0, n);//"
    "null edges are sent as data from devices|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.Sparse*|s/const bool data = piece.flags.single.flag. != 0;/const bool data = true;/"
    "what is null within the rank is copied on devices|exchange/sparse.cpp|late_device_programs KindsOnDevices.Sparse*|s/piece.work->add(piece, one.copy, HALO_ROWS_FLAGGED);/piece.work->add(piece, one.copy);/"
    "ghosts of null neighbours are not filled on devices|exchange/sparse.cpp|late_device_programs KindsOnDevices.Sparse*|s/if (has_storage(one) .. !corrects) piece.work->add_row(piece, one.fill_row, HALO_ROWS_UNFLAGGED);//"
    "what arrives within the rank on a device is not set aside|exchange/sparse.cpp|late_device_programs KindsOnDevices.Sparse*|s/if (is_set_aside(one)) piece/if (false) piece/"
    "what moves to another list is as new|exchange/ages.cpp|test_levels *BlocksAreAsOld*|s/^    for (const auto &.of, age. : all_) .*$//"
    "a block is as old as the oldest that it is made of|exchange/ages.cpp|test_levels|s/least = std::min(least, age);/least = std::max(least, age);/"
    "coarse cells of a sparse part stay when it has no storage|exchange/kinds/level_steps.cpp|late_device_programs KindsOnDevices.CoarseCells*|s/^    if (.item.by_part.empty()) item.by_part.static_cast<size_t>(part). = {};//"
    "a device reads the fill value on the host|exchange/round_spaces.cpp|late_device_programs KindsOnDevices.Sparse*|s/return run_.pieces.number..work \&\& field.spec().sparse ?/return false ?/"
    "sums on a device are put on its own stream|exchange/device_work.cpp|late_device_programs KindsOnDevices.Sums|s/ops.ranges_combine(device_.instance(), step.combined, step.n, stream_)/ops.ranges_combine(device_.instance(), step.combined, step.n, HALO_STREAM_NONE)/"
    "each field is combined in a launch of its own|exchange/device_work.cpp|late_device_programs CombiningOnDevices.All*|s/^    if (steps.empty()) return;/    combine(); if (steps.empty()) return;/"
    "an owner's value is combined with what it should overwrite|exchange/device_work.cpp|late_device_programs CombiningOnDevices.All*|s/steps.front().moves ? first.n : 0,/0,/"
    "single launches are not counted|exchange/device_work.cpp|late_device_programs CombiningOnDevices.All*|/^void DeviceWork::launch_one/,/^}/s/^    count_launches(1);//"
    "devices are asked for a launch that they lack|exchange/device_work.cpp|late_device_programs CombiningOnDevices.Modules*|s/if (step.kind == HALO_STEP_COMBINE \&\& !ops.ranges_combine) {/if (false) {/"
    "what overwrites is left out where a device combines table by table|exchange/device_work.cpp|late_device_programs CombiningOnDevices.Modules*|s/^    run(range.first, range.n_moved, HALO_COPY_MOVE);//"
    "sums on a device are staged on the host|exchange/round.cpp|late_device_programs KindsOnDevices.Sums|s/piece.work ? context_.pools().pool(HALO_MEMORY_DEVICE, piece.work->device().ordinal()) : host/host/"
    "messages of edges of their own are packed at one place|plan/lower/rows.cpp|late_device_programs KindsOnDevices.*Own|s/static_cast<uint32_t>(done_.n_bases++)/static_cast<uint32_t>(done_.n_bases++ \& ~1u)/"
    "a rank without peers does not wait for what its device tests|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.Sparse*|s/if (first_packing_mark_ > 0 \&\& !reached(0)) return false;//"
    "a message leaves with the first launch of many|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.InChunks|s/^        marks_.one.link. = n_marks;//"
    "edges without storage take room where a device packs|exchange/messages_on_devices.cpp|late_device_programs SparseOnDevices.*|s/return piece.source_part(single.edge.send_part) != nullptr; };/return piece.source_part(single.edge.send_part) != nullptr || one.bytes == 0; };/"
    "edges without storage have room in messages|exchange/messages.cpp|late_device_programs SparseOnDevices.*|s/^        links_.i.->send_at_most.*$//"
    "what has come of single edges is copied before it is read|exchange/messages_on_devices.cpp|late_device_programs SparseOnDevices.*|s/!in_parts() .. link.has_come_to(pinned_by(piece)) ? from : copied/false ? from : copied/"
    "each peer's message is unpacked in a launch of its own|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.PeersThat*|s/if (unpacked_bytes_ < chunk_) return false;//"
    "dense values are packed beside their message|exchange/messages_on_devices.cpp|late_device_programs OnDevices.Dense*|s/|| (links_.one.link.->lies_there()/|| (apart \&\& links_[one.link]->lies_there()/"
    "dense values are copied from their message before they are read|exchange/messages_on_devices.cpp|late_device_programs OnDevices.Dense*|s/: link.has_come_to(pinned_by(piece)));/: i > 99999 \&\& link.has_come_to(pinned_by(piece)));/"
    "a message comes where a device still reads the one before|exchange/messages_on_devices.cpp|late_device_programs OnDevices.WhatHasCome*|s/return work->keep(links_.i.->take_received());/return;/"
    "check mode looks at devices|exchange/check_mode.cpp|late_device_programs DeviceErrors.Check*|s/return piece.takes_part \&\& !piece.work;/return piece.takes_part;/"
    "the pointers of a run lie where the field is bound|exchange/round_spec.cpp|late_device_programs OnDevices.Storage*|s/^    if (run.data \&\& run.devices) return.*$//"
    "parts of one set lie in two memories|field/field.cpp|late_device_programs DeviceErrors.AllStorage*|s/if (space == now || n_others == 0) return;/return;/"
    "a device may still write where a later message lies|stream/stream.cpp|late_device_programs DeviceErrors.ARun*|s/    if (memory_ \&\& !slots_.slot_.->in_flight) slots_/    if (false) slots_/"
    "pinned memory of a device that is not there is taken|field/field.cpp|late_device_programs DeviceErrors.AnOrdinal*|s/if (binding.memory == HALO_MEMORY_PINNED \&\& /if (false \&\& /"
    "a launch that fails leaves its rows behind|exchange/device_work.cpp|late_device_programs DeviceErrors.*|/^void DeviceWork::end(/,/^}/s/^    forget_held();//"
    "what a device has packed is not marked|exchange/device_work.cpp|late_device_programs OnDevices.*|s/marks_\[n_marks_++\].record(stream_);/++n_marks_;/"
    "a message is let go of while a device packs it|exchange/messages_on_devices.cpp|late_device_programs KeptForDevices.*|s/^    if (one.in_place .. !apart .. piece.work) piece.work->keep(message);//"
    "fill values are not kept for a device|exchange/round_spaces.cpp|late_device_programs KeptForDevices.*|s/^    piece.work->keep(copy);//"
    "staged sums are not kept for a device|exchange/round.cpp|late_device_programs KeptForDevices.*|s/^    if (piece.work .. staging_\[number\]) piece.work->keep.*$//"
    "no other call lets a run's messages leave|exchange/round_spaces.cpp|late_device_programs OnDevices.Messages*|s/^    if (leaves_later_) context_.departures().add(\*this);//"
    "storage that arrives is filled in the device's own stream|exchange/sparse.cpp|late_device_programs KindsOnDevices.Sparse*|s/work->device(), work->stream())/work->device(), nullptr)/"
    "a loop takes memory of a device for the host's|access/mirror.cpp|late_device_programs DeviceErrors.ALoop*|s/^    if (field_.space(set_).on_device())/    if (set_ < 0)/"
    "memory of a mirror goes back while a device uses it|comm/context.cpp|late_device_programs *StorageOfFields*|/^void Context::keep_for_device/,/^}/s/^        use->done.record(stream);//"
    "what is kept for a device goes before its event|comm/device_uses.cpp|late_device_programs *Abandoned*|s/^    use->done = std::move(done);.*$//"
    "a mirror is kept for another stream than its loop's|access/mirror.cpp|late_device_programs *StorageOfFields*|s/^    if (where == HALO_ON_DEVICE) put_on(stream);.*$//"
    "what a call that failed has put on is not waited for in another stream|exchange/round_spaces.cpp|late_device_programs OnDevices.AStream*|s/ work->leave_failed_call();/ static_cast<void>(work);/"
    "what unpacking puts on goes where start has put its work|exchange/round.cpp|late_device_programs OnDevices.AStream*|/^void Round::unpack(/,/^}/s/^        put_on(stream);//"
    "what start puts on goes where the run before was|exchange/round.cpp|late_device_programs OnDevices.AStream*|/^void Round::send_when_writable/,/^}/s/^        put_on(stream);//"
    "what is sent after post goes where the run before was|exchange/round.cpp|late_device_programs OnDevices.*|/^bool Round::send(/,/^}/s/^        put_on(stream);//"
    "chunks are unpacked where start has put its work|exchange/round.cpp|late_device_programs OnDevices.*|s/^    if (!run_.on_host()) step(.&. { put_works_on(stream); });//"
    "a device whose storage comes with data has no stream|exchange/round_spaces.cpp|late_device_programs KindsOnDevices.Storage*|s/^            put_on(stream_);//"
    "a run does not end on its devices|exchange/round_spaces.cpp|late_device_programs OnDevices.*|s/work->end(run_.epoch);/(void)work;/"
    "the test of a rank's own edges is not marked|exchange/messages_on_devices.cpp|late_device_programs KindsOnDevices.Sparse*|s/^        for (DeviceWork .work : run.works) work->mark();/        (void)run;/"
    "packing is not marked|exchange/messages_on_devices.cpp|late_device_programs OnDevices.*|s/^        work->mark();//"
    "zeros on a device are not marked|comm/first_values.cpp|late_device_programs *Memory*|s/^    written.record(nullptr);//"
    "memory is handed out before a device has written zeros|comm/first_values.cpp|late_device_programs *Memory*|s/^    while (!written.has_fired())/    while (false)/"
    "a context does not wait for its devices|capi/context.cpp|late_device_programs DevicesFailLater.*|s/failed = object->context.end_device_work();/failed;/"
    "memory that a device does not let go is given back with the context|comm/context_end.cpp|late_device_programs KeptForDevices.What*|s/^    kept_->lost_memory = devices_->lose_all() .. kept_->lost_memory;//"
    "copies of a mirror are put on the device's own stream|access/mirror.cpp|late_device_programs *StreamOfALoop*|s/static_cast<size_t>(run.bytes), put_on(stream));/static_cast<size_t>(run.bytes), stream ? nullptr : stream);/"
    "fills of a mirror are put on the device's own stream|access/mirror.cpp|late_device_programs *StreamOfALoop*|s/static_cast<int64_t>(unit), put_on(stream));/static_cast<int64_t>(unit), stream ? nullptr : stream);/"
    "sizes of a channel change while its device is at work|channel/registry.cpp|late_device_programs *OtherSizes*|/^bool ChannelRegistry::resize/,/^}/s/^    if (!leave_group(channel)) return false;/    static_cast<void>(leave_group(channel));/"
    "a program's memory of a device is not taken|comm/devices.cpp|late_device_programs DevicePools.Memory*|s/ .. pools.has(memory, device.ordinal())) return;/) return;/"
    "figures of pools leave further devices out|memory/pool.cpp|late_device_programs DevicePools.Each*|s/if (one.memory == memory) figures += /if (one.memory == memory \&\& one.device < 0) figures += /"
    # Channels and groups on devices
    "a group is received before its slices have left|channel/aggregate.cpp|late_device_programs DeviceGroups.OneWay|s/!leaving_ \&\& !rows_leave_ \&\& (local_states_.empty() || sent_)/local_states_.empty() || (sent_ \&\& !leaving_)/"
    "what a device fetches for rows is not marked|channel/aggregate_by_rows.cpp|late_device_programs *Parts*|s/^        device_->fetched_part(i).record(stream);//"
    "rows leave only when their group is asked for them|channel/aggregate_by_rows.cpp|late_device_programs *Leaving*|/^void AggregateRun::fetch_rows/,/^}/s/^    context().departures().add(.this);//"
    "what a device fetches of rows of a group that is given up is not kept|channel/device_slices.cpp|late_device_programs DeviceGroups.Abandoned*|s/^    for (Event .event : fetched_parts_) keep_until(event);//"
    "a group's run ends before it has left|channel/aggregate_on_device.cpp|late_device_programs DeviceGroups.*|s/if (!leaving_ \&\& staling_/if (staling_/"
    "a group is drained while its device is at work|channel/aggregate.cpp|late_device_programs DeviceGroups.*|/^bool AggregateRun::drain/,/^}/s/^    if (!ready()) return false;//"
    "a group is drained before its last run has ended|channel/aggregate.cpp|late_device_programs DeviceGroups.WhatIsDrained*|/^bool AggregateRun::drain/,/^}/s/^        if (!ready()) return false;//"
    "a channel's message leaves before its device has fetched it|channel/device_mail.cpp|late_device_programs *Between.*|s/if (!mail.done.has_fired()) return false;//"
    "what a device does for a channel is not marked|channel/device_mail.cpp|late_device_programs *Between.*|s/^    mail.done.record(stream);//"
    "what channels wait for is looked at by none|channel/device_mail.cpp|late_device_programs *Between.*|s/^    context_.departures().add(\*this);//"
    "memory of a message on a device goes back when the channel is used again|channel/device_mail.cpp|late_device_programs DeviceChannels.MemoryFollows*|s/^    mail->buffer.reset();//"
    "memory of a stale channel goes back when the channel is used again|channel/device_mail.cpp|late_device_programs DeviceChannels.MemoryFollows*|/^bool MailQueue::go_on/,/^}/s/^    mail.device_memory.reset();//"
    "what a device uses for a channel that is given up is not kept|channel/device_mail.cpp|late_device_programs DeviceChannels.Abandoned*|s/^        context_.devices().uses(device_).keep(mail.done, .*$//"
    "the checksum of what a device has fetched is left out|channel/device_mail.cpp|late_device_programs DeviceChannels.*CheckMode|s/if (std::exchange(mail.summed, false))/if (false)/"
    "calls on channels let no messages leave|capi/channel.h|late_device_programs *Between.*|s/context->admit(Inside::nothing);/context->call_rules().require(Inside::nothing);/"
    "a channel goes on while its device is at work|channel/mailbox_on_device.cpp|late_device_programs *Between.*|s/^    if (mail.waits) return false;//"
    "a channel's payload is fetched in another stream than the sender's|channel/mailbox_on_device.cpp|late_device_programs *Between.*|s/buffer_.data(), payload, stream);/buffer_.data(), payload, nullptr);/"
    "a message leaves when another stream has come there|channel/mailbox_on_device.cpp|late_device_programs *Between.*|s/Work::leaving, stream);/Work::leaving, nullptr);/"
    "what has come is received before the device has it|channel/mailbox_on_device.cpp|late_device_programs *Between.*|s/mails().await(mail, DeviceMail::Work::landing, nullptr);/mail.work = DeviceMail::Work::landing;/"
    "what is sent within a rank does not wait for its stream|channel/mailbox_on_device.cpp|late_device_programs DeviceChannels.WithinOneRank*|s/Work::turning_up, stream_of_device(stream)/Work::turning_up, nullptr/"
    "stale waits for another stream than the caller's|channel/mailbox_on_device.cpp|late_device_programs DeviceChannels.Stale*|s/Work::staling, stream_of_device(stream)/Work::staling, nullptr/"
    "what an allocator gave for a sparse channel stays when it is made stale|channel/mailbox_on_device.cpp|late_device_programs DeviceChannels.WhatAnAllocator*|s/if (work == Work::staling .. sparse_ .. role_ == Role::receiver) release_buffer();//"
    "the payload of a channel that is given up is not kept|channel/mailbox_on_device.cpp|late_device_programs DeviceChannels.Abandoned*|s/^    if (!mail.device_memory) mail.device_memory = .*$//"
    "within a rank a channel is sent before its last reader is done|channel/mailbox_on_device.cpp|late_device_programs DeviceChannels.WithinOneRank*|s/^    if (state_ == HALO_STALE .. !settled()) return false;//"
    "memory that a device reads is let go of|channel/mailbox.cpp|late_device_programs DeviceChannels.WithinOneRank*|/^bool Mailbox::is_unused/,/^}/s/^    if (!settled()) return false;//"
    "who destroys a channel does not look whether its device is done|channel/mailbox.cpp|late_device_programs DeviceChannels.BothWays*|s/return !settled() .. operation_/return operation_/"
    "rows are ready before their stream has come there|channel/aggregate_by_rows.cpp|late_device_programs *Parts*:DeviceGroups.APart*|s/if (!device_->fetched_part(i).has_fired()) {/if (rows_leave_ \&\& i > parts_.size()) {/"
    "null flags of some rows are taken for those of the table|channel/aggregate_by_rows.cpp|late_device_programs *Parts*|s/(part.of_table ? slots_.size() : part.begin)/part.begin/"
    "what has come for a group is not marked|channel/device_slices.cpp|late_device_programs *Groups.*|s/^    landed.record(nullptr);//"
    "what a device uses of a group that is given up is not kept|channel/device_slices.cpp|late_device_programs DeviceGroups.Abandoned*|s/^        context_.devices().uses(device_).keep(event, .*$//"
    "what has come for a group that is given up is not kept|channel/device_slices.cpp|late_device_programs *GivenUp*|s/{ .fetched, .landed, .staled }/{ \&fetched, \&staled }/"
    "what is read of a group that is given up is not kept|channel/device_slices.cpp|late_device_programs *GivenUp*|s/{ .fetched, .landed, .staled }/{ \&fetched, \&landed }/"
    "what a device fetches for a group is not marked|channel/aggregate_on_device.cpp|late_device_programs *Groups.*|s/^    device_->fetched.record(stream);//"
    "a group's messages leave before the device has fetched them|channel/aggregate_on_device.cpp|late_device_programs *Groups.*|s/leaving_ .. device_->fetched.has_fired()/leaving_/"
    "a group's slices are overwritten while they are read|channel/aggregate_on_device.cpp|late_device_programs DeviceGroups.Stale*|s/staling_ .. device_->staled.has_fired()/staling_/"
    "a group is received before the device has it|channel/aggregate_on_device.cpp|late_device_programs *Groups.*|s/return device_->landed.has_fired();/return true;/"
    "a group's messages leave only when it is asked for them|channel/aggregate_on_device.cpp|late_device_programs DeviceGroups*Next|/^bool AggregateRun::send_from_device/,/^}/s/^    context().departures().add(\*this);//"
    "a group's runs end only when it is asked for it|channel/aggregate.cpp|late_device_programs DeviceGroups*Next|s/^        context().departures().add(\*this);//"
    "a group does not mark who reads it|channel/aggregate.cpp|late_device_programs DeviceGroups.Stale*|s/device_->staled.record(\(.*\));/static_cast<void>(\1);/"
    "a group is received before its null flags|channel/aggregate.cpp|late_device_programs *Groups.*|s/bool all = !leaving_ \&\& !rows_leave_ \&\& /bool all = !rows_leave_ \&\& /"
    # Meshes
    "what lies within the least reach is not asked about|mesh/layers.cpp|test_mesh */Meshes.*|s/ || (reach == 1 \&\& set.reach\[number\] == 0)//"
    "an executed ghost lies within no reach|mesh/layers.cpp|test_mesh */Meshes.*|s/^    of.reach\[entity\] = std::min(of.reach\[entity\], layer);//"
    "of several ranks with as many votes the highest owns|mesh/ballot.cpp|test_mesh */Meshes.*|s/votes.rank < best.rank/votes.rank > best.rank/"
    "votes of the deciding rank do not count|mesh/owners.cpp|test_mesh */Meshes.*|s/^        if (votes()) ballot_.for_each(entity, .*$//"
    "an entity may be brought twice|mesh/register.cpp|test_mesh */RefusedMeshes.*|s/if (bringer_\[entry\] != Ballot::nobody)/if (false)/"
    "read ghosts lie by owner alone|mesh/local_order.cpp|test_mesh */Meshes.*|s/: 256u + set_.reach\[number\];/: 256u;/"
    "rows that are here already are taken again|mesh/rows.cpp|test_mesh */Meshes.*|s/const bool is_new = .*$/const bool is_new = true;/"
    "a message of rows may go on behind its end|mesh/packing.h|unit_mesh|s/if (at_ < bytes_.size()) fail/if (false) fail/"
    "an entity may have two owners|mesh/rows.cpp|unit_mesh|s/if (of.owners\[number\] != owner)$/if (false)/"
    "ghosts of columns begin where the first column does|mesh/columns.cpp|test_mesh */MeshColumns.*|s/columns.firsts\[entity\] });/columns.firsts[0] });/"
    "a layer may lead beyond a column|mesh/columns.cpp|test_mesh */MeshColumns.*|s/ || std::max(first, last) >= there//"
    "points of columns do not know how far they are read|mesh/mesh.cpp|test_mesh */MeshColumns.*|s/base.groups\[i - base.n_owned()\]);/0u);/"
    "entities that nobody owns may be named|mesh/mesh.cpp|test_mesh */MeshTargets.*|s/if (report.n_unclaimed_here > 0)/if (false)/"
    "own entities are copies of what is named|mesh/mesh.cpp|test_mesh */MeshTargets.*|s/flags(n_owned, HALO_KEY_CLAIM);/flags(n_owned, HALO_KEY_WANT);/"
    "rows of core entities stay where they were brought|mesh/local_order.h|test_mesh */Meshes.*|s/rows.data() + place \* width;/rows.data() + i * width;/"
    "all votes are those of the first rank|mesh/ballot.cpp|test_mesh */Meshes.*|s/= only.n;/= 0;/"
    "ghosts do not know how far they are read|mesh/local_order.cpp|test_mesh */Meshes.*|s/groups .= HALO_MESH_REACH(reach);/groups |= 0;/"
    "keys beside the table are not found again|topology/keys/key_index.cpp|test_mesh */Meshes.*|s/^    hashed_.push_back(slot);//"
    # Runs without values
    "a run without fields is taken for one with all|exchange/round.cpp|misuse ManyFields.*|s/if (!any) run_.narrowing = .*$//"
    "a run without fields is named as one with all|exchange/links.cpp|misuse ManyFields.*|s/if (!run.takes_any()) return .*$//"
    # Callers and modules of other versions
    "a struct must be as long as it is now|capi/guard.h|misuse Versions.*|/^void write_struct(/,/^}/s/first_version<T>, sizeof/FirstVersion{ first_version<T>.name, sizeof(T) + 1 }, sizeof/"
    "an older caller's struct, filled by name, is written behind its end|capi/struct_init.cpp|misuse StructInit.*|s/= std::min(bytes, initial.bytes);/= initial.bytes;/"
    "structs filled by name have the size that this library knows|capi/struct_init.cpp|misuse StructInit.*|s/if (initial.has_size) std::memcpy/if (false) std::memcpy/"
    "rows lie as this library's do|capi/list.h|misuse Rows.*|s/^        row += row_bytes;/        row += sizeof(T);/"
    "what of a row this library does not know stays as it was|capi/list.h|misuse Rows.*|s/^        std::memset(row + known, 0, row_bytes - known);//"
    "what this library does not know of an item is not looked at|base/items.cpp|misuse Rows.*|s/if (bytes > known_bytes \&\& !all_zero/if (false \&\& !all_zero/"
    "what an older caller lacks is read behind its struct|capi/status.cpp|misuse Versions.*|s/, std::min(user_bytes, known_bytes) - head/, known_bytes - head/"
    "what this library does not know is not looked at|capi/status.cpp|misuse Versions.*|s/if (size > known_bytes \&\& !all_zero/if (false \&\& !all_zero/"
    "an older caller's memory is written behind its struct|capi/status.cpp|unit_base Structs.*|s/const size_t known = std::min(size, known_bytes);/const size_t known = known_bytes;/"
    "libhalo.a looks beside the program alone|plugin/module_search.cpp|unit_plugin Modules.*|s/if (installed_module_directory) .*//"
    "libhalo.a looks first where it was installed|plugin/module_search.cpp|unit_plugin Modules.*|s/directories.emplace_back(installed_module_directory)/directories.insert(directories.begin(), installed_module_directory)/"
    "a transport's table is read behind its end|comm/transport.cpp|unit_plugin ModuleVersions.*|s/std::min(sizeof ops_, plugin.ops->struct_size)/sizeof ops_/"
    "a device's table is read behind its end|comm/device.cpp|unit_plugin ModuleVersions.*|s/std::min(sizeof ops_, plugin.ops->struct_size)/sizeof ops_/"
    "a transport's description is read behind its end|plugin/registry.h|unit_plugin ModuleVersions.*|s/one.struct_size >= /one.struct_size <= /"
    # Rendezvous
    "a context that a rendezvous has refused counts|plugin/rendezvous.cpp|unit_plugin RendezvousTest.Refuses|s/^    if (kept_) return;/    return;/"
    "what a transport makes of a failed exchange is told instead of it|plugin/rendezvous.h|unit_plugin RendezvousTest.AnExchange*|s/const Error why = failed_ ? \*failed_ : present_error();/const Error why = present_error();/"
    "other ranks do not hear why one gives up|plugin/rendezvous.cpp|unit_plugin RendezvousTest.OthersHearWhy|s/send(rendezvous::give_up, .*$/static_cast<void>(why);/"
    "the ranks of a transport are told as those of the next|comm/fabric.cpp|halo_fabric Reach/*|s/serves_\[static_cast<size_t>(peer)\] == number; };/serves_[static_cast<size_t>(peer)] != number; };/"
    "ranks of another container are of this host|memory/shared_file.cpp|unit_memory HostNumber*|s/Digest::mix(checksum(text, n) + numbers)/Digest::mix(checksum(text, n) + 0 * numbers)/"
    "what a transport makes of a failed exchange by a bootstrap module is told instead|plugin/started_ranks.h|unit_plugin StartedRanks.FailuresOfTheModule|s/^            if (failed_) throw Error(\*failed_);//"
    "ranks do not hear that one could not choose its transport|plugin/started_ranks.cpp|unit_plugin StartedRanks.WhatFails*|s/^        mine.status = failure->status();//"
    "the last rank that fails is taken for the first cause|plugin/started_ranks.cpp|unit_plugin StartedRanks.WhatFails*|s/static_cast<int32_t>(first - all.begin()), /static_cast<int32_t>(all.end() - first), /"
    "a bootstrap is waited for without a time limit|plugin/started_ranks.cpp|unit_plugin StartedRanks.TimeLimit*|s/time_limit_ > 0 ? begun_ + time_limit_ : forever/forever/"
    "PMIx is taken where the MPI of the launcher is there|plugin/selection.cpp|unit_plugin Selection.Pmix*|s/^    return !mpi.mpi.empty() \&\& rate_plugin.*;/    return mpi.launcher_ranks < 0;/"
    "PMIx goes before an MPI that is initialised|plugin/selection.cpp|unit_plugin Selection.Pmix*|s/{ return loaded.initialised; })) return true;/{ return loaded.initialised; })) return false;/"
    "an MPI that is left out serves all the same|plugin/selection.cpp|unit_plugin Selection.Pmix*|s/^    if (list.leaves_out(mpi.module())) return .*$//"
    "who waits too long does not ask who is missing|plugin/rendezvous.cpp|unit_plugin RendezvousTest.NamesWho*|/now >= limit/,/ends = true/s/            send(ask, 0, nullptr, 0);//"
    "what the launcher tells programs is taken for settings|base/config_source.cpp|unit_base ConfigSources.*|s/ .. name.starts_with(launcher_prefix)//"
    # Waiting
    "a rank that is asked does not answer|comm/inquiries.cpp|unit_comm Inquiries.*|s/if (header.kind == InquiryKind::question) send/if (false) send/"
    "what another rank answers is not compared|comm/inquiries.cpp|unit_comm Inquiries.*|s/    if (text.empty()) {/    if (true) {/"
    "an inquiry of another length is read|comm/inquiries.cpp|unit_comm Inquiries.*|s/header.text_bytes != message.size() - sizeof header/false/"
    "who asks again forgets what has been answered|comm/inquiries.cpp|unit_comm Inquiries.*|s/std::erase_if(object->second.known, .*$/object->second.known.clear();/"
    "a rank that waits does not ask|comm/wait.cpp|misuse BetweenRanks.*|s/    inquiries.ask(serial_);//"
    "a rank without peers does not hear questions|exchange/round.cpp|misuse BetweenRanks.Ghosts*|s/plan_->links().empty()) context_/false) context_/"
    "a run stands for one that does something else|exchange/run_times.cpp|unit_exchange RunTimes.*|s/^    measured_ = true;//"
    # Threads
    "a failure that a progress thread finds is forgotten|comm/progressing.h|halo_goes_wrong WhileARankComputes.*|s/if (!failed_) failed_ = present_error();/present_error();/"
    "a call on another thing takes from under one that is at work|comm/progressing.h|unit_comm Progressing.WhatACall*|s/^        if (at_work_) return false;//"
    "several threads are let in and take no turns|comm/call_lock.h|unit_comm CallLocks.CallsOf*|s/takes_turns_ = several .. own;/takes_turns_ = own;/"
    "a wait in an exchange keeps others out|comm/call_lock.h|unit_comm CallLocks.AWait*|s/if (!gives_way()) ..likely../if (gives_way() \|\| !gives_way()) [[likely]]/"
    "a wait in a call that is called back lets others in|comm/call_lock.h|unit_comm CallLocks.OtherWaits*|s/return in_call_ .. depth_ <= 1;/return in_call_;/"
    "a wait that lets nobody in sleeps where somebody waits for his turn|comm/wait.h|unit_comm CallLocks.AWaitIsCut*|s/return lets_others_in_ .. lock/return lock/"
    "waits of runs keep others out|comm/wait.cpp|test_progress *Threads.OneThatWaits*|s/lets_others_in_ ? .*let_others_in(rest) : rest();/rest();/"
    "two threads are in one exchange|comm/call_lock.cpp|unit_comm CallLocks.AWait*|s/^    if (.in_call) {/    if (!in_call) {/"
    "who has left an exchange is still in it|comm/call_lock.cpp|unit_comm CallLocks.AWait*|s/if (in_call_) .std::exchange(in_call_, nullptr) = false;/in_call_ = nullptr;/"
    "calls that overlap are not seen in check mode|comm/call_lock.cpp|unit_comm CallLocks.InCheckMode*|s/takes_turns_ ? take_turn() : claim();/if (takes_turns_) take_turn();/"
    "calls that overlap are not seen beside a progress thread|comm/call_lock.cpp|unit_comm CallLocks.ACallWaits*|s/^    if (checks_) claim();.*//"
    "a call on an exchange is not noted|capi/handle.h|test_progress *Threads.TheSame*|s/handle->kind == HandleKind::exchange ? .handle->in_call : nullptr/handle \&\& false ? \&handle->in_call : nullptr/"
    "a context in which a thread waits is destroyed|capi/context.cpp|test_progress *Threads.AContext*|s/^        if (object.context.call_lock().any_rests()) fail(.*//"
    "the progress thread does not begin|comm/context.cpp|test_progress *Overlap.AMessage*|s/^    if (progress_thread_) progress_thread_->begin();//"
    "the progress thread looks at the transport alone|comm/context.cpp|test_progress *Overlap.AMessage*Probed|s/return progressing_.progress();/return true;/"
    "a message that has come alone is lost|stream/stream_receive.cpp|unit_stream *Alone.*|s/if (has_come(bytes)) held_ = bytes;/if (has_come(bytes)) held_.reset();/"
    "a message that has come alone is taken twice|stream/stream_receive.cpp|unit_stream *Alone.*|/^bool Stream::receive_one/,/^}/s/^        held_.reset();//"
    "memory is taken for what comes alone|stream/stream_receive.cpp|unit_stream *Alone.NoMemory*|s/return !alone .. is_fit(receive_buffer_, bytes);/return alone || is_fit(receive_buffer_, bytes);/"
    "memory is taken to find what comes alone|stream/stream_receive.cpp|unit_stream *Alone.NoMemoryIsTakenToFind*|s/^    if (alone .. !context_.fabric().has_room_to_find()) return false;//"
    "a message comes alone over one that has not been unpacked|stream/stream_receive.cpp|unit_stream *Alone.*|/^bool Stream::come_alone/,/^}/s/if (arrived_ .. held_) return true;/if (held_) return true;/"
    "messages that have left alone keep the thread awake|stream/stream_receive.cpp|unit_stream *Alone.Own*|/^bool Stream::progress_alone/,/^}/s/std::for_each(std::begin(slots_), .*/if (slots_[0]->in_flight) under_way = true;/"
    # Streams
    "a run in a slot tells of parts of a run before|stream/stream.cpp|late_device_apart Apart.RunsOnTheHost*|s/sending_shared_ ? none : leaving_/false ? none : leaving_/"
    "what is sent after all may not have left|exchange/paths/get.cpp|halo_goes_wrong LeavingLoans.*|s/links_\[i\]->see_off(timeout);/static_cast<void>(timeout);/"
    "a finished run leaves a message behind that waits for its rank|stream/stream.cpp|halo_goes_wrong *Leaving*|s/^    if (!sends_by_calls_) return false;/    return false;/"
    "who fails keeps a peer waiting for its message to be taken|stream/stream.cpp|halo_goes_wrong *Leaving*|s/if (tells \&\& spec_.send.active)/if (false)/"
    "who abandons keeps a peer waiting for its message to be taken|stream/stream.cpp|halo_goes_wrong *Leaving*|s/^    if (keeps_peer_waiting()) try {/    if (false) try {/"
    "a wait takes nothing for other runs|comm/wait.cpp|halo_goes_wrong *Leaving.RanksMay*|s/^    if (turns_ % turns_per_taking.*$//"
    "a poll takes nothing for other runs|comm/context.h|halo_goes_wrong *Leaving.RanksMay*|s/if (sends_by_calls_ .. ++n_calls_ .*$/if (false)/"
    "who waits for a group takes nothing for it|channel/aggregate.cpp|halo_goes_wrong *Leaving.Groups*|/^void AggregateRun::take_what_has_come/,/^}/s/^    if (!begun_ .. received_) return;/    return;/"
    "a module's word that its messages need calls is not heard|comm/transport.h|unit_plugin ModuleVersions.*|s/return ops_.sends_by_calls .. ops_.sends_by_calls(instance_, peer) != 0;/return false;/"
    "word of a failure is left behind|stream/stream.cpp|halo_goes_wrong *Leaving*|/^void Stream::send_failure/,/^}/s/^    see_off();//"
    "a sender that nobody answers is three runs ahead|stream/stream.cpp|test_channel AggregatedGroup.*|s/epoch_ - consumed_by_peer_ <= 2/epoch_ - consumed_by_peer_ <= 3/"
    "a rank that sends nothing tells of its failure besides|stream/stream.cpp|halo_counts *Failed*|s/^    if (!spec_.send.active) return send_handshake();.*$//"
    "a receiver that sends nothing returns no credit|stream/stream.cpp|test_channel AggregatedGroup.*|s/if (spec_.receive.active \&\& !spec_.send.active) send_extra/if (false) send_extra/"
    "that a peer reads shared memory is not noted|stream/stream_receive.cpp|unit_comm SharedSlots.*|s/peer_reads_shared_ = peer_reads_shared_ .*$//"
    "a failure of which a peer tells is dropped|stream/stream_receive.cpp|misuse BetweenRanks.*|/^void Stream::take_failure/,/^}/s/if (is_before(header.epoch, epoch_)/if (!is_before(epoch_, header.epoch)/"
    "in a handshake one direction alone is compared|stream/stream_receive.cpp|halo_goes_wrong *OneWay*|s/ \&\& peer.receive == spec_.send.digest)/)/"
    "a rank that finds another plan keeps its edges to itself|stream/stream.cpp|halo_goes_wrong Lists.*|s/extra->abandoned = !differs .. is_of_this_run(\*extra);/extra->abandoned = true;/"
    "who waits forgets for whom|stream/stream.cpp|unit_stream|s/^    blocked_ = true;//"
    "terms that had no room in the handshake are not compared|stream/stream_mismatch.cpp|misuse ManyFields.*|s/^    compare_terms(spec_.terms().packed(), {.*$//"
    "a failure that lasts is not told to those that have this rank's part|stream/stream.cpp|unit_stream Parts.*|s/(has_part \&\& !lasts)/has_part/"
    "only what travels on a link is compared|exchange/links.cpp|misuse *IsNamedOnEveryRank*|s/direction.digest.add(terms);/(void)terms;/"
    "of many fields those that a mask leaves out are miscounted|exchange/links.cpp|misuse ManyFields.*|s/if (of_peer) takes ? ++taken : --taken;//"
    "how a peer has narrowed its run is not compared|stream/stream_receive.cpp|misuse BetweenRanks.*|s/if (header.narrowing != narrowing_) {/if (false) {/"
    "the digest of data is not compared|stream/stream_receive.cpp|unit_stream|s/header.digest == plan.digest.low \&\& //"
    "data may be shorter than the plan says|stream/stream_receive.cpp|unit_stream|s/right = right \&\& header.payload_bytes == wanted;/(void)wanted;/"
    "data may be announced in storage where they are not|stream/stream_receive.cpp|unit_stream|/^void Stream::check_location/,/^}/s/if (where) fail/if (false) fail/"
    "check mode does not compare checksums|stream/stream_receive.cpp|halo_goes_wrong *Damage*|s/if (sum != checksum(message, summed))/if (sum == 0 \&\& summed == 0)/"
    "late messages of an earlier exchange are taken|stream/stream_receive.cpp|unit_stream|s/if (is_before(header.serial, spec_.serial)) {/if (false) {/"
    "ghosts of a run that was given up stay open to peers|stream/stream.cpp|halo_conformance *Put*|/^void Stream::abandon/,/^}/s/    leases_.end_own();//"
    "a slot of shared memory is written again before it was read|stream/shared_slots.cpp|unit_comm SharedSlots.*|s/(upto - must_be_read) >= 0/(upto - must_be_read) > INT32_MIN/"
    "data longer than their header says are taken|stream/wire.cpp|unit_stream|s/behind - besides != header/behind - besides < header/"
    "a flag that is not known is let pass|stream/wire.cpp|unit_stream|s/(header.flags \& ~known) != 0/header.flags == 0xffff/"
    # Ranks far apart, and calls made again
    "what a receiver has sent in the runs before is given up with the last one|stream/stream.cpp|halo_simulation *Ends*|s/extra->abandoned = extra->abandoned .. is_of_this_run(\*extra);/extra->abandoned = true;/"
    "a collective call made again brings another refusal than before|comm/agree.cpp|halo_simulation *Ends*|s/if (collectives.repeats.*throw;/if (false) throw;/"
    "what comes for one collective is taken for another|comm/collective_stream.cpp|halo_simulation *Ends*|s/held_.try_emplace({ header.number, /held_.try_emplace({ next_ - 1, /"
    "a collective that timed out is not continued|comm/collective_stream.cpp|halo_simulation *Ends*|s/pending_ = stopped_ || (pending_ \&\& untouched);/pending_ = false;/"
    "a collective that timed out is continued on another object|comm/collective_stream.cpp|halo_simulation *Ends*|s/if (pending_ \&\& entered_ != call_)/if (false)/"
    "an object gets the tag of another that lives|comm/tags.cpp|halo_simulation *Ends*|s/first_run_tag + static_cast<int32_t>(at) };/first_run_tag + static_cast<int32_t>(at % 2) };/"
    # What two ranks share
    "a block is given away because of what its former reader says|memory/shared_block.cpp|halo_protocols *Slots*|s/return told >> 32 == tag() ? static_cast<uint32_t>(told) : 0;/return static_cast<uint32_t>(told);/"
    "what lies in a block that is another's now is taken|memory/shared_block.cpp|halo_protocols *Slots*|s/memory_order_acquire) == (tag() << 32 | epoch); }/memory_order_acquire) << 32 == uint64_t{ epoch } << 32; }/"
    "a message is told of before it is written|stream/shared_slots.cpp|halo_protocols *Slots*|s/^    std::memcpy(slots_.slot(header.epoch), \&header, sizeof header);/    slots_.block().tell_written(header.epoch); static_cast<void>(slots_.block().read_epoch()); &/"
    "a slot's message may be another run's|stream/stream_receive.cpp|unit_comm SharedSlots.*|s/ || header.epoch != epoch_)/)/"
    "storage that a peer is at is taken to be free|memory/storage_gate.cpp|halo_protocols|s/while (state_of(now) != State::claimed)/while (true)/"
    "a peer that lags behind uses storage of a later run|memory/storage_gate.cpp|halo_protocols|s/uint64_t expected = word(serial, epoch, State::open);/uint64_t expected = SharedWord(block_.state()).load(std::memory_order_acquire);/"
    "who has read what was changed meanwhile does not learn it|memory/storage_gate.cpp|halo_protocols *Get*|s/state.store(revoked_word(serial, State::done), std::memory_order_release);/&return true;/"
    "who does not wait for a reader does not tell it|stream/storage_leases.cpp|halo_protocols *Get*|s/ \&\& gate().revoke())/)/"
    "storage that a peer is at is not leased|stream/storage_leases.cpp|halo_protocols *Put*|s/context_.leases().take_over(own_);//"
    "who waits for a peer keeps what that may wait for|stream/storage_leases.cpp|late_device_direct *GivenUp*|s/^        context_.let_depart();.*$//"
    "peers are told of a start that is busy|exchange/round.cpp|late_device_direct *IsBusy*|s/if (error.status() != HALO_BUSY) refuse(error);/refuse(error);/"
    # Leases
    "storage beside that of a lease is busy|memory/leases.cpp|unit_memory Leases.*|s/before(own.data(), other.data() + other.size()) \&\& //"
    "a lease of a dead process stays|memory/leases.cpp|unit_memory Leases.*|s/ || has_ended(lease.process)//"
    "when one rank is gone leases of all end|memory/leases.cpp|unit_memory Leases.*|s/if (lease.peer != peer) return false;//"
    "memory under a lease is used again|memory/leases.cpp|unit_memory Leases.*|s/ lease->memory.push_back(std::move(memory));/ return;/"
    "a process is told by its number alone|memory/process.cpp|unit_memory Processes.*|s/there.started != process.started || only/only/"
    # Fabric
    "a transport carries also to ranks that it does not reach|comm/fabric.cpp|halo_fabric|s/ \&\& transport->reaches(peer)) serves/) serves/"
    "what any rank has sent is looked for in one transport|comm/fabric.cpp|halo_fabric|s/^    for (size_t i = 0; i < all_.size(); ++i) {/    for (size_t i = 0; i < 1; ++i) {/"
    "ranks may disagree in which transport they use|comm/fabric.cpp|halo_fabric|s/peer == rank() ? 0 : peer < rank() ? mark : -mark/mark - mark/"
    "a context that goes waits for what is lost|comm/owed.cpp|halo_goes_wrong OneWay.*|s/ \&\& !entry->lost; })/; })/"
    "auto takes what is left out|plugin/transport_list.cpp|unit_plugin TransportList.*|s/one == name .. (one/(one/"
    "to leave out MPI leaves out none|plugin/transport_list.cpp|unit_plugin TransportList.*|s/ .. (one == .mpi. .. is_mpi_module(name))//"
    "a name of both settings is opened twice|plugin/transport_list.cpp|unit_plugin TransportList.*|s/return one.name == name; })/return one.name.empty(); })/"
    "shm goes beside what leaves it out|plugin/transport_list.cpp|unit_plugin TransportList.*|s/ || list.leaves_out(unasked_transport)//"
    "shm goes beside an MPI to whom it may keep waiting|plugin/selection.cpp|unit_plugin TransportList.*|s/found.readers_alone = is_mpi_module(rest);/found.readers_alone = false;/"
    "shm carries what was to be one collective|plugin/transport_list.cpp|unit_plugin TransportList.*|s/return config.word(.messages.) == .neighbourhood. ? .*$/return {};/"
    "ranks need not have the same list of transports|comm/context.cpp|halo_fabric Fabric.Lists*|s/key == .transport.besides. ? besides_as_written(config_) : value/value/"
    "who is reached first is told of the rest|comm/fabric.cpp|halo_fabric Fabric.AList*|s/number == 0 \(? ., which takes\)/number != 0 \1/"
    # Collectives
    "a collective that is given up is not noticed|comm/collective_stream.cpp|halo_goes_wrong ContinuedCollectives.*|s/if (pending_ \&\& entered_ != call_)/if (false)/"
    "a collective that is called again may have other values|comm/collective_stream.cpp|halo_goes_wrong ContinuedCollectives.*|s/if (!is_new \&\& sent->second == sum) return;/if (!is_new) return;/"
    "collectives of other types or sizes are taken|comm/collective_stream.cpp|halo_goes_wrong MismatchedCollectives.*|s/kind == mine.kind \&\& theirs.detail == mine.detail \&\&/kind == mine.kind \&\&/"
    "a context that is given up needs memory to say so|comm/collective_stream.cpp|unit_comm GivenUp.*|s/ended_.reserve(room_for_end);//"
    "who has given up a context is forgotten where memory fails|comm/collective_stream.cpp|unit_comm GivenUp.*|s/if (ended_by_ >= 0) fail_by_peer();//"
    "values that have not been sent may be others when a call is made again|comm/collective_stream.cpp|halo_goes_wrong ContinuedCollectives.*|s/else if (begun_\[index\].input != sum)/else if (false)/"
    "sections of one topology go on in those of another|capi/access.cpp|halo_goes_wrong ContinuedCollectives.*|s/\"sections\", HALO_TIMEOUT_CONFIGURED, points->id())/\"sections\")/"
    "the edit of one topology goes on in that of another|capi/topology.cpp|halo_goes_wrong ContinuedCollectives.*|s/\"edit\", HALO_TIMEOUT_CONFIGURED, from->id())/\"edit\")/"
    "boxes of one transfer are looked up for another|exchange/round.cpp|halo_goes_wrong ContinuedCollectives.*|s/, uint64_t{ id_.serial() } << 32 . p);/, p);/"
    "what a batch needs is compared in a call without a name|access/batch.cpp|halo_goes_wrong ContinuedCollectives.*|s/const CollectiveCall call(context_, .batch.);//"
    "boxes of several pairs are looked up in calls without a name|exchange/round.cpp|halo_goes_wrong InterruptedCollectives.*|s/const CollectiveCall call(context_, .prepare., .*$//"
    "sections are there before all ranks have told theirs|topology/points/sections.cpp|halo_goes_wrong InterruptedCollectives.*|s/if (parts_) forward_parts_ = parts_->split(context_, divided);/forward_ = divided; &/"
    "a context of an in-process group begins alone|comm/context.cpp|halo_goes_wrong ContinuedCollectives.AContext*|s/if (meeting) await_all(\*meeting);//"
    "tags are taken before their lane is there|comm/context.cpp|halo_goes_wrong ChannelTags.*|s/first = channel_tags_->find(most);/first = channel_tags_->find(most); channel_tags_->take(first, most);/"
    # Times
    "a long run stands for the next seven|exchange/run_times.cpp|unit_exchange RunTimes.*|s/run_.total < most_of_short ? unmeasured_in_a_row : 0/unmeasured_in_a_row/"
    "a wait that lasts counts twice in a run that is measured|exchange/run_times.cpp|unit_exchange RunTimes.*|/::add_long_wait/,/^}/s/if (measured_) return;//"
    "a wait that lasts is lost in a run that is not measured|exchange/round.cpp|halo_goes_wrong *Times*|s/times_.add_long_wait(waiter.seconds());//"
    # What is left of objects that are gone
    "credits for who is gone are left to the transport|stream/stream.cpp|halo_counts *Nothing*|s/^    attempt(.*expect_what_is_owed.*$//"
    "who abandons a run gives no credit|stream/stream.cpp|halo_counts *Nothing*|s/^    attempt(.*give_last_credit.*$//"
    "a context does not wait for credits|comm/owed.cpp|halo_goes_wrong OneWay.*|s/return entry->owed.certain \&\& !entry->lost;/return entry == nullptr;/"
    # Tags
    "the tag of a living exchange is given again|comm/tags.cpp|halo_goes_wrong *Tags*|s/if (used_\[at\]) continue;//"
    "tags of a living group are given again|comm/tags.cpp|halo_goes_wrong ChannelTags.*|s/if (above != used_.end() \&\& above->first < first + n) return false;//"
    # Pieces and plans
    "exchanges that combine by different operations share a piece|plan/piece.cpp|unit_plan Pieces.*|s/^        static_cast<uint64_t>(combining.op), combining.canonical,/        0, combining.canonical,/"
    "fields whose elements have other sizes share a piece|plan/piece.cpp|unit_plan Pieces.*|s/static_cast<uint64_t>(spec.type), static_cast<uint64_t>(spec.element_bytes),/static_cast<uint64_t>(spec.type),/"
    "sparse and dense fields share a piece|plan/piece.cpp|unit_plan Pieces.*|s/static_cast<uint64_t>(spec.sparse), //"
    "fields of other layouts share a piece|plan/piece.cpp|unit_plan Pieces.*|s/, field.layout_hash() });/ });/"
    "exchanges of both policies share tables|plan/piece.cpp|halo_counts|s/get({ \&device, narrowed, alone }/get({ \&device, narrowed, false }/"
    "points that maps leave out are not compared|plan/piece.cpp|test_keys *Maps*|s/pattern = map_points(destination, edge);/pattern = map_points(destination, edge) * 0;/"
    "what a loop adds stays when it ends|access/batch.cpp|halo_access_loops *Counters*|/^void Batch::send_added/,/^}/s/^    start_due(number);//"
    "ghosts that are hidden from a loop are sent as they look|access/batch.cpp|halo_access_loops Declared.*|s/^    const ShownGhosts shown(slots_);//"
    "a field is marked fresh while what is void comes|access/tracked_field.cpp|halo_access_loops *Counters*:*Timeout*|/^void TrackedField::mark_fresh/,/^}/s/^    let_pending_come();//"
    "a cell that a map leaves out is exchanged|plan/piece.cpp|halo_box_conformance MappedCells.*|s/= map->first_without(points))/= std::optional<Extent>())/"
    "mapped cells are sent as they lie in the sender|plan/edge_boxes.cpp|halo_box_conformance Regions*:*/Regions*|s/^    PointMap::Turned sent{ edge.from, map.axis,/    PointMap::Turned sent{ edge.from, AxisMap().axis,/"
    "lines that lie apart are taken for one|plan/edge_boxes.cpp|halo_box_conformance *BoxCases*|/^bool goes_on/,/^}/s/return .*$/return true;/"
    "parts with mapped points are taken to be alike|plan/edge_boxes.cpp|halo_box_conformance *BoxCases*|s/one_box = !listed(a) \&\& !listed(b) \&\& /one_box = /"
    "ghosts between mapped cells are taken for owned|exchange/check_mode.cpp|halo_box_conformance MappedCells.*|s/const bool in_rows = .*$/const bool in_rows = true;/"
    "mapped cells are named by their position|field/values.h|halo_box_conformance MappedCells.*|s/= field.element(local_index, point))/= std::optional(layout.offset(point[0], point[1], point[2])))/"
    "exchanges of other stencils share a piece|plan/sources/of_topology.cpp|unit_plan Pieces.*|s/static_cast<uint64_t>(request.stencil), //"
    "sweeps along all directions share a piece|plan/sources/of_topology.cpp|unit_plan Pieces.*|s/static_cast<uint64_t>(use_.sweep) });/0 });/"
    "sweeps take along what lies beyond the domain|plan/sources/of_topology.cpp|halo_box_conformance *Sweep*|s/std::max(box.cells.low\[d\], with_ghosts.low\[d\])/with_ghosts.low[d]/"
    "sweeps leave points on upper borders to others|plan/sources/of_topology.cpp|halo_box_conformance *Sweep*|s/ + (centring >> d \& 1);/;/"
    "points have all their owners in each sweep|plan/sources/of_topology.cpp|halo_box_conformance *Sweep*|s/request.centring \&= 1 << use_.sweep;//"
    "boxes that lie on each other form a grid|topology/boxes/grid.cpp|halo_box_conformance *Sweep*|s/if (i > 0 \&\& equal(boxes\[i\].cells/if (i > boxes.size() \&\& equal(boxes[i].cells/"
    "owners of points may change along a border|exchange/kinds/sweeps.cpp|halo_box_conformance *Sweep*|s/why_no_rows(shared); !why/why_no_rows(false); !why/"
    "runs take the ghosts above that are asked for below|exchange/round_spec.cpp|halo_box_conformance *BoxCases*|s/std::min(ghosts.high\[d\], run.ghost_high\[d\])/std::min(ghosts.high[d], run.ghost_low[d])/"
    "layers of ghosts do not go to peers|stream/wire.cpp|unit_stream Wire.*|s/listed = listed << listed_bits . static_cast<uint32_t>(width);/listed = static_cast<uint32_t>(width);/"
    "a rank without a copy that gives counts by rank|topology/points/condensed.cpp|test_keys *ByRank*|s/run.silent == run.copies ? 1u : 0u/0u/"
    "copies of a rank that only receive count by rank|topology/points/condensed.cpp|test_keys *GatherScatter*:*ByRank*|s/^    if (!any_silent) n_giving_ = {};/    n_giving_ = {};/"
    "copies of a rank do not get the result|exchange/exchange.cpp|test_keys *ByRank*|/^void Exchange::finish/,/^}/s/steps_->after_unpack(run_, present());//"
    "copies in runs of less depth are clipped at the receiver alone|plan/sources/of_topology.cpp|halo_box_conformance *BoxCases*:*BoxLaws*|s/if (use_.request.flow != Flow::from_owner) {/if (false) {/"
    # Lowerings
    "messages are packed in another order than that of peers|plan/lower/rows.cpp|unit_plan Rows.*|s/for (size_t link = 0; link < n_links; ++link) pack(link);/for (size_t link = n_links; link-- > 0;) pack(link);/"
    "the first edge of each message is not unpacked|plan/lower/rows.cpp|halo_counts|s/^                boxes_.unpack(edge, at, boxes);/                if (i > 1) boxes_.unpack(edge, at, boxes);/"
    "parts that are alike are taken to have the same rows|plan/lower/copy_rows.cpp|halo_conformance *RandomCases*|s/ \&\& is_shape(following_\[last_\], shape)) return/) return/"
    "a list of points in a peer's storage is taken for a run|plan/lower/stored_edges.cpp|test_keys *Loans*|s/if (edge.n_listed > 0) at.list/if (edge.n_listed == UINT32_MAX) at.list/"
    "contributions of a canonical sum are not sorted|plan/lower/canonical.cpp|halo_box_conformance *Canonical*|s/^        halo::sort(std::span<Rank>(ranks, n));//"
    "components of vectors keep their signs across turned joins|plan/edge_boxes.cpp|halo_box_conformance *Regions*|s/^        if (map.vector.* < 0) boxes.back().negate = source_.type;//"
    "boxes that a transfer reaches are looked for too near|plan/sources/of_transfer.cpp|halo_box_conformance *Transfers*|s/const int64_t range = 2 .* + 2;/const int64_t range = 0;/"
    "a run takes the tables of another operation|plan/piece.cpp|halo_box_conformance *BoxCases*|s/rows(by) == rows(op) ? op_move/true ? op_move/"
    "short rows are given to the caller's function one by one|plan/lower/caller_step.cpp|halo_box_conformance *CombineCalls*|s/long_line = 16;/long_line = 2;/"
    "points that come again in a list are combined once|plan/lower/caller_step.cpp|test_keys *RootsThatComeAgain*|s/if (!is_new .. known->second == run) ends.push_back(i);//"
    "contributions are combined in the order of messages|plan/lower/rows.cpp|test_keys *RandomKeys*:*Stars*|s/order(a.edge) < order(b.edge) : key_before(a.edge, b.edge)/order(a.edge) < order(b.edge) : false/"
    # Rounds
    "a layout that has changed is not followed|exchange/round.cpp|halo_conformance *Put*|s/if (plan_ \&\& layouts == layouts_) return;/if (plan_) return;/"
    "peers are not told of a layout that has changed|exchange/round.cpp|halo_conformance *Put*|s/if (messages_) messages_->forget_plans();//"
    "a run that is refused is not counted|exchange/round.cpp|misuse BetweenRanks.*|/^void Round::refuse/,/^}/s/    ++run_.epoch;//"
    "a rank that fails within a run does not tell|exchange/messages.cpp|halo_seeded *EarlyRead*|s/^    at_each(.*send_failure.*$//"
    "a rank that cannot read a run tells nobody|capi/exchange.cpp|misuse *CannotBeRead*|s/^        exchange.refuse_unread(error);//"
    "a run that cannot be read disturbs the one in flight|exchange/exchange.cpp|misuse *WhileARunIsInFlight*|/^void Exchange::refuse_unread/,/^}/s/^    if (in_flight()) return;//"
    "a run that cannot be read is told before peers are known|exchange/round.cpp|misuse RunsOfTransfers.*|/^void Round::refuse_unread/,/^}/s/^    find_plan();//"
    "lengths of lists are not looked at|exchange/round_spec.cpp|misuse *CannotBeRead*|s/if ((any .. run.n_fields != 0) /if (false /"
    "operations of runs are not compared|exchange/round.cpp|misuse *OtherOperations*|s/run_.op == spec_.op ? 0 : run_.op/0/"
    "what the program's function returns is not looked at|exchange/round.cpp|misuse *AFunctionFails*|s/^    if (outcome.status != HALO_SUCCESS) fail_combining.*$//"
    "a time limit that passes ends the run|exchange/round.cpp|misuse *APeerThatIsLate*|s/if (error.status() != HALO_TIMEOUT) fail_run(/fail_run(/"
    "field masks are not compared|exchange/round.cpp|misuse BetweenRanks.*|s/if (piece.takes_part) run_.narrowing.add(p, /run_.narrowing.add(p, /"
    "fields take part that the mask leaves out|exchange/round.cpp|halo_conformance *RandomCases*|s/piece.takes_part = takes_field(.*$/piece.takes_part = true;/"
    "a run of several rounds cannot go on between two|exchange/exchange.cpp|misuse *BetweenTwoRounds*|s/(present_ == 0 \&\& !sent_)/!sent_/"
    "later rounds are not told of a failure|exchange/exchange.cpp|halo_box_conformance Sweeps.*|s/^.*fail_from(told ? present_ + 1 : present_, error);$//"
    # Messages
    "messages are packed after they have been sent|exchange/messages.cpp|halo_counts|/^void Messages::send_and_copy/,/^}/s/links_\[i\]->send(links_\[i\]->sends() ? pack(run, i, true) : 0);/{ links_[i]->send(links_[i]->sends() ? static_cast<size_t>(run.dense_bytes(planned(run, i), true)) : 0); if (links_[i]->sends()) pack(run, i, true); }/"
    "sparse edges that carry nothing take room|exchange/messages.cpp|halo_conformance *Sparse*|/^int64_t Messages::pack_singles/,/^}/s/if (state == EdgeState::data \&\& !in_parts()) end = /if (!in_parts()) end = /"
    "sparse edges are taken to carry what the first one does|exchange/messages.cpp|halo_conformance *Sparse*|/^void Messages::unpack_singles/,/^}/s/number++/number/"
    "null channels have a message too|exchange/messages.cpp|halo_conformance *Sparse*|s/if (state == EdgeState::null \&\& in_parts()) link.take_back_part();//"
    "every channel gets the values of the first|exchange/messages.cpp|halo_conformance *|s/link.received_part(part++)/link.received_part(part)/"
    "a run in parts is over when its header is here|stream/stream_parts.cpp|halo_counts|/^void Stream::expect_parts/,/^}/s/arrived_ = arriving_.all_here();/arrived_ = true;/"
    "parts that come in place of others are taken|stream/stream_parts.cpp|unit_stream Parts.*|s/if (!is_next || summed/if (summed/"
    "late parts are not told from those of this run|stream/stream_parts.cpp|halo_conformance *Failures*|s/ || !is_late)/ || bytes > 0)/"
    "values apart are looked for in the message|stream/stream_parts.cpp|unit_stream Apart.*|s/^    if ((header.flags & flag_apart) != 0) return expect_apart();//"
    "a run is over before its values apart have come|stream/stream_parts.cpp|unit_stream Apart.ValuesCome*|/^void Stream::expect_apart/,/^}/s/^    arrived_ = false;//"
    "values apart come to the host's memory|stream/parts.cpp|unit_stream Apart.ValuesArrive*|s/ + expected_.n_found_. ? memory_ : nullptr;/ + expected_[n_found_] ? nullptr : nullptr;/"
    "what has not been sent is taken for what has left|stream/parts.cpp|unit_stream Apart.WhatIsNot*|s/^    if (unsent_) return true;//"
    "what a device may still write is sent from again|stream/parts.cpp|unit_stream Apart.MemoryOfARun*|s/ parts_.n_ - 1.->buffer.reset();/ continue;/"
    "memory of a device that has been taken out is used again|stream/parts.h|unit_stream Apart.MemoryThatIs*|s/return std::exchange(parts_.i.->buffer, {});/return parts_[i]->buffer;/"
    "what a peer owes ends with the message, though values follow apart|stream/stream.cpp|unit_stream Apart.OfAnObject*|s/ & (flag_parts . flag_apart)) == 0)/ \& flag_parts) == 0)/"
    "memory of a device goes to a transport that does not take it|exchange/device_messages.cpp|late_device_apart *OnlyWhere*|s/(wanted_ == .auto. && takes);/wanted_ == \"auto\";/"
    "what the user knows better is not heard|exchange/device_messages.cpp|late_device_apart *OrWhere*|s/answer.takes = wanted_ == .yes. ../answer.takes =/"
    "little goes apart too|exchange/device_messages.h|late_device_apart *Little*|s/return bytes < least_ ? nullptr : /return bytes == 0 ? nullptr : /"
    "values apart have no header|exchange/messages_on_devices.cpp|late_device_apart *|s/^    work.write(std::bit_cast.*//"
    "memory that leaves apart is let go of while a device packs it|exchange/messages_on_devices.cpp|late_device_apart *WhatIsPacked*|s/^    work.keep(part.buffer);//"
    "what has come to a device's memory is not kept while that reads it|exchange/messages_on_devices.cpp|late_device_apart *WhatHasCome*|s/^    if (links_.i.->came_to_device()) run.works.front()->keep(links_.i.->take_apart());//"
    "memory that a peer packs into goes with the run that is given up|exchange/paths/put.cpp|late_device_direct *MemoryForContr*|s/std::make_shared<const Opened>(Opened{ event, message_ })/event/"
    "a peer packs more than there is room for|exchange/paths/put.cpp|late_device_direct *ContributionsOfRunsThat*|s/return !unreachable_ .. slots_.front().bytes == bytes_put(run);/return !unreachable_;/"
    "contributions that were put are looked for in the message|exchange/messages.cpp|late_device_direct *Contributions*|s/ = put ? put->data() : apart/ = apart \&\& !put/"
    "contributions that were put are let go of before a device has combined them|exchange/messages_on_devices.cpp|late_device_direct *KeptUntil*|s/^    if (const Buffer .const put = message_put(i)) run.works.front()->keep(.put);//"
    "sparse values are looked for behind dense ones that are apart|exchange/messages.cpp|late_device_apart *Sparse*|s/payload, apart ? 0 : end);/payload, end);/"
    "dense values that are apart count among the message's|exchange/messages.cpp|late_device_apart *|s/(header.flags & (flag_put . flag_apart)) != 0 ? 0 :/(header.flags \& flag_put) != 0 ? 0 :/"
    "the memory of parts is used again while they leave|stream/parts.cpp|unit_stream Parts.*|s/if (!is_complete(.parts_\[n_ - 1\], context.fabric())) return false;//"
    "the null test of sparse fields is inverted|exchange/sparse.cpp|halo_conformance *Sparse*|s/return any(non_null) ? EdgeState::data : EdgeState::null/return any(non_null) ? EdgeState::null : EdgeState::data/"
    "ghosts of a null neighbour keep what they held|exchange/sparse.cpp|halo_conformance *Sparse*|s/if (planned.sparse != SparseRule::corrected) piece.run_row(single.fill_row);//"
    "storage that was bound for an arrival is not filled|exchange/sparse.cpp|halo_conformance *Sparse*|/^void Arrivals::adopt/,/^}/s/        if (!is_new) continue;/        continue;/"
    # Set-up
    "ranks are told of that there are not|topology/points/points.cpp|unit_comm ForgedKeys.*|s/ || run.n_ranks > n_ranks - run.first || / || /"
    "other copies of a point are told of than this rank has|topology/points/points.cpp|unit_comm ForgedKeys.*|s/has_here = run.copies == copies.size();/has_here = true;/"
    "a peer's channel may have any size|channel/commit.cpp|unit_comm Forged*|s/if (record.bytes < 0 || /if (/"
    "a box that a rank tells of may lie anywhere|topology/boxes/find_near.cpp|unit_comm Forged*|s/for (const BoxRecord .record : told) bins.check(record.box);//"
    "sums of an exchange's bytes are not looked at|plan/piece.cpp|misuse *MoreBytes*|s/if (!bytes.fits(limits::exchanged_bytes))/if (false)/"
    "bytes of several fields in a message are not looked at|plan/plan.cpp|misuse *MoreBytes*|s/if (sum > limits::exchanged_bytes)/if (sum < 0)/"
    "rows of a group may have any size|channel/group.cpp|misuse *Sizes*|s/^    check_bytes_limit(.*$//"
    # Storage of peers
    "a peer writes into the storage of the last run but this|exchange/paths/put.cpp|halo_conformance *Put*|/^bool PutLink::prepare(/,/^}/s/if (address_version_ != version || version == 0)/if (address_version_ == 0)/"
    "what is still lent when a run ends is not sent|exchange/paths/get.cpp|test_keys *Loans*|s/if (own.lent \&\& !all_read) wait_for_reader(i, timeout);/(void)all_read, (void)timeout;/"
    "what is borrowed is read where it lay in an earlier run|exchange/paths/get.cpp|test_keys *Loans*|s/if (own.address_version == version \&\& version != 0) return true;/if (own.address_version != 0) return true;/"
    "who reads no storage of peers says that he does|stream/stream_receive.cpp|test_keys *Loans*|s/if (spec_.uses_storage) leases_.map/if (spec_.shared) leases_.map/"
    "storage is lent to who has not said that he reads it|exchange/paths/get.cpp|test_keys *Loans*|s/!link.peer_has_notice() .. link.peer_prefers/link.peer_prefers/"
    "a peer's edges may lie outside of what it offers|exchange/paths/storage_notice.cpp|unit_exchange ForgedEdges.*|s/if (slot_bytes\[slot\] > slots\[slot\].bytes)/if (slots[slot].bytes == UINT64_MAX)/"
    "a peer's edges may lie in front of its storage|plan/lower/stored_edges.cpp|unit_exchange ForgedEdges.*|s/extent.low.fits() \&\& extent.high/extent.high/"
    "contributions are read in place though they may change|exchange/kinds/of_topology.cpp|test_keys *PartsOfARank*|s/desc.source_stable != 0 \&\& desc.kind == HALO_KIND_REVERSE/desc.kind == HALO_KIND_REVERSE/"
    "an offer of memory is taken that has been used anew since|memory/shared_arena.cpp|unit_memory SharedArena.*|s/return block.is_same() ? block : SharedBlock();/return block;/"
    # Check mode
    "ghosts are not poisoned while a run is in flight|exchange/check_mode.cpp|halo_goes_wrong *CheckMode*|/^void CheckMode::start/,/^}/s/ poison(run, checked);/ (void)checked;/"
    "ghosts that this rank has filled itself are not poisoned again|exchange/check_mode.cpp|halo_seeded *EarlyRead*|/^void CheckMode::after_start/,/^}/s/poison.store_row(storage, n, bytes, at);//"
    "what arrived is not compared with what was sent|exchange/check_mode.cpp|halo_seeded *Wrong*|s/if (is_looked_at(run.pieces\[received.piece\])) require_hashes(/if (false) require_hashes(/"
    "what nobody fills may be changed by unpacking|exchange/check_mode.cpp|halo_seeded *TooLong*|/^void CheckMode::after_unpack/,/^}/s/writes_in_finish(run))/false)/"
    "what copies within the rank may not change is not compared|exchange/check_mode.cpp|halo_seeded *CopyThatIsTooLong*|/^void CheckMode::after_start/,/^}/s/if (full_ \&\& /if (false \&\& /"
    "later runs are not compared|exchange/check_mode.cpp|halo_seeded *StopLater*|s/return (n + n \/ turns + static_cast<uint64_t>(part)) % turns == 0;/return false;/"
    "every run is compared as the first is|exchange/check_mode.cpp|unit_exchange CheckModePasses.*|s/^    if (full_ || is_new(run, piece)) return true;/    return true;/"
    "pieces that nobody uses are all kept|plan/piece_cache.cpp|unit_plan LargePieces.*|s/.always = 8/.always = 1000/"
    "tables of narrowed runs are all kept|plan/piece.h|unit_plan LargePieces.*|s/.always = 16/.always = 1000/"
    "a loop over components compiles anew|base/last_used.h|unit_plan Pieces.*|s/ \&\& (bytes > kept_.bytes || n >= kept_.most)//"
    "what this rank gives itself is not compared|exchange/check_mode.cpp|halo_seeded *Skipped*|s/if (!is_row(value, storage, n, bytes, at))/if (false)/"
    "ghosts that this rank fills may be written before finish|exchange/check_mode.cpp|halo_seeded *LateWrite*|/^void CheckMode::give_back_withheld/,/^}/s/if (!poison.is_in_row(storage, n, bytes, at))/if (false)/"
    "keys are not kept for check mode|topology/keys/keys.cpp|halo_seeded SeededPoints.*|s/else if (context.check_mode())/else if (desc.n_keys < 0)/"
    "roots are not kept for check mode|topology/lists/lists.cpp|halo_seeded SeededPoints.*|s/if (context.check_mode()) roots_/if (desc.n_leaves < 0) roots_/"
    "cells of a forest are named by their block's place along x alone|topology/forest/trees.cpp|halo_seeded SeededLevels.*|s/at\[d\] = block.at\[d\] \* n_cells/at[d] = block.at[0] * n_cells/"
    "coarse cells of a forest are named by their block's level|topology/forest/coarsened.cpp|halo_seeded SeededLevels.*Coarse*|s/^    --block.level;//"
    "coarse cells of boxes are not named in the whole grid|topology/boxes/coarsened_boxes.h|halo_seeded SeededLevels.*Box|s/return name_in_all(local_index, point);/return Topology::global_name(local_index, point);/"
    "fields are not known by number|field/field.cpp|halo_seeded *EarlyRead*|s/^            topology.context().fields.ordinal_. = this;//"
    "poison does not tell a rank's parts apart|exchange/poison.cpp|halo_seeded *EarlyRead*|s/static_cast<uint64_t>(part) \* 0x9e3779b1u/static_cast<uint64_t>(part) * 0u/"
    "check mode copies storage once more than it must|exchange/check_mode.cpp|unit_exchange CheckModePasses.*|s/^    if (full_ \&\& !peers_write_) keep_storage(run);/    for (int i = 0; i < 2; ++i) keep_storage(run);/"
    "half of a value does not count in its hash|exchange/checked_values.cpp|halo_seeded *WrongSource*|s/ ^ static_cast<uint32_t>(word >> 32)) /) /"
    "a source that was promised to be stable may change|exchange/check_mode.cpp|halo_seeded *Promise*|s/for (const Received \&sent : sent_) require_source(run, sent);//"
    # Accesses
    "another batch's ghosts take the place of those on their way|access/freshness.h|unit_access Freshness.*|s/return in_flight_ != 0 \&\& (use.ghosts/return (use.ghosts \& in_flight_) != 0 \&\& (use.ghosts/"
    "marks that fail change what is known of a field|access/tracked_field.cpp|halo_access_loops AccessStorage.Marks*|/^void TrackedField::mark_fresh/,/^}/s/^    mirror.reserve(where, false);//"
    "batches use storage of another layout|access/mirror.cpp|halo_access_loops AccessStorage.OfAnother*|s/^    field_.require_present_layouts(set_);//"
    "what a loop has written is not stale afterwards|access/freshness.cpp|unit_access|/^void Freshness::close/,/^}/s/    fresh_ \&= ~use.stale;//"
    "a direct change makes all ghosts stale|access/use.cpp|unit_access|s/needs_exec ? all_sections : sections;/true ? all_sections : sections;/"
    "ghosts beyond its sections are sent back|access/use.cpp|halo_access_loops *SentBack*|s/use.added = sections;/use.added = all_sections;/"
    "more ghosts join what is pending in fewer|access/freshness.cpp|unit_access|s/ \&\& (use.added \& ~pending_in_) == 0;/;/"
    "what is pending goes in the exchange of fewer ghosts|access/batch.cpp|halo_access_loops *SentBack*|s/ \&\& slot.field->freshness.adds_all_that_is_pending(slot.use)//"
    "ghosts on their way are exchanged once more|access/freshness.cpp|unit_access|s/ \& ~fresh \& ~in_flight_;/ \& ~fresh;/"
    "a loop that has joined does not wait for its ghosts|access/batch.cpp|halo_access_loops *ShareGhosts*|s/slot.needs.joins \&\& group) group->settle(stream_);/slot.needs.joins \&\& group) (void)group;/"
    "what is pending is not added before it is read|access/freshness.cpp|unit_access|s/needs.reverse = pending_ != 0 .*;/needs.reverse = false;/"
    "another operation is added to what is pending|access/freshness.cpp|halo_access_loops *Loops*|s/use.to_ghosts .. use.adds == pending_ /use.to_ghosts /"
    "ghosts begin another operation with what the last has left|access/freshness.cpp|halo_access_loops *Loops*|s/(pending_ == 0 .. needs.reverse);/pending_ == 0;/"
    "what loops add is combined by gid in every order|access/group_run.cpp|halo_access_loops *Orders*|s/adding.canonical ? HALO_COMBINE_CANONICAL : HALO_COMBINE_BY_GID/HALO_COMBINE_BY_GID/"
    "sums of a loop are sorted on a device|access/group_run.cpp|halo_access_loops *Orders*|s/adding_.canonical ? HALO_ON_HOST : field/field/"
    "fields of both orders travel together|access/batch.cpp|halo_access_loops *Orders*|s/ .. slot.use.canonical != how.canonical) continue;/) continue;/"
    "another order is added to what is pending|access/freshness.cpp|unit_access|s/ \&\& use.canonical == pending_canonical_//"
    "minima wait for an order|access/use.cpp|halo_access_loops *Orders*|s/ \&\& use.adds == HALO_SUM;/;/"
    "one loop adds in two orders|access/use.cpp|halo_access_loops AccessMisuse.*|s/if (a.to_ghosts \&\& b.to_ghosts \&\& a.canonical != b.canonical)/if (false)/"
    "an order is taken where nothing is exchanged|access/use.cpp|halo_access_loops AccessMisuse.*|s/if (argument.combine_order != HALO_COMBINE_BY_GID \&\& (style/if (false \&\& (style/"
    "a batch that has read its fields still uses them|access/freshness.cpp|unit_access|/^void Freshness::close/,/^}/s/        --readers_;//"
    "a loop that uses no field is an error|capi/access.cpp|halo_access_loops *Empty*|s/    if (n > 0) require(accesses, .accesses.);/    require(accesses, \"accesses\");/"
    "a reduction of nothing wants memory|capi/access.cpp|halo_access_loops *Reductions*|s/if (object.has_values()) require(in, .in.);/require(in, \"in\");/"
    "a context goes while an empty batch is open|access/accesses.cpp|halo_access_loops AccessLeft.*|s/return batch->open() \&\& batch->shape/return false \&\& batch->shape/"
    "what loops set in ghosts is lost without a word|access/use.cpp|halo_access_loops AccessMisuse.*|s/sets_via_map \&\& style == HALO_STYLE_REVERSE/sets_via_map \&\& style == 0/"
    "ghosts that are added to begin with what they held|access/batch.cpp|halo_access_loops *Loops*|s/field.mirror.fill_ghosts(.*$//"
    "other ranks are not told of a batch that is refused|access/batch.cpp|halo_access_loops AccessMismatch.*|s/if (forward_ .. forward) refuse(\*forward_);//"
    "batches are not numbered in messages|access/group_run.cpp|halo_access_loops AccessMismatch.*|s/^    exchange_->run_for_batch(.*$//"
    "all binding sets are as fresh as the first|access/accesses.cpp|halo_access_loops *Sets*|s/ \&\& known->set == set)/)/"
    "copies of a rank's own points are taken for owned|access/section_runs.cpp|halo_access_loops *Storage*|s/owned\[list\[i\]\] = false;/(void)list;/"
    "what ranks reduce is not compared|access/reduction.cpp|halo_access_loops *Reductions*|s/if (describes() \&\& !agrees) fail_differing/if (false) fail_differing/"
    "ranks below are not told that a reduction has failed|access/reduction.cpp|halo_access_loops *Reductions*|s/^    for (const Receive &child : from_children_) tell(.*$//"
    "ranks above are not told that a reduction has failed|access/reduction.cpp|halo_goes_wrong *Reductions*|s/^    if (to_parent_) tell(.*$//"
    "a reduction's message may be cut|access/reduction.cpp|halo_goes_wrong *Reductions*|s/bytes != message_bytes() ? /false ? /"
    "the description of items may be damaged|access/reduction.cpp|halo_goes_wrong *Reductions*|s/ != head.described ? / == 1 ? /"
    "an item's function that fails is not heard|access/reduction.cpp|halo_access_loops *ItemFailures*|/^void Reduction::combine/,/^}/s/if (status != HALO_SUCCESS)/if (false)/"
    "the function of an item without values is called|access/reduced.cpp|halo_access_loops *Items*|s/^    if (what.n == 0) return HALO_SUCCESS;//"
    "items of a reduction may overlap|access/reduced.cpp|halo_access_loops ItemMisuse.*|s/if (block.offset < before.offset + .*)$/if (false)/"
    "what a loop only reads may change|access/declared.cpp|halo_access_loops Declared.*|s/^        if (!use.changes()) require_kept(part.owned, .*$//"
    "ghosts that a loop only reads may change|access/declared.cpp|halo_access_loops Declared.*|s/^        if (reads_ghosts(use, groups) \&\& !changes_ghosts(use, groups)) require_kept.*$/        static_cast<void>(runs);/"
    "ghosts that a loop does not reach may be written|access/declared.cpp|halo_access_loops Declared.*|s/if (!is_as_hidden(at)) return find/if (at < 0 \&\& !is_as_hidden(at)) return find/"
    "ghosts that a loop does not reach are lost to it|access/declared.cpp|halo_access_loops Declared.*|/^void DeclaredAccess::show/,/^}/s/^        give_back(runs, part);//"
    "ghosts that are hidden from loops that add hold poison|access/declared.cpp|halo_access_loops Declared.*|s/^        else if (use.adds == 0)$/        else if (use.adds >= 0)/"
    "stale ghosts keep their values|access/declared.cpp|halo_access_loops Declared.*|s/!belong_to(groups, fresh)) poison(/groups > 99 \&\& !belong_to(groups, fresh)) poison(/"
    "what a loop writes is not hidden from it|access/declared.cpp|halo_access_loops Declared.*|s/^        if (overwrites(use)) poison(part.owned, part);//"
    "what a loop has not written is lost|access/declared.cpp|halo_access_loops Declared.*|/^void DeclaredAccess::give_back_poisoned/,/^}/s/^            std::memcpy(.*$//"
    "a loop may leave something out of the whole|access/declared.cpp|halo_access_loops Declared.*|s/if (use.whole) find(/if (use.whole \&\& element < 0) find(/"
    "what a loop has computed from poison is not looked for|access/declared.cpp|halo_access_loops Declared.*|s/^        require_clean(part.owned, part);//"
    "poison is sent to its owner|access/declared.cpp|halo_access_loops Declared.*|s/if (use.to_ghosts \&\& belong_to(groups, use.added)) require_clean/if (groups > 99 \&\& belong_to(groups, use.added)) require_clean/"
    "what is changed between loops goes unnoticed|access/declared.cpp|halo_access_loops Declared.*|s/if (const auto at = first_changed(part.owned, part, now))/if (const auto at = first_changed({}, part, now))/"
    "what a loop has left is not kept|access/declared.cpp|halo_access_loops Declared.*|s/^            if (use.changes()) std::memcpy(.*$/            static_cast<void>(run);/"
    "a second reader does not show what is hidden from the first|access/declared.cpp|halo_access_loops Declared.*|s/if (std::exchange(alone_, false)) give_back_all(opened_);/alone_ = false;/"
    "a batch that is given up takes values with it|access/declared.cpp|halo_access_loops Declared.*|s/--n_open_ == 0 \&\& alone_) give_back_all(use);/--n_open_ < 0) give_back_all(use);/"
    "a field stays refused when it is marked|access/declared.cpp|halo_access_loops Declared.*|s/^    found_.reset();//"
    "sums that come back count as a change outside|access/tracked_field.cpp|halo_access_loops Declared.*|s/^    if (declared) declared->owned_change();//"
    "what a loop has done amiss is forgotten at the next begin|access/batch.cpp|halo_access_loops Declared.*|s/^        if (slot.field->declared->found()) return .*$//"
    "ghosts that come from a device stay visible|access/batch.cpp|halo_access_loops Declared.*|s/^        if (slot.field->declared) slot.field->declared->arrived(slot.use);//"
    "ghosts that arrive take others with them that are hidden|access/batch.cpp|halo_access_loops Declared.*|s/^        if (slot.field->declared) slot.field->declared->arriving(slot.use);//"
    "ghosts beyond the domain are poisoned|access/section_runs.cpp|halo_access_loops Declared.*|s/if (std::none_of(boundaries.begin(), boundaries.end(), has_it)) ghosts/if (std::none_of(boundaries.begin(), boundaries.begin(), has_it)) ghosts/"
    "of equal values the highest index is kept|base/combine.cpp|halo_access_loops *Items*|s/index <= other_index/index >= other_index/"
    "an index is found, but not its value|base/combine.cpp|halo_access_loops *Items*|/^void locate/,/^}/s/^        store(values + at, other);//"
    # Particles
    "a particle on an upper border stays|particles/leavers.cpp|test_particles Borders.*|s/inside = inside \&\& x >= 0 \&\& x < end\[d\];/inside = inside \&\& x >= 0 \&\& x <= end[d];/"
    "a particle a little below a border lands on it|topology/locator.h|test_particles Borders.*|s/return sum < end ? sum : std::nextafter(end, 0.0);/return sum;/"
    "vectors of particles do not turn|particles/leavers.cpp|test_particles Borders.*|s/if (!leaver.map.is_identity()) columns_.turn_vectors/if (section.n < 0) columns_.turn_vectors/"
    "vectors of particles lose their signs|particles/columns.cpp|test_particles Borders.*|s/map.vector\[d\] < 0 ? -value : value;/value;/"
    "a position that is none is sent on|particles/leavers.cpp|misuse Particles/Starts.*|s/if (!(std::abs(x) <= farthest))/if (std::abs(x) > 2 * farthest)/"
    "particles come in the order of messages|particles/particles.cpp|test_particles *Migrations*|/^void Particles::collect()/,/^}/s/^    std::sort(arrived_.*$/    static_cast<void>(key);/"
    "particles from part to part of a rank are lost|particles/particles.cpp|test_particles *Migrations*|s/if (local_bytes_ > 0) collect_from/if (local_bytes_ > SIZE_MAX \/ 2) collect_from/"
    "particles that go far are lost|particles/particles.cpp|test_particles *Migrations*|s/if (outcome_.goes_far != 0 \&\& !far_fetched_)/if (outcome_.goes_far > 1 \&\& !far_fetched_)/"
    "particles are written beyond their room|particles/particles.cpp|test_particles Failures.OfRoom*|s/if (arrays.counts\[part\] < counts_\[part\])/if (arrays.counts[part] < 0)/"
    "others go on when a rank cannot begin|particles/particles.cpp|test_particles Failures.*|s/if (told_ || outcome_.failure != 0) fail_run();/if (outcome_.failure < 0) fail_run();/"
    "a run of particles that failed is not waited for|particles/particles.cpp|test_particles Failures.*|/^void Particles::refuse_run/,/^}/s/^        settle();//"
    "sections of particles are longer than their message|particles/sections.cpp|unit_particles|s/one.n < 1 || static_cast<uint64_t>(one.n) > (payload.size() - begins) \/ record_bytes/one.n < 1/"
    "a message has particles that it does not name|particles/sections.cpp|unit_particles|s/return begins == payload.size() ? nullptr/return begins <= payload.size() ? nullptr/"
    "of several boxes the last one has a particle|topology/boxes/box_locator.cpp|test_particles *Migrations*|s/std::min_element(/std::max_element(/"
    "a turned join of regions is crossed upright|topology/regions/region_locator.cpp|test_particles Borders.*|s/if (join.map.sign\[d\] < 0) one.turn/if (join.map.sign[d] > 1) one.turn/"
    "a turned side of a tree is crossed upright|topology/forest/forest_locator.cpp|test_particles Borders.*|s/if (map.sign\[e\] < 0) one.turn(/if (map.sign[e] > 1) one.turn(/"
    "a position in a coarser leaf stays as fine as it was|topology/forest/forest_locator.cpp|test_particles Borders.*|s/^            coarsen(spot, level);//"
    "who is behind several sides of trees goes nowhere|topology/forest/forest_locator.cpp|test_particles *Migrations*|s/if (!cross(next, d) || !enter(next)) continue;/if (!cross(next, d) || !is_in(next, 0)) continue;/"
    "a topology goes while particles live on it|capi/topology.cpp|misuse Particles.*|s/; !particles.empty())/; particles.size() > 4096)/"
    # Topologies
    "blocks at the seams of curve placement have the wrong owner|topology/blocks/blocks.cpp|unit_topology|s/even_owner(gid, n_parts_, context_.size())/even_owner(gid + 1 < n_parts_ ? gid + 1 : gid, n_parts_, context_.size())/"
    "the lowest rank owns a key, not the heaviest|topology/keys/directory.cpp|test_keys *RandomKeys*:*PartsOfARank*|s/one.weight > best->weight/one.weight < best->weight/"
    "a key that two ranks claim is not told|topology/keys/directory.cpp|test_keys *RandomKeys*:*PartsOfARank*|s/if (claims > 1) ++result_.n_several_claim;//"
    "entries that only receive give where others of the rank do|topology/keys/key_list.cpp|test_keys *GatherScatter*|s/^        if (!flags .. end == begin + 1) continue;/        if (flags || !flags) continue;/"
    "a key that two entries of a rank claim is claimed by two ranks|topology/keys/keys.cpp|test_keys *RandomKeys*|s/^        notes\[rest\] \&= ~note::claims;//"
    "a claim by an entry that only receives is lost|topology/keys/keys.cpp|test_keys *RandomKeys*|s/^        notes\[rest - 1\] .= notes\[rest\] \& note::claims;//"
    "ghosts of a key that only receive have no number|topology/keys/keys.cpp|test_keys *RandomKeys*|/number_ghosts/,/^}/s/for (int64_t entry = begin; entry < end; ++entry)/for (int64_t entry = begin; entry < begin + 1; ++entry)/"
    "an edit does not tell which entries only receive|topology/keys/edit.cpp|test_keys *Edits.AsARebuild*:*GatherScatter*|s/i < keys.size() \&\& keys\[i\] == key; ++i)/i < keys.size() \&\& keys[i] == key; i = keys.size())/"
    "what ranks have said of a key stays beside what they say now|topology/keys/directory_share.cpp|test_keys *Edits.AsARebuild*|s/^    std::erase_if(entries_, .*binary_search.*$//"
    "two entries of a key may have different owners|topology/keys/said_owners.cpp|test_keys *SaidOwners*|s/return desc.owners\[one\] != desc.owners\[positions\[0\]\];/return one == UINT32_MAX;/"
    "owners of ranks that contradict each other go unnoticed|topology/keys/said_owners.cpp|test_keys *SaidOwners*|s/return one.owner != begin->owner;/return one.key != begin->key;/"
    "of keys whose owners differ only one is counted|topology/keys/said_owners.cpp|test_keys *SaidOwners*|s/if (other == end || n++ > 0) continue;/if (other == end || n > 0) continue; else n = 1;/"
    "check mode does not compare owners of keys|topology/keys/keys.cpp|test_keys *SaidOwners*|s/^    if (known.owners \&\& context.check_mode()).*$//"
    "check mode does not compare owners after an edit|topology/keys/edit.cpp|test_keys *SaidOwners*|s/^    if (record_->knows_owners \&\& context_.check_mode()).*$//"
    "the groups of ghosts are not looked at|topology/points/points.cpp|halo_access_loops *Sections*|s/return groups == 0 .. (static.*$/return groups == 0 || tag >= 0; }/"
    "the last of a rank's own keys is wanted|topology/keys/placement.h|test_keys Corners.TheFirst*:Corners.Mine*|s/position < desc.n_mine ?/position + 1 < desc.n_mine ?/"
    "what is not a rank's own is not wanted|topology/keys/placement.h|test_keys Corners.TheFirst*:Corners.Mine*|s/HALO_KEY_CLAIM : HALO_KEY_WANT/HALO_KEY_CLAIM : HALO_KEY_CLAIM/"
    "the first wanted key is claimed|topology/keys/placement.h|test_keys Corners.*Mine*|s/(position < desc.n_mine ?/(position <= desc.n_mine ?/"
    "who says n_mine agrees with who does not|topology/keys/keys.cpp|test_keys Corners.Refused|s/^    terms.add(\"first keys\".*//"
    "an edit forgets which keys were a rank's own|topology/keys/edit.cpp|test_keys *Edits.AsARebuild*|s/record_->flags\[i\] = flags_of(work.desc, i);/record_->flags[i] = 0;/"
    "ignored entries are ghosts|topology/keys/keys.cpp|test_keys *RandomKeys*|s/local_indices_\[i\] = no_index, ++n_ignored_;/local_indices_[i] = no_index;/"
    "ranks own the entries that they ignore|topology/points/points.cpp|test_keys *RandomKeys*|s/if (is_ignored(point)) owners\[point\] = -1;/if (is_ignored(point)) continue;/"
    "ranks have the entries that they ignore|topology/points/points.cpp|test_keys *RandomKeys*|s/^    if (is_ignored(static_cast<size_t>(point))) return {};//"
    "blocks go along directions that are not used|topology/blocks/blocks.cpp|misuse Cases/Table*|s/for (int d = desc.n_dims; d < 3; ++d)/for (int d = 3; d < 3; ++d)/"
    "fields are centred on faces of directions that are not used|field/field.cpp|misuse Centrings.*|s/desc.centring >> n_dims != 0)/desc.centring >> 3 != 0)/"
    "neighbours lie as if no part were turned|topology/regions/regions.cpp|unit_topology Turned*|s/, element, joins_\[join\].map));/, element));/"
    "a neighbour that is turned in two ways is listed once|topology/topology.cpp|halo_box_conformance *Regions*|s/return key(a) == key(b); };/return a.element == b.element \&\& a.gid == b.gid; };/"
    "a way into a tree that is not found back counts|topology/forest/trees.cpp|unit_forest Across.*|s/^        if (back.tree == tree \&\& map_of(back) == map.inverse()) /        /"
    "a tree that is upside down is entered upright|topology/forest/trees.cpp|unit_forest Across.*|s/there.at\[along\] = way.sign\[d\] > 0 ? at\[d\] : last_here - at\[d\];/there.at[along] = at[d];/"
    "a side may be joined twice|topology/forest/trees.cpp|misuse Cases/MisusedForests.*|s/^        if (side->tree >= 0) fail(HALO_ERR_ARGUMENT, \(.*\)$/        if (side->tree < -1) fail(HALO_ERR_ARGUMENT, \1/"
    "a leaf may lie in another|topology/forest/leaves.cpp|unit_forest Lists.*|s/; lies_in(inner, outer))/; false \&\& lies_in(inner, outer))/"
    "a refined neighbour is listed by all its parts|topology/forest/leaves.cpp|unit_forest ForestTopology.*|s/^        if (element\[d\] != 0 .. (number.*return false;//"
    "a forest out of balance is taken|topology/forest/forest.cpp|misuse ForestLists.*|s/^    check_balance(\*leaves_, desc.balance);//"
    "ghosts of a turned block come from its other end|topology/forest/block_box.cpp|unit_forest ForestTopology.*|s/? low : n - high;/? low : n - low;/"
    "a forest does not look whether trees are joined alike|topology/forest/forest.cpp|unit_forest ForestTopology.RanksThat*|s/add(join.axis\[d\], join.sign\[d\]);/add(join.axis[d]);/"
    "blocks are refined without what touches them|topology/forest/adapt.cpp|unit_forest Adapt.*|s/if (new_level(other) < leaves_\[next\].level) waiting.push_back(other);/(void)other;/"
    "blocks become coarser though finer ones touch them|topology/forest/adapt.cpp|unit_forest Adapt.*|s/fits = fits \&\& new_level(finer) <= parent.level + 1;/(void)finer;/"
    "a rank may be left without blocks|topology/forest/adapt.cpp|unit_forest Place.*|s/std::max<int64_t>(1, left - (n_ranks - 1 - rank))/left/"
    # Ghosts between levels
    "ghosts between levels of some edges alone|exchange/kinds/levels.cpp|test_levels LevelsRefuse.OtherKinds|s/if (desc.edges != HALO_EDGES_ALL)/if (false)/"
    "vectors come from components that a run has not made|exchange/kinds/level_steps.cpp|test_levels LevelsVectors.*|s/values = taken.of_whole_vectors()/values = taken/"
    "parts of the deepest leaves are asked for|topology/forest/near_leaves.cpp|test_levels OwnLeaves.AreAsDeep*|s/levels > 1 \&\& block.level < deepest_level/levels > 1/"
    "means are of half the values|../backends/device/host/level_operators.cpp|test_levels *Ghosts*|s/^    const Real n_values = static_cast<Real>(n_summed<directions>(ratio));/    const Real n_values = 2 * static_cast<Real>(n_summed<directions>(ratio));/"
    "slopes have no limit|../backends/device/host/level_operators.cpp|test_levels *Ghosts*|s/return one_way ? smaller : Real(0);/return smaller;/"
    "what lies across a leaf is not told by element|topology/forest/around.cpp|unit_forest Across.*|s/^            elements_\[place\]\[.*$//"
    "blocks read the same coarse cells whatever lies across them|topology/forest/level_edges.cpp|test_levels *Ghosts*|s/try_emplace(forest_.elements_near(receiver.place, Across::Is::coarser))/try_emplace(0)/"
    "ghosts are made from the wrong half of a coarser block|topology/forest/level_edges.cpp|test_levels *Ghosts*|s/place\[d\] = (block.at\[d\] \& 1) \* coarse_cells\[d\];/place[d] = (block.at[d] \& 2) * coarse_cells[d];/"
    "a block does not make the coarse cells that it reads itself|exchange/kinds/forest_steps.cpp|test_levels *Ghosts*|s/^        for (const halo_box \&box : read.inside) work.send(place, box);//"
    "coarse cells behind equal blocks keep what they had|exchange/kinds/forest_steps.cpp|test_levels *Ghosts*|s/^        if (halves) work.halved_ghosts = std::move(read.beside);//"
    "ghosts of odd widths lack what lies beside them|exchange/kinds/levels.cpp|test_levels *Ghosts*|s/^        if (!halves) add(.*$//"
    "of leaves around a point the last on the curve owns it|topology/forest/point_owners.cpp|test_levels LevelsPoints.*|s/return halo::comes_before(across.block, other.across.block);/return halo::comes_before(other.across.block, across.block);/"
    "coarser blocks keep their own points|topology/forest/point_owners.cpp|test_levels LevelsPoints.*|s/return is == Across::Is::finer ? 0 : is == Across::Is::leaf ? 1 : 2;/return is == Across::Is::leaf ? 0 : is == Across::Is::finer ? 1 : 2;/"
    "a block's point at its other end comes first|topology/forest/point_owners.cpp|test_levels LevelsPoints.*|s/^        return element < other.element;/        return element > other.element;/"
    "means come from the place that they go to|exchange/kinds/forest_steps.cpp|test_levels *Fluxes*|s/send(place_across(.*), edge.send.box);/send(place, edge.send.box);/"
    "values of turned faces come from the same place|plan/piece.cpp|test_levels LevelsTurned.*|s/listed ? place : sent_place(\*spec.source, place, edge), place }/place, place }/"
    "what goes upwards does so where upwards is downwards|plan/edge_boxes.cpp|test_levels LevelsTurned.*|s/ \&\& turns; ++i)/ \&\& !turns; ++i)/"
    "trees may meet in fives|topology/forest/trees.cpp|test_levels LevelsIrregular.*|s/is_regular_ = is_regular_ \&\& knows_all_at(tree, element);/(void)tree, (void)element;/"
    "points between two coarse ones are the lower one|../backends/device/host/level_operators.cpp|test_levels LevelsPoints.*|s/^        if ((faces >> d \& 1) == 0 || in\[d\].number == 0) return below;/        return below;/"
    "coarse values stay when their part goes|exchange/kinds/level_steps.cpp|test_levels LevelsSparse*|s/^        if (!is_wanted \&\& !data \&\& values.allocated(part, 0)) .*$//"
    "operations of the run before are done again|exchange/kinds/level_steps.cpp|test_levels LevelsSparseByHand.*|/const auto put = /,/};/s/^        ++version_;//"
    "blocks that touch no other level have coarse cells|exchange/kinds/level_steps.h|test_levels LevelsCoarse.*|s/!knows_work() || item.work/true || item.work/"
    "a block that stays gets other storage|field/other_blocks.cpp|test_levels *Remesh.Storage*|s/if (gid >= 0 .. old.owner(gid) == here)/if (false)/"
    "storage that is kept is as good as new|field/field.cpp|test_levels RemeshOfSparse.*|s/^    if (!ages_.empty() .. !other.ages_.empty()) ages_.*$//"
    "check mode poisons values that stay where they are|exchange/check_mode.cpp|test_levels *Remesh.Storage*|s/if (!is_in_place(run, { p, .edge })) //"
    "what comes for coarse values is no arrival of their part|exchange/sparse.cpp|test_levels LevelsSparse*|s/return run.beside ? run.beside->own(field) : field;/return field;/"
    "fluxes of parts without storage become the fill value|exchange/kinds/levels.cpp|test_levels LevelsSparse*|s/SparseRule::corrected });/SparseRule::moved });/"
    "small values stay behind in the old list of blocks|exchange/kinds/remesh.cpp|test_levels LevelsSparse*|s/between(RemeshWay::same), {}, meaning, SparseRule::moved, aged });/between(RemeshWay::same), {}, meaning });/"
    "creations that fail are counted by their first field alone|capi/exchange.cpp|test_levels LevelsRefuse.*|s/has_levels(topology)) return topology;/has_levels(topology) \&\& i < 0) return topology;/"
    "a run by phases sends the means of the run before|exchange/exchange.cpp|test_levels *Ghosts*|/^bool Exchange::send_present/,/^}/s/if (present_ == 0) steps_->before_send(run_, present());//"
    "a run by phases makes no ghosts|exchange/exchange.cpp|test_levels *Ghosts*|/^void Exchange::refine/,/^}/s/steps_->refine(run_, present());//"
    "a stencil may reach farther than the balance|exchange/kinds/levels.cpp|test_levels LevelsRefuse.*|s/    if (balance > std::max(wanted, most))/    if (balance == 0 \&\& wanted > 9)/"
    "ghosts may be wider than half a block|exchange/kinds/levels.cpp|test_levels LevelsRefuse.*|s/^        check_widths(\*field, ghosts);/        (void)check_widths;/"
    "fluxes go to the other side of a block|topology/forest/level_edges.cpp|test_levels *Fluxes*|s/^        if (offset\[d\] > 0) faces.low\[d\] = cells\[d\];//"
    "a refined block does not see beyond its part|topology/forest/remesh_edges.cpp|test_levels *Remesh*|s/^            coarse.low\[d\] -= reach_;//"
    "what touches leaves beside the own is not asked for|topology/forest/near_leaves.cpp|test_levels *OwnLeaves*|s/unknown_around(leaves, touching(known, leaves, own, context.rank()), balance)/unknown_around(leaves, own, balance)/"
    "a leaf may lie in another rank's|topology/forest/near_leaves.cpp|test_levels OwnLeavesAreRefused.*|s/^    add_all_above(own, asked);.*$//"
    "two ranks may give the same leaf|topology/forest/near_leaves.cpp|test_levels OwnLeavesAreRefused.*|s/^    if (known.twice()) refuse_overlap(.*$//"
    "leaves of all ranks may leave roots out|topology/forest/near_leaves.cpp|test_levels OwnLeavesAreRefused.*|s/^    if (!whole .. n\[0\] != n_roots)/    if (false)/"
    "own leaves may be out of balance|topology/forest/near_leaves.cpp|test_levels OwnLeavesAreRefused.*|s/ \&\& leaves\[across.gid\].level < leaf.block.level - 1)/ \&\& false)/"
    "a hole beside own leaves is taken|topology/forest/near_leaves.cpp|test_levels OwnLeavesAreRefused.*|s/^        fail(HALO_ERR_ARGUMENT, \"forest: across the/        if (false) fail(HALO_ERR_ARGUMENT, \"forest: across the/"
    "leaves beyond an edge are one level finer at most|topology/forest/near_leaves.cpp|test_levels *OwnLeaves*|s/return std::max(1, distance - balanced + 1);/return 1;/"
    "far leaves are told of as if they were known|topology/forest/forest.cpp|test_levels OwnLeavesAreRefused.*|s/^    if (is_distributed() \&\& !std::ranges::binary_search(near_, gid))/    if (false)/"
    "ranks without other levels have none|topology/forest/forest.cpp|test_levels *Ghosts*|s/allreduce_max(context_, find_levels() ? 1 : 0) != 0;/find_levels();/"
    "what becomes part of a block is not looked up|topology/forest/remesh_leaves.cpp|test_levels *Remesh*|s/^    look_up_in(to_, std::move(asked));//"
    "what a leaf was a part of is not looked up|topology/forest/remesh_leaves.cpp|test_levels *Remesh*|s/up < 3 \&\& block.level/up < 1 \&\& block.level/"
    "what lies beside parts of a block is not looked up|topology/forest/remesh_leaves.cpp|test_levels *RemeshPoints*|s/\[&\](const TreeBlock &there) { ask_above(there, asked); }/[\&](const TreeBlock \&) {}/"
    "parts of a block beside one of another rank are not looked up|topology/forest/remesh_leaves.cpp|test_levels *RemeshPoints*|s/asked.push_back(parent_of(there)); });/static_cast<void>(there); });/"
    "fine points beside a block's parts are made anew|exchange/kinds/remesh.cpp|test_levels *RemeshPoints*|s/^        if (edge.ends != EdgeEnds::send) subtract(made\[edge.receive_gid\], edge.receive.box);//"
    "faces within a coarse cell do not bend|../backends/device/host/level_operators.cpp|device_tests DivideCells.*|s/ + bend\[d\];/;/"
    "faces within a coarse cell do not twist|../backends/device/host/level_operators.cpp|device_tests DivideCells.*|s/sign(part, g) \* twist\[e\] +/sign(part, g) * twist[d] +/"
    "faces within coarse cells behind a coarser block are means|exchange/kinds/forest_steps.cpp|test_levels *Divergence*|s/Is::coarser) divide(forest_, work_of(gid), cells);/Is::coarser) {}/"
    "faces within coarse cells of a new block are means|exchange/kinds/remesh.cpp|test_levels *Divergence*|s/if (place == 0 \&\& divides_cells(field_))/if (place < 0)/"
    "a block may come about by two levels|topology/forest/remesh_leaves.cpp|test_levels RemeshRefuses.*|s/^    if (known_) check();//"
    "a host device is not asked for operations between levels|exchange/kinds/level_steps.cpp|late_device_programs KindsOnDevices.AForest*|s/if (!device.ops().levels_run)/if (space.on_device() \&\& !device.ops().levels_run)/"
    "storage is open behind the event of before|exchange/paths/storage_notice.cpp|late_device_direct *AfterARun*|s/ \&\& same_event) return/) return/"
    "coarse cells beside sparse fields are not there before the first run|exchange/kinds/level_steps.h|test_levels *OwnOperators.*|s/void place_coarse(size_t field) override { place_as_bound(items_.field.); }/void place_coarse(size_t field) override { place(items_[field], items_[field].field->space(0)); }/"
    "fluxes are refused as ghosts are|exchange/kinds/levels.cpp|late_device_programs KindsOnDevices.*OlderModule|s/fluxes of finer blocks are averaged/ghosts between levels are made/"
    "a run in flight forgets what is released by age|exchange/exchange.cpp|halo_conformance *RunsThatAreRefused*|/^void Exchange::start/,/^}/s/ \&\& present().takes(run)) /) /"
    "who is never there is waited for in each run|exchange/paths/pause.h|unit_exchange Pause.*|s/left_ = 1u .*$/left_ = 0;/"
    # Levels of boxes
    "a third cell lies where a second one does|../backends/device/host/level_operators.cpp|test_levels *BoxHierarchies*|s/static_cast<Real>(2 \* number + 1 - ratio)/static_cast<Real>(2 * (number % 2) + 1 - ratio)/"
    "ghosts that their own level has are made|topology/boxes/hierarchy.cpp|test_levels *BoxHierarchies*|s/^        for (const PlacedBox \&other : near_boxes(\*fine_.boxes(), all)) subtract(boxes, other.cells);//"
    "slopes are made of coarse cells that were not sent|topology/boxes/hierarchy.cpp|test_levels *BoxHierarchies*|s/grown(coarsened(box, ratio_), around(cells.reach, ratio_))/coarsened(box, ratio_)/"
    "cells of a later time count for those of the earlier|../backends/device/host/level_operators.cpp|test_levels *BoxHierarchies*|s/fraction == 1 ? \*later.at(x, y, z)/fraction == 1 ? *old.at(x, y, z)/"
    "whole boxes leave out what their level has|topology/boxes/hierarchy.cpp|test_levels *BoxHierarchies*|s/^    if (!cells.whole) {/    if (cells.reach >= 0) {/"
    "who is beside a covered cell is not told|topology/boxes/hierarchy.cpp|test_levels *BoxHierarchies*|s/^            along.low\[d\] = along.high\[d\] = 1;//"
    "fluxes above a finer box stay the coarser level's|topology/boxes/hierarchy.cpp|test_levels *Refluxed*|s/, intersection(shifted(box, step), other) })/ })/"
    "levels need not be nested|topology/boxes/hierarchy.cpp|test_levels HierarchiesRefuse.*|s/^            if (!missing.empty()) return NotNested/            if (missing.size() > 99) return NotNested/"
    "boxes may end within coarse cells|topology/boxes/hierarchy.cpp|test_levels HierarchiesRefuse.*|s/if (!equal(refined(part.cells, ratio_), fine.cells)) return/if (fine.gid < 0) return/"
    "a field of a later time need not be there|exchange/kinds/level_steps.cpp|test_levels HierarchiesRefuse.*|s/^            require_storage(run, f);//"
    "boxes go along directions that are not used|topology/boxes/boxes.cpp|misuse *Topologies*|s/^        if (box.low\[d\] != 0 .*$/        if (false)/"
    "boxes repeat along directions that are not used|topology/boxes/boxes.cpp|misuse *Topologies*|/require_flat(desc.domain/,/^}/s/^        if (desc.periodic\[d\])$/        if (false)/"
    "regions go along directions that are not used|topology/regions/regions.cpp|misuse *Topologies*|s/given != 0 \&\& given != 1)/given < 0)/"
    "who comes later owns shared points too|topology/boxes/box_edges.cpp|halo_box_conformance *BoxQueries.EachPoint*:*Asked.ANorm*|s/if (precedes(other, part)) subtract(left_, owned(other));/if (false) subtract(left_, owned(other));/"
    "a row of an owner mask is as long as the cells|topology/boxes/box_edges.cpp|halo_box_conformance *BoxQueries.EachPoint*:*Asked.ANorm*|s/(z \* all.high\[1\] + y) \* all.high\[0\] + box.low\[0\]/(z * all.high[1] + y) * (all.high[0] - 1) + box.low[0]/"
    "the mask of a second place lies on the first|field/field.cpp|halo_box_conformance *BoxQueries.EachPoint*|s/^        mask += n;//"
    "copies of a rank's own points count|topology/points/points.cpp|halo_box_conformance */Asked.OwnerMasksOfPoints*|s/subspan(begins_with_own ? 1 : 0))/subspan(begins_with_own ? shared_.copies(i).size() : 0))/"
    "leaves of a rank's own roots are taken for roots|topology/points/points.cpp|halo_box_conformance */Asked.OwnerMasksOfPoints*|s/begins_with_own = knows_holders_ \&\& /begins_with_own = /"
    "a peer's bytes are those of the last round|exchange/exchange.cpp|halo_box_conformance */Asked.Peers*|s/row.bytes_sent += link.bytes_sent;/row.bytes_sent = link.bytes_sent;/"
    "a field's description has other ghosts|field/field.cpp|halo_box_conformance */Asked.ADescription*|s/std::ranges::copy(spec_.ghosts.high, desc.ghost_high);/std::ranges::copy(spec_.ghosts.low, desc.ghost_high);/"
    "runs that are done are given up too|capi/with_all.cpp|halo_box_conformance *WithAll.EverythingAliveAndDone*|s/^    if (!exchange.in_flight()) return {};//"
    "topologies go before their fields|capi/with_all.cpp|halo_box_conformance *WithAll.*|s/destroy_each<Field>(owner.shells, HandleKind::field);/destroy_each<Topology>(owner.shells, HandleKind::topology); destroy_each<Field>(owner.shells, HandleKind::field);/"
    "an empty list of boxes has the domain cut|topology/boxes/boxes.cpp|halo_box_conformance BoxLists.*|s/ \&\& desc.n_parts_per_rank != 0),/),/"
    "images across a period stay where they are|topology/boxes/box_set.cpp|unit_topology|s/^        found.back().cells = shifted(.*$//"
    "boxes of other ranks farther than a cell away are not known|topology/boxes/boxes.cpp|halo_box_conformance *BoxCases*|s/2 \* int64_t{ reach_ } + 1 }/1 }/"
    "ghosts that several boxes own are filled by each of them|topology/boxes/box_edges.cpp|halo_box_conformance *BoxCases*:AmrexNames.*|s/^            depend_on_gids_ = subtract(.*$/            depend_on_gids_ = true;/"
    "edges that depend on gids are those of any part alike|topology/boxes/box_edges.cpp|halo_box_conformance *BoxCases*:AmrexNames.*|s/depend_on_gids_ = subtract(\(.*\)) || depend_on_gids_;/subtract(\1);/"
    "a part gets the edges of another that begins where it does|topology/boxes/box_edges.cpp|unit_topology BoxEdges*|s/ || !equal(relative(receiver.cells, receiver.origin()), own_)//"
    "a part gets the edges of one whose surroundings are others|topology/boxes/box_edges.cpp|halo_box_conformance *BoxCases*:AmrexNames.*|s/if (!equal(relative(.*)) return false;//"
    "several sources of a transfer fill the same points|topology/boxes/transfer_edges.cpp|halo_box_conformance *Transfers*|s/^        subtract(own, owned(near\[i\]));//"
    "neighbours across turned joins have the elements of others|topology/edge.cpp|unit_topology Turned*|s/back.identity.element = .*$/back.identity.element = 26 - edge.identity.element;/"
    "rows that lead to ghosts keep the order in which these were found|topology/graph/graph.cpp|test_keys *Graphs.Rings*|s/graph_.neighbours\[i\] = index_of(graph_.neighbours\[i\]);/graph_.neighbours[i] += 0;/"
    "a rank that decides about its own ghosts forgets them|topology/keys/keys.cpp|test_keys *Graphs.Rings*|s/kept = work.near;/kept;/"
    "a ghost that is asked for is taken for an own point|topology/keys/keys.cpp|test_keys *Graphs.Contradict*|s/ \&\& (!work.knows_owners() .. work.owner(position) == context_.rank())//"
    "the rank that a function names is not looked at|topology/graph/rings.cpp|test_keys *Graphs.Refused*|s/^    if (owner >= 0) check_owner(key, owner);//"
    "entries of a graph may have different owners|topology/graph/rings.cpp|test_keys *SaidOwners*|s/if (owners) check_that_entries_agree/if (owners \&\& i == neighbours.size()) check_that_entries_agree/"
    "check mode does not compare owners of a graph|topology/graph/rings.cpp|test_keys *SaidOwners*|s/if (found_.knows_owners \&\& context_.check_mode())/if (found_.knows_owners \&\& desc_.rings < 0)/"
    "who owns a ghost is asked each time it is met|topology/graph/rings.cpp|test_keys *Graphs.Rings*|s/^    if (const uint32_t number = found_.index.find(key); number != KeyIndex::none) return number;/    if (const uint32_t number = found_.index.find(key); number < n_owned()) return number;/"
    "who is asked for owners may do everything|topology/graph/rings.cpp|misuse Callbacks.WhoIsAsked*|s/^    const CallRules::Callback inside(context_.call_rules(), Inside::callback, .owner_of.);//"
    "keys of a graph beside those that lie together are not found twice|topology/keys/key_index.cpp|test_keys *Graphs.Rings*|s/^        if (!expected) hashed_.push_back(number);//"
    "a ring of ghosts that adds points ends a graph|topology/graph/rings.cpp|test_keys *RoundAChain*|s/> known ? 1 : 0) == 0) break/> known ? 1 : 0) >= 0) break/"
    "what lies beyond two sides of a parallelogram is reached across the other first|sphere/lattice.cpp|unit_sphere|s/if (point.y < 0)/if (point.y < 0 \&\& point.x <= side)/"
    "around the corners of an octahedron a neighbour counts twice|sphere/lattice.cpp|unit_sphere|s/icosahedron_ ? slot == 4 : slot >= 4/slot == 4/"
    "parallelograms around the south pole meet turned the other way|sphere/lattice.cpp|unit_sphere|/^LatticePoint SphereLattice::across_high_j/,/^}/s/around(p.parallelogram, 1)/around(p.parallelogram, -1)/"
    "the poles have no ghosts of their own|sphere/part_halo.cpp|test_keys *Spheres*|s/std::vector<LatticePoint> all = poles_;/std::vector<LatticePoint> all;/"
    "a part's far columns have no ghosts|sphere/part_halo.cpp|test_keys *Spheres*|s/(box_.high\[0\] - box_.low\[0\] - 1, 1)/(box_.high[0] - box_.low[0], 1)/"
    "a part of a sphere claims its ghosts|sphere/sphere.cpp|test_keys *Spheres*|s/flags.resize(keys.size(), HALO_KEY_WANT)/flags.resize(keys.size(), 0)/"
    "boxes may leave out squares of a sphere|sphere/split.cpp|test_keys *RefusedBoxes*|s/if (squares\[p\] != lattice_/if (squares[p] > lattice_/"
    "vectors keep their signs beyond a pole|sphere/latitudes.cpp|halo_box_conformance *Pole*|s/passage.vector = { sign, sign };//"
    "beyond a pole lies the same column|sphere/latitudes.cpp|halo_box_conformance *Pole*|s/turns \* n - n \/ 2;/turns * n;/"
    "over a side of a cube rows never turn back|sphere/cubed_sphere.cpp|halo_box_conformance *Cube*|s/passage.sign\[along_side\] = runs;//"
    "ghosts across a cube's edge come from its far side|sphere/cubed_sphere.cpp|halo_box_conformance *Cube*|s/first_there = inwards > 0 ? 0 : n - 1;/first_there = inwards > 0 ? n - 1 : 0;/"
    "a part sends from another's cells|sphere/charts.cpp|halo_box_conformance *Cube*|s/passage.chart \* desc.parts\[1\] + j/passage.chart * desc.parts[1] + first(1)/"
    "across a pole a row meets itself as it lies|sphere/reduced_rows.cpp|halo_box_conformance *ReducedRows*|s/(across_pole ? n : 0)/0/"
    "cells that touch at a corner share a side|sphere/reduced_rows.cpp|halo_box_conformance *ReducedRows*|s/(static_cast<__int128>(east) \* there - 1)/(static_cast<__int128>(east) * there)/"
    "signs of vectors are lost on the way over two joins|topology/edge.cpp|halo_box_conformance *Regions*|/^AxisMap AxisMap::then/,/^}/s/        both.vector\[d\] = .*$//"
    "lists may begin before their first entry|topology/lists/lists.cpp|misuse *Sizes*|s/desc.send_offsets\[0\] < 0/desc.send_offsets[0] == 1/"
    # Combining
    "a fetch brings the value after the contribution|base/combine.cpp|test_keys *Fetches*|s/^    store(contribution, value);/    store(contribution, op(value, more));/"
    "a number wins over NaN|base/combine.cpp|halo_goes_wrong Collectives.NaN*|s/return std::isnan(a) ? a : b;/return std::isnan(a) ? b : a;/"
    # Transports
    "what is read of a peer that has closed counts|../backends/transport/shm/segment.cpp|shm_tests ShmOnce.*|s/if (static_cast<size_t>(n) != bytes + sizeof word) return Copied::not_there;/if (n > 0) return Copied::done;/"
    "whoever has a process's number is that process|../backends/transport/shm/segment.cpp|shm_tests ShmSegment.*|s/if (word == address_.nonce) return/if (word != 1) return/"
    "what is copied twice is said to need no calls|../backends/transport/shm/endpoint.cpp|shm_tests ShmAlone.WhoMay*|s/return !(peer.reads_here .. peer.is_readable);/return false;/"
    "who goes on to another area reads on in the first|../backends/transport/shm/ring.h|shm_tests ShmRing.*|/^class RingReader/,/^};/s/^        area_ = Area(ring_, area_.number + 1);//"
    "the last cell is not kept for where others follow|../backends/transport/shm/ring.h|shm_tests ShmRing.*|/bool has_cell/,/^    }/s/return cells_written_ - cells_read_ < area_.last;/return cells_written_ - cells_read_ <= area_.last;/"
    "room for a message is that of its bytes alone|../backends/transport/shm/ring.h|shm_tests ShmRing.*|s/const size_t wanted = (bytes + 127) .*;/const size_t wanted = bytes;/"
    "a reader waits for room in its ring|../backends/transport/shm/endpoint.cpp|shm_tests ShmAlone.*|s/!peer.reads_here .. request.sent() > 0/true/"
    "whoever has mapped it is reached for readers|../backends/transport/shm/endpoint.cpp|shm_tests ShmAlone.*|s/(readable_only_ \&\& !(reads_here/(false \&\& !(reads_here/"
    "a request in flight is started once more|../backends/transport/mpi/repeated.cpp|mpi_repeated|s/return place.in_flight ? nullptr : \&place;/return \&place;/"
    "requests in flight make room|../backends/transport/mpi/repeated.cpp|mpi_repeated|s/if (!place.in_flight \&\& (!oldest/if ((!oldest/"
    "the request that was started last makes room|../backends/transport/mpi/repeated.cpp|mpi_repeated|s/place.last_used < oldest->last_used/place.last_used > oldest->last_used/"
    # OpenCL
    "what is recorded goes into queues of another kind|../backends/device/opencl/runtime.cpp|opencl_calls StreamsOfOpenCl.*|s/^        return properties == 0;/        return true;/"
    "a device of OpenCL's whose memory is not shared finely is taken|../backends/device/opencl/program.cpp|opencl_calls *Refused*|s/CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0)$/CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 8)/"
    "a GPU's memory of a process with the same number is not opened|../backends/device/accelerator/gpu_runtime.h|gpu_ipc GpuIpc.*|s/return process == Process::own();/return process.number == Process::own().number;/"
    "a graph is taken for that of what others are told|../backends/device/accelerator/graphs.cpp|opencl_calls CommandBuffers.*|s/return one.launches == launches.all \&\& Arguments::is_told(.*$/return one.launches == launches.all;/"
    # Which MPI
    "the standard ABI is foreign to its own launcher|plugin/mpi_choice.cpp|unit_plugin MpiChoice.*|s/launcher.mpi != implementation_of(loaded)/launcher.mpi != loaded.mpi/"
    "the standard ABI that a launcher brings is left|plugin/mpi_choice.cpp|unit_plugin MpiChoice.*|s/const bool abi = !launcher.abi_library.empty();/const bool abi = false;/"
    "a module that the launcher does not serve is allowed|plugin/mpi_choice.h|unit_plugin MpiChoice.*|s/name == \"mpi_\" + otherwise/!name.empty()/"
    "who has the function of the standard ABI has the ABI|plugin/mpi_scan.cpp|unit_plugin MpiScan.*|s/ \&\& major > 0;/ \&\& major != 0;/"
    "a library that nobody calls is a second MPI|plugin/mpi_scan.cpp|unit_plugin MpiScan.*|s/drop_unused(found, global.front());/static_cast<void>(drop_unused);/"
    "a library that is called is taken for unused|plugin/mpi_scan.cpp|unit_plugin MpiScan.*|s/loaded.mpi == own.mpi \&\& !loaded.initialised;/loaded.mpi == own.mpi;/"
    "a shell between hides the launcher|plugin/mpi_launcher.cpp|unit_plugin MpiScan.*|s/process = parent_of(process)) {/process = 0 * parent_of(process)) {/"
    "any launcher brings what lies beside it|plugin/mpi_launcher.cpp|unit_plugin MpiScan.*|s/file == s.program \&\& mpi == s.mpi;/file == s.program \&\& !mpi.empty();/"
    "a module may bring a second MPI|plugin/registry.cpp|unit_plugin MpiScan.*|s/before.size() != 1) return object;/before.size() < 99) return object;/"
    # Sizes, limits, settings
    "only the last step of a product of sizes is checked|base/checked.cpp|unit_base Checked.*|/operator\*/,/return product/s/ \&\& a.fits_ \&\& b.fits_;/;/"
    "fields have ghosts along directions that are not used|field/field.cpp|misuse *Topologies*|s/^        if (desc.ghost_low\[d\] != 0 .*$/        if (false)/"
    "transfers have ghosts along directions that are not used|exchange/kinds/transfer.cpp|misuse *Topologies*|s/for (int d = 0; d < 3; ++d) {/for (int d = 0; d < field.topology().n_dims(); ++d) {/"
    "two fields on a topology have one name|field/field.cpp|misuse *Topologies*|s/if (!topology.fields.emplace(spec_.name, this).second)/if (topology.fields.emplace(spec_.name, this).second \&\& false)/"
    "a destroyed field keeps its name|field/field.cpp|misuse FieldNames.*|s/^    topology_.fields.erase(spec_.name);//"
    "the bytes of a layout are not limited|field/field.cpp|misuse *Sizes*|s/^    if (layout.elements > limits.*fail_as_too_large(gid);//"
    "rows are not padded|field/part_layout.cpp|unit_field|s/^        size = round_up(size \* step.n(), is_row ? unit : 1);/        size = size * step.n();/"
    "the first row is not aligned|field/part_layout.cpp|unit_field|s/^        first += round_up(size \* step.before, is_row ? unit : 1);/        first += size * step.before;/"
    "padding may make storage larger than a part may have|field/part_layout.cpp|unit_field|s/^    if (elements > most) return std::nullopt;//"
    "room for others' ghosts is not kept|field/part_layout.cpp|unit_field|s/std::max(shape.ghosts.high.which., ghosts.high.which.)/shape.ghosts.high[which]/"
    "storage is aligned to 64 bytes whatever the rule says|field/field.cpp|halo_conformance *RandomCases*|s/std::max<int64_t>(layout_rule_.alignment, Pool::alignment)/Pool::alignment/"
    "exchanges go on with the layout that was before|field/field.cpp|halo_cpp Layouts.*|/^void Field::set_layout/,/^}/s/^    layout_hash_ = 0;//"
    "the layout changes under a run|field/field.cpp|halo_cpp Layouts.*|/^void Field::set_layout/,/^}/s/^    if (in_flight > 0) .*$//"
    "bound storage gets another layout|field/field.cpp|misuse *|s/^    for (int64_t i = 0; i < std::ssize(layouts_); ++i) require_unbound(i, .*$//"
    "the bytes of an allreduce are not limited|capi/context.cpp|misuse *Sizes*|s/^.*value(\"allreduce: the bytes of n values\".*$//"
    "the limit of file sizes is not asked for|memory/shared_file.cpp|misuse ProcessLimits.*|s/limit.rlim_cur != RLIM_INFINITY/limit.rlim_cur == 1/"
    "memory that cannot be shared is refused|comm/context.cpp|misuse ProcessLimits.*|/^void .Context::allocate_shared/,/^}/s/return devices_->host().allocate(HALO_MEMORY_HOST, bytes);/return nullptr;/"
    "a rank that shares no memory is not told of|comm/context.cpp|misuse ProcessLimits.*|s/^    compare_shared_memory(least\[0\]);//"
    "memory that cannot be reached is not logged|memory/shared_arena.cpp|misuse ProcessLimits.*|s/^    if (tell_ .*tell_();/    (void)told;/"
    "a host that could not be read once is never|memory/shared_file.cpp|unit_memory HostNumber*|s/    if (known == 0) number = known = read_host_number();.*/    static const uint64_t once = read_host_number(); number = known = once;/"
    "a settings file is as long as it says|base/config_source.cpp|misuse ProcessLimits.*|s/    bool suits = S_ISREG(status.st_mode);/    bool suits = S_ISREG(status.st_mode); if (status.st_size == 0) return text;/"
    "what is known of a field that may not go is forgotten|capi/field.cpp|halo_access_loops AccessMisuse.*|s/^        ContextObject .owner = .shell_of(.field)->owner;/& owner.accesses.forget(object);/"
    "inside a channel's allocator everything may be called|channel/mail_buffer.cpp|misuse Callbacks.*|s/^    const CallRules::Callback inside(.*\"allocate\");/    (void)context;/"
    "a settings file is opened as if it could not block|base/config_source.cpp|misuse ProcessLimits.*|s/ | O_NONBLOCK//"
    "an empty variable counts|base/config_source.cpp|unit_base ConfigSources.*|s/ \&\& equals + 1 < variable.size();/;/"
    "raised rights leave the path of plugins to the environment|base/config_source.cpp|unit_base ConfigSources.*|s/if (!secure .. key != \"plugin_path\")/if (true)/"
)

check_rows() {
    local defect file program_of_sed n_lines failed=0
    for defect in "${defects[@]}"; do
        IFS='|' read -r _ file _ program_of_sed <<<"$defect"
        n_lines="$(sed "$program_of_sed" "src/core/$file" | diff "src/core/$file" - | grep -c '^>')"
        [ "$n_lines" -eq 1 ] || { echo "tests/mutation.sh: changes $n_lines lines of its file: $defect"; failed=1; }
    done
    return $failed
}

if [ "$1" = --rows ]; then
    check_rows
    exit
fi

mkdir -p "$1" && root="$(cd "$1" && pwd)" || exit # or all that follows would be at the root of the file system
whole="$root/whole"                               # the tree as it was at the start
known="$root/known"                               # defects that were seen, by the library they are defects of: who saw each, and its line

take_snapshot() {
    rm -rf "$whole"
    mkdir -p "$whole"
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || { mkdir -p "$whole/$(dirname "$file")" && cp "$file" "$whole/$file"; }
    done
}

row_digest() { # of a row and the file that it breaks
    local file
    IFS='|' read -r _ file _ <<<"$1"
    { echo "$1" && cat "$whole/src/core/$file"; } | sha256sum | cut -c1-16
}

digest() { # of files named on standard input
    xargs -d '\n' sha256sum | sha256sum | cut -c1-32
}

# Of what rows are tried on: all shared objects, how tests are run, and each program.
take_digests() {
    local program
    tried_on="$(find "$copy/build" -name '*.so*' -type f | sort | digest) ${settings[*]} $left_out"
    for program in "${programs[@]}"; do digests[$program]="$(echo "$copy/build/bin/$program" | digest)"; done
}

# What follows works in the copy of one worker.
take_copy() { # number of the worker
    copy="$root/tree$1"
    export CCACHE_BASEDIR="$copy" CCACHE_NOHASHDIR=1 # what one has compiled the others have too
    mkdir -p "$copy"
    (cd "$copy" && find . -path ./build -prune -o -type f -print0) | while IFS= read -r -d '' file; do
        [ -f "$whole/$file" ] || rm "$copy/$file"
    done
    fresh_tree
    (configure >/dev/null) && build "${programs[@]}" && return
    tail -n 20 "$copy/build.log"
    echo "the tree itself does not build"
    exit 1
}

fresh_tree() { # only what differs is written, so that little is built again
    (cd "$whole" && find . -type f -print0) | while IFS= read -r -d '' file; do
        cmp -s "$whole/$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$whole/$file" "$copy/$file"; }
    done
}

# Each file by itself, as one is broken at a time; without the kernels of devices that are not here.
configure() {
    local launcher=() linker=
    if command -v ld.lld >/dev/null; then linker=-fuse-ld=lld; fi
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    cd "$copy" && cmake --preset default --log-level=WARNING -DHALO_UNITY=OFF -DHALO_HIPCC=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON -DCMAKE_EXE_LINKER_FLAGS="$linker" -DCMAKE_SHARED_LINKER_FLAGS="$linker" \
        "${launcher[@]}"
}

# Programs load modules, which else might still be those of a row before.
build() { cmake --build "$copy/build" --target "$@" "${modules[@]}" >"$copy/build.log" 2>&1; }

# first_failure program [tests]: the test that fails first, "hangs" or "crashes" with the one it was in; nothing if all pass
first_failure() {
    local log="$copy/$1.log" status
    timeout "${seconds[$*]:-600}" "$copy/build/bin/$1" --gtest_fail_fast --gtest_filter="${2:-*}-$left_out" >"$log" 2>&1
    status=$?
    [ $status -ne 0 ] || return
    local failed running
    failed="$(sed -n 's/^\[  FAILED  \] \([^ ,]*\)[ ,].*/\1/p' "$log" | sed -n 1p)"
    running="$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)"
    if [ -n "$failed" ]; then echo "$1: $failed"
    elif [ $status -eq 124 ]; then echo "$1: $running hangs"
    else echo "$1: $running crashes"; fi
}

# Without a defect all must pass. With one they may take three times as long, and ten seconds more.
must_pass() {
    local begin=$SECONDS failure
    failure="$(first_failure "$@")"
    [ -z "$failure" ] || { echo "without any defect one fails: $failure"; exit 1; }
    seconds["$*"]=$((10 + 3 * (SECONDS - begin)))
}

# seen_by program [tests]: who sees the defect, these asked first
seen_by() {
    local seen program
    build "$1" || { echo "**it does not build**"; return 1; }
    seen="$(first_failure "$@")"
    [ -n "$seen" ] || build "${programs[@]}"
    for program in "${programs[@]}"; do
        [ -z "$seen" ] || break
        seen="$(first_failure "$program")"
    done
    echo "${seen:-**nobody**}"
    [ -n "$seen" ]
}

# break_and_look row: its line of the table, and whether somebody has seen the defect
break_and_look() {
    local what file likely program_of_sed n_lines seen status=0
    IFS='|' read -r what file likely program_of_sed <<<"$1"
    sed -i "$program_of_sed" "$copy/src/core/$file"
    n_lines="$(diff "$whole/src/core/$file" "$copy/src/core/$file" | grep -c '^>')"
    if [ "$n_lines" -ne 1 ]; then
        seen="**$n_lines lines were changed**"
        status=1
    else
        sed -i -e '1i #pragma GCC diagnostic warning "-Wall"' -e '1i #pragma GCC diagnostic warning "-Wextra"' -e '1i #pragma GCC diagnostic warning "-Wshadow"' "$copy/src/core/$file"
        seen="$(seen_by $likely)" || status=1
    fi
    echo "| $what | $file | $seen |"
    cp "$whole/src/core/$file" "$copy/src/core/$file"
    return $status
}

look_at() { # number of a row
    local likely place line program digest
    place="$known/$(sha256sum <<<"$tried_on ${chosen[$1]}" | cut -c1-32)"
    if [ -f "$place" ]; then
        { read -r program digest; read -r line; } <"$place"
        if [ "$digest" = "${digests[$program]:-}" ]; then
            echo "$line" >"$root/taken/$1.line"
            return
        fi
    fi
    IFS='|' read -r _ _ likely _ <<<"${chosen[$1]}"
    if [ -z "${seconds[$likely]:-}" ]; then
        build ${likely%% *}
        must_pass $likely
    fi
    if break_and_look "${chosen[$1]}" >"$root/taken/$1.line"; then
        line="$(cat "$root/taken/$1.line")"
        program="${line##*| }" # program: test |
        program="${program%%:*}"
        echo "$program ${digests[$program]:-}"$'\n'"$line" >"$place"
    else touch "$root/taken/$1.missed"; fi
}

# A few rows at a time, since neighbours break the same files. Whoever makes their folder takes them.
work() { # number of the worker
    local rows=6 first row program
    if [ "$1" -eq 0 ] && [ "$pattern" = . ]; then # for when the likely ones see nothing
        for program in "${programs[@]}"; do must_pass "$program"; done
    fi
    for ((first = 0; first < ${#chosen[@]}; first += rows)); do
        mkdir "$root/taken/$first" 2>/dev/null || continue
        for ((row = first; row < first + rows && row < ${#chosen[@]}; ++row)); do look_at "$row"; done
    done
}

take_snapshot
chosen=()
recorded=()
for defect in "${defects[@]}"; do
    IFS='|' read -r what file likely program_of_sed <<<"$defect"
    if [ $# -lt 2 ] && line="$(grep -F "| $(row_digest "$defect") |" "$record")"; then recorded+=("$line")
    elif grep -qE "$pattern" <<<"$what $file"; then chosen+=("$defect"); fi
done
mkdir -p "$known"
rm -rf "$root/taken" && mkdir "$root/taken"
[ ${#chosen[@]} -gt 0 ] || n_workers=0
workers=()
for ((worker = 0; worker < n_workers; ++worker)); do
    take_copy "$worker"
    [ "$worker" -gt 0 ] || take_digests
    work "$worker" >"$root/worker$worker.log" &
    workers+=($!)
done
failed=0
for worker in "${workers[@]}"; do wait "$worker" || failed=1; done
for ((worker = 0; worker < n_workers; ++worker)); do cat "$root/worker$worker.log"; done

echo "| defect | file | first seen by | row and file |"
echo "|---|---|---|---|"
for ((row = 0; row < ${#recorded[@]}; ++row)); do echo "${recorded[$row]}"; done
for ((row = 0; row < ${#chosen[@]}; ++row)); do
    if [ -f "$root/taken/$row.missed" ]; then cat "$root/taken/$row.line"
    else echo "$(cat "$root/taken/$row.line") $(row_digest "${chosen[$row]}") |"; fi
done
missed="$(find "$root/taken" -name '*.missed' | wc -l)"
echo
echo "$missed of ${#chosen[@]} defects were missed; ${#recorded[@]} are known from the record"
[ "$failed" -eq 0 ] && [ "$missed" -eq 0 ]
