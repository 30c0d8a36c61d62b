/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_channel.h
 * Channels by hand, for programs that have their own mesh and buffers: one directed edge each, with a mailbox of five states, alone or many in one
 * message.
 *
 *   1  channels
 *   2  groups of channels
 *
 * Conventions are those of halo.h.
 */
#ifndef HALO_CHANNEL_H
#define HALO_CHANNEL_H

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 channels */
/** @defgroup channel_chapter_1 1 channels
 *  @{ */

typedef struct halo_channel halo_channel; /**< one directed edge with its five-state mailbox */
typedef struct halo_group halo_group;     /**< channels committed together */

/** What a channel is known by on both ends. Frozen. */
typedef struct halo_channel_key {
    int64_t send_gid;
    int64_t receive_gid;
    int32_t field;   /**< the caller's number */
    int32_t element; /**< of the sender, 0..26: see HALO_ELEMENT */
    int64_t extra;   /**< several channels on one edge: multigrid level, stage... else 0 */
} halo_channel_key;

#define HALO_STALE 0         /**< the receiver needs nothing any more; the sender may write */
#define HALO_SENDING 1       /**< data are on their way */
#define HALO_SENDING_NULL 2  /**< "null" is on its way */
#define HALO_RECEIVED 3      /**< the buffer holds what was sent */
#define HALO_RECEIVED_NULL 4 /**< null was sent */

#define HALO_BUFFER_POOL 0      /**< the library's pools */
#define HALO_BUFFER_CALLER 1    /**< the caller's memory: `buffer`, or that of halo_channel_set_buffer */
#define HALO_BUFFER_ALLOCATOR 2 /**< the caller's allocator: `allocator` */

/** Where channels have their buffers from. Both functions are told for which channel; `key` is there during the call. They must return normally, and
 * may call functions of the context whose handle is const. A block that a message is still using when its channel is destroyed is not given to
 * `release`: it must stay until MPI_Finalize. */
typedef struct halo_channel_allocator {
    size_t struct_size;
    int32_t struct_version;
    int32_t memory; /**< host, pinned or device; a channel in host memory takes host or pinned, one on a device that device's */
    int32_t device; /**< ordinal; 0 for host memory */
    int32_t reserved;
    void *user; /**< given to both functions; as long as the channels with this allocator */
    /** `bytes` are those of the payload and, but for a device's memory, 64 more; aligned to 64. NULL: there is no memory, HALO_ERR_MEMORY. */
    void *(*allocate)(void *user, const halo_channel_key *key, size_t bytes);
    /** `bytes` as in `allocate`. */
    void (*release)(void *user, const halo_channel_key *key, void *pointer, size_t bytes);
} halo_channel_allocator;
#define HALO_CHANNEL_ALLOCATOR_INIT                                                                                                                  \
    { sizeof(halo_channel_allocator), 1, HALO_MEMORY_HOST, 0, 0, NULL, NULL, NULL }

typedef struct halo_channel_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t send_rank;
    int32_t receive_rank;
    halo_type type;
    int64_t count;         /**< elements, at most 2^40 bytes; the receiver's may be larger than the sender's. See halo_channel_set_bytes */
    int64_t element_bytes; /**< HALO_BYTES only */
    int32_t sparse;        /**< 1: the receiver probes and takes a buffer only when data come */
    int32_t buffer_kind;   /**< HALO_BUFFER_... */
    void *buffer; /**< HALO_BUFFER_CALLER: count elements, stays the caller's; must stay until the channel is destroyed or has another (and longer
                       after halo_channel_abandon). NULL: none yet, see halo_channel_set_buffer */
    const halo_channel_allocator *allocator; /**< HALO_BUFFER_ALLOCATOR. Must outlive the channel, unchanged */
    int32_t memory;                          /**< of the buffer: HALO_MEMORY_HOST, or HALO_MEMORY_DEVICE. The ends may differ. Calls that take a
                                                  stream then want one */
    int32_t device;                          /**< HALO_MEMORY_DEVICE: its ordinal */
    int32_t varies;                          /**< 1: halo_channel_send_bytes may send fewer than it has; not in aggregated groups. On both ends */
    int32_t reserved;
} halo_channel_desc;
#define HALO_CHANNEL_DESC_INIT                                                                                                                       \
    { sizeof(halo_channel_desc), 1, 0, 0, HALO_FLOAT64, 0, 0, 0, HALO_BUFFER_POOL, NULL, NULL, HALO_MEMORY_HOST, 0, 0, 0 }

/** Register one end of a channel (both, when send_rank = receive_rank = this rank). Key and description are copied. Local; O(1); usable after a group
 * has committed it. HALO_ERR_EXISTS: the key is registered. Unregister with halo_channel_destroy, then register again. HALO_ERR_DEVICE: there is no
 * such device. */
HALO_API halo_status halo_channel_register(halo_context *context, const halo_channel_key *key, const halo_channel_desc *desc, halo_channel **channel);

/** Register many. `keys` and `descs` are arrays of `n`, which are copied; `desc_bytes`, at most 4096, is the size of one descriptor. All or none:
 * then `channels` are none. */
HALO_API halo_status halo_channel_register_many(halo_context *context, const halo_channel_key *keys, const halo_channel_desc *descs,
                                                size_t desc_bytes, int64_t n, halo_channel **channels);

HALO_API halo_status halo_channel_find(const halo_context *context, const halo_channel_key *key, halo_channel **channel);

/** HALO_BUSY, with a text, while something is under way. A channel leaves its group with its destruction: the group then only serves the rest. */
HALO_API halo_status halo_channel_destroy(halo_channel **channel);

/** Give up what is under way, when the other end never answers: a posted receive is cancelled, late messages are dropped. Afterwards the
 *  channel can only be destroyed. A buffer of the caller's that is being sent or received into must stay until the context is destroyed,
 *  over MPI until MPI_Finalize; one of halo_memory_allocate does. A send whose stream has not come to it does not leave. Local. */
HALO_API halo_status halo_channel_abandon(halo_channel *channel);

/** May the sender write? Progresses the sender's own message; a completed one makes the channel stale again. */
HALO_API halo_status halo_channel_writable(halo_channel *channel, int32_t *writable);

/** Take or give back the buffer. In every state nothing is done where it is there, or gone, already. Else HALO_BUSY unless the channel is stale and
 * nothing is under way: call again; the own send is polled, and texts of errors stay meanwhile. HALO_ERR_STATE: aggregated, or abandoned. */
HALO_API halo_status halo_channel_allocate(halo_channel *channel);
HALO_API halo_status halo_channel_release(halo_channel *channel);

/**
 * HALO_BUFFER_CALLER: another buffer, of as many elements as the channel has; the former one is the caller's again. NULL: none. Then a send sends
 * null, and start_receive, try_receive and allocate are HALO_ERR_STATE. Legal in and outside of a group; costs nothing. HALO_BUSY, and nothing
 * changed, unless the channel is stale and nothing is under way, on a device neither; polled, and with a text, as allocate is. A receive that is
 * posted counts as under way: give the buffer before start_receive. HALO_ERR_STATE: another buffer_kind, aggregated, or abandoned.
 */
HALO_API halo_status halo_channel_set_buffer(halo_channel *channel, void *buffer);

/**
 * Other bytes than those of its description, more or fewer: a multiple of the type's. The channel leaves its group, as with its destruction, and can
 * be used again once a group has committed it: call this on both ends of all channels that change, then halo_group_create with a list of them. That
 * is one collective call, O(channels in the list), and compares both ends; all other channels and their groups go on meanwhile. A buffer that is too
 * small goes back, and so does one of the caller's: halo_channel_set_buffer gives the next. Local. HALO_BUSY as for halo_channel_destroy.
 * HALO_ERR_STATE: abandoned.
 */
HALO_API halo_status halo_channel_set_bytes(halo_channel *channel, int64_t bytes);

/** The buffer. Filled up to the caller's struct_size. */
typedef struct halo_buffer {
    size_t struct_size;
    int32_t struct_version;
    int32_t state;       /**< HALO_STALE ... */
    void *data;          /**< NULL: none held; valid while `generation` is the same */
    int64_t bytes;       /**< of the channel's count; after a receive: of what came */
    uint64_t generation; /**< changes whenever the channel gets another buffer */
} halo_buffer;
#define HALO_BUFFER_INIT                                                                                                                             \
    { sizeof(halo_buffer), 1, 0, NULL, 0, 0 }

HALO_API halo_status halo_channel_buffer(const halo_channel *channel, halo_buffer *buffer);

/** HALO_STALE ...; of an aggregated channel, in the present run. As halo_buffer has it, and faster. Polls nothing. */
HALO_API halo_status halo_channel_state(const halo_channel *channel, int32_t *state);

/** Send the buffer; without one, or by send_null, only "null" travels. Never blocks: HALO_BUSY while the last send is under way.
 *  HALO_ERR_STATE: the channel is not stale. In a device's memory the buffer is read when `stream` comes there, and the message leaves in whatever
 *  call of this rank comes after that. HALO_ERR_ARGUMENT: that memory and HALO_STREAM_NONE. */
HALO_API halo_status halo_channel_send(halo_channel *channel, halo_stream stream);
/** The first `bytes` of it; the receiver's halo_buffer has their number. HALO_ERR_STATE: a channel without `varies`. Where an end is in the
 *  caller's own host memory there must be at least one, for none would be null. */
HALO_API halo_status halo_channel_send_bytes(halo_channel *channel, int64_t bytes, halo_stream stream);
HALO_API halo_status halo_channel_send_null(halo_channel *channel, halo_stream stream);

/** Receiver: dense channels post their receive, sparse ones probe. Twice does nothing; nothing to do on the same rank. */
HALO_API halo_status halo_channel_start_receive(halo_channel *channel);

/** Receiver: has it come? `done` 1: the state is received or received_null. `state` may be NULL. In a device's memory what has come can be read on
 *  any stream then. Polls in vain, as of halo_channel_writable and sends, are logged once they last for the setting "warn_after". */
HALO_API halo_status halo_channel_try_receive(halo_channel *channel, int32_t *done, int32_t *state);

/** Receiver: what was received is no longer needed; in a device's memory once `stream` has come there: until then the buffer stays as it is, and
 *  halo_channel_destroy and halo_channel_release return HALO_BUSY. Afterwards that of a sparse receiver there goes back by itself. */
HALO_API halo_status halo_channel_stale(halo_channel *channel, halo_stream stream);

HALO_API halo_status halo_channel_get_key(const halo_channel *channel, halo_channel_key *key);

/** The description as the channel stands, in a group or not, abandoned or not: once it is destroyed, halo_channel_register makes an equal one of this
 * and its key. `count` is that of the last halo_channel_set_bytes, `element_bytes` that of the type: of HALO_BYTES as given, but 1 where the bytes
 * set are no multiple of it. Pointers are the caller's own: `buffer` the one given last, also after halo_channel_release, NULL from
 * halo_channel_set_bytes until the next is given; `allocator` as given. Each is NULL for another buffer_kind. Filled up to the caller's struct_size.
 * Local; O(1). */
HALO_API halo_status halo_channel_get_desc(const halo_channel *channel, halo_channel_desc *desc);

/*
 * Many channels in one call. `channels` has `n`, all of one context, else HALO_ERR_ARGUMENT or HALO_ERR_HANDLE before anything is done. Each does
 * what the call on one channel does, in the order of the list. Where one fails the others are done all the same; status and text are those of the
 * first that failed, and name its place in the list.
 */
HALO_API halo_status halo_channel_start_receive_many(halo_channel *const *channels, int64_t n);

/** `n_done`: how many are received or received_null; all of them when it is `n`. `states` has `n`, HALO_STALE ..., or is NULL. Both are filled where
 * a channel fails, too. */
HALO_API halo_status halo_channel_try_receive_many(halo_channel *const *channels, int64_t n, int64_t *n_done, int32_t *states);

/** `n_writable`: how many the sender may write; all of them when it is `n`. `writable` has `n`, 1 or 0 each, or is NULL. Both are filled where a
 * channel fails, too. */
HALO_API halo_status halo_channel_writable_many(halo_channel *const *channels, int64_t n, int64_t *n_writable, int32_t *writable);

HALO_API halo_status halo_channel_stale_many(halo_channel *const *channels, int64_t n, halo_stream stream);

/** HALO_BUSY while the last send of any of them is under way, HALO_ERR_STATE where one may not send: nothing is sent then. Those that fail later stay
 * in the state in which they were. Each stands in the list once. */
HALO_API halo_status halo_channel_send_many(halo_channel *const *channels, int64_t n, halo_stream stream);

/** @} */

/* ------------------------------------------------------------------ 2 groups of channels */
/** @defgroup channel_chapter_2 2 groups of channels
 *  @{ */

typedef struct halo_group_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t messages;       /**< HALO_MESSAGES_AGGREGATE (also AUTO): use halo_group_...; PER_CHANNEL: use halo_channel_... */
    double timeout_seconds; /**< of the commit */
    int32_t memory; /**< AGGREGATE: where the slices are, HALO_MEMORY_HOST, or HALO_MEMORY_DEVICE; that of its channels does not count. Ranks may
                       differ */
    int32_t device; /**< HALO_MEMORY_DEVICE: its ordinal */
    int32_t flags_memory; /**< slices in HALO_MEMORY_DEVICE: where the `null_flags` of halo_group_send and halo_group_send_rows are, HALO_MEMORY_HOST
                             (read during the call), HALO_MEMORY_PINNED or HALO_MEMORY_DEVICE (read when the stream comes there) */
    int32_t reserved;
} halo_group_desc;
#define HALO_GROUP_DESC_INIT                                                                                                                         \
    { sizeof(halo_group_desc), 1, HALO_MESSAGES_AUTO, HALO_TIMEOUT_CONFIGURED, HALO_MEMORY_HOST, 0, HALO_MEMORY_HOST, 0 }

/**
 * Commit channels: number their tags, check both ends. Collective over the context (ranks may bring none; the list is copied); blocks.
 * HALO_ERR_MISMATCH: an end is missing, or ranks, types or sizes disagree; the text names the first keys that do. Nothing is changed then.
 * PER_CHANNEL: each channel sends its own message. AGGREGATE: the buffers are slices of one message per peer, and the channel calls other than find,
 * get_key, get_desc, buffer, state, set_bytes and destroy return HALO_ERR_STATE; all slices of a message, and all of same-rank channels, begin within
 * 2^35 bytes.
 */
HALO_API halo_status halo_group_create(halo_context *context, halo_channel *const *channels, int64_t n, const halo_group_desc *desc,
                                       halo_group **group);

/** The description as it was given, HALO_MESSAGES_AUTO and HALO_TIMEOUT_CONFIGURED too: HALO_GROUP_DESC_INIT if it was NULL. Once the group is
 * destroyed, halo_group_create makes an equal one of this and its channels. Filled up to the caller's struct_size. Local; O(1). */
HALO_API halo_status halo_group_get_desc(const halo_group *group, halo_group_desc *desc);

/** The channels live on, uncommitted. HALO_BUSY while something is under way. Collective; does not communicate. */
HALO_API halo_status halo_group_destroy(halo_group **group);

/**
 * Wait until nothing is under way in the group: what this rank has sent has been taken, the receives that it has posted have come. What has come and
 * is not stale yet is dropped: all channels are stale afterwards (no kernel may read it any more), and halo_group_destroy does not return HALO_BUSY.
 * For groups of both kinds; local; `timeout_seconds` as in halo_exchange_desc. HALO_TIMEOUT: the text names what is missing; call again, or abandon.
 * HALO_ERR_STATE: an aggregated run is begun, of which this rank has still to send a part: nothing is waited for.
 */
HALO_API halo_status halo_group_drain(halo_group *group, double timeout_seconds);

/** As halo_channel_abandon, for everything in the group. Afterwards group and channels can only be destroyed. Local. */
HALO_API halo_status halo_group_abandon(halo_group *group);

/** One channel of an aggregated group. Filled up to `row_bytes`, at most 4096. */
typedef struct halo_group_row {
    halo_channel *channel; /**< the caller's handle */
    void *data;            /**< slice to pack into or to unpack from; valid for the present run: it alternates between two */
    int64_t bytes;
    int32_t peer;   /**< rank at the other end; this rank for same-rank channels */
    int32_t sender; /**< 1: this rank sends it (same rank: it also receives it, from the same memory) */
    int32_t state;  /**< HALO_STALE ... */
    int32_t reserved;
} halo_group_row;

/** Rows in the order of the channels given at creation. `rows` lives until the next call of this function on the group. O(channels). */
HALO_API halo_status halo_group_table(halo_group *group, size_t row_bytes, const halo_group_row **rows, int64_t *n);

/** May the slices of this run be written? HALO_BUSY is answered as 0. */
HALO_API halo_status halo_group_writable(halo_group *group, int32_t *writable);

/** Post the receives of this run. Optional: halo_group_send and halo_group_try_receive do it. */
HALO_API halo_status halo_group_start_receive(halo_group *group);

/** Send all channels that this rank sends: one message per peer. `null_flags` (per row, may be NULL) marks channels that are null;
 *  entries of rows that this rank does not send are ignored. Never blocks: HALO_BUSY while a peer is two runs behind. Read during the call. With
 *  slices on a device they, and flags as halo_group_desc says, are read when `stream` comes there; messages leave in whatever call of this rank comes
 *  after that. HALO_ERR_ARGUMENT: such slices and HALO_STREAM_NONE. */
HALO_API halo_status halo_group_send(halo_group *group, const uint8_t *null_flags, halo_stream stream);

/**
 * The same in parts, as the slices become ready: each peer's message leaves once all of its rows have been named. `rows` has `n` numbers of rows of
 * the table; `null_flags` as many, of these rows, or is NULL. The run is sent when all rows that this rank sends have been named; halo_group_send
 * sends those that are left, if any, with its flags by row of the table. The table shows the states of a row once its message leaves. HALO_BUSY as of
 * halo_group_send. HALO_ERR_ARGUMENT: a row twice in a run, one that this rank does not send, or whose channel is destroyed; the text has the row.
 * Whatever it fails with, no row counts as named. Slices on a device: these rows are read when `stream` comes there; each call may have another
 * stream. O(n + peers).
 */
HALO_API halo_status halo_group_send_rows(halo_group *group, const int64_t *rows, int64_t n, const uint8_t *null_flags, halo_stream stream);

/** `done` 1 when every message of this run is here, and what this rank has sent of it needs no call to leave (docs/threads.md); the table then shows
 * the states. */
HALO_API halo_status halo_group_try_receive(halo_group *group, int32_t *done);

/** What this run received is no longer needed; the next run may begin. With slices on a device: once `stream` has come there; until then
 *  halo_group_writable answers 0 and halo_group_destroy returns HALO_BUSY. */
HALO_API halo_status halo_group_stale(halo_group *group, halo_stream stream);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_CHANNEL_H */
