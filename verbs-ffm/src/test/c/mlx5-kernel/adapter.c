// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter, if RDMA4J_MLX5_ADAPTER is set: a thread that sees what is stored into registers, reads the requests of
// connected queue pairs (RC), moves the data and writes completions. Both ends are queue pairs of one context.
#define _GNU_SOURCE
#include <endian.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "standin.h"

enum {
    RTR = 2, RTS = 3, ERROR_STATE = 6, CONNECTED = 2, // the type RC
    BLOCK = 64, SEGMENT = 16, INLINE = 0x80000000, SIZE_MASK = 0x3f, COUNTER_MASK = 0xffff,
    CQ_UPDATE = 8, SOLICITED = 2,
    SEND_INVALIDATE = 0x01, WRITE = 0x08, WRITE_IMMEDIATE = 0x09, SEND = 0x0a, SEND_IMMEDIATE = 0x0b, READ = 0x10,
    COMPARE_AND_SWAP = 0x11, FETCH_AND_ADD = 0x12, CHANGE = 0x25,
    REQUEST = 0, RESPONSE_WRITE_IMMEDIATE = 1, RESPONSE_SEND = 2, RESPONSE_SEND_IMMEDIATE = 3,
    RESPONSE_SEND_INVALIDATE = 4, REQUEST_ERROR = 13, RESPONSE_ERROR = 14,
    LENGTH_ERROR = 0x01, PROTECTION_ERROR = 0x04, FLUSHED = 0x05, INVALID_REQUEST = 0x12, ACCESS_ERROR = 0x13,
    ACCESS_LOCAL_WRITE = 1, ACCESS_REMOTE_WRITE = 2, ACCESS_REMOTE_READ = 4, ACCESS_REMOTE_ATOMIC = 8,
    MAX_MESSAGE = 1 << 20, WAIT = -1, PAUSE_MICROSECONDS = 20,
};

// A piece of a queue pair's own memory, as a request names it.
struct piece {
    uint64_t address;
    uint32_t length, key;
};

struct message {
    struct piece pieces[64];
    int count;
    uint64_t length;
    bool is_inline;
    uint8_t data[1024];
};

static uint32_t word(const uint8_t *place) {
    uint32_t value;
    memcpy(&value, place, sizeof value);
    return be32toh(value);
}

static uint64_t long_word(const uint8_t *place) {
    uint64_t value;
    memcpy(&value, place, sizeof value);
    return be64toh(value);
}

// Where an address is for who has the key, or NULL.
static uint8_t *reach(int context, uint32_t key, uint64_t address, uint64_t length, uint32_t access) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        const struct object *region = &objects[i];
        if (region->kind == REGION && region->context == context && region->number == key &&
            (region->access & access) == access && address >= region->address &&
            address + length <= region->address + region->length) {
            return region->buffer + (address - region->address);
        }
    }
    return NULL;
}

static void put(struct object *queue, const struct object *pair, int kind, uint32_t code, uint32_t counter,
                uint32_t length, uint32_t immediate, int syndrome, bool wakes_solicited) {
    uint8_t entry[2 * COMPLETION_BYTES] = {0};
    uint8_t *fields = entry + queue->entry_bytes - COMPLETION_BYTES;
    uint32_t words[] = {htobe32(pair->user_index), immediate, 0, htobe32(length)};
    memcpy(fields + 32, words, sizeof words);
    uint32_t peer = htobe32(pair->peer);
    memcpy(fields + 24, &peer, sizeof peer);
    if (syndrome != 0) {
        fields[55] = (uint8_t)syndrome;
    }
    uint32_t number = htobe32(code << 24 | pair->number);
    uint16_t short_counter = htobe16((uint16_t)counter);
    memcpy(fields + 56, &number, sizeof number);
    memcpy(fields + 60, &short_counter, sizeof short_counter);
    fields[63] = (uint8_t)(kind << 4);
    complete(queue, entry);
    // Armed are those whose word is another than at the last event, and those that were armed for the first time.
    uint32_t arming = be32toh(queue->doorbell[1]);
    bool solicited_only = arming & 1 << 24, armed = arming != queue->fired || queue->is_armed;
    if (queue->channel >= 0 && armed && (!solicited_only || wakes_solicited || syndrome != 0)) {
        struct ib_uverbs_comp_event_desc event = {.cq_handle = queue->user};
        queue->fired = arming;
        queue->is_armed = false;
        queue->events += write(queue->channel, &event, sizeof event) == sizeof event;
    }
}

static const uint8_t *block_of(const struct object *pair, uint32_t counter) {
    uint64_t receive_bytes = (uint64_t)pair->receives << pair->receive_shift;
    return pair->buffer + receive_bytes + (uint64_t)(counter & (pair->send_blocks - 1)) * BLOCK;
}

// Reads a request's segments from an offset on; the ring goes on at its start.
static void read_message(const struct object *pair, uint32_t counter, unsigned offset, unsigned size,
                         struct message *message) {
    *message = (struct message){0};
    uint8_t bytes[SIZE_MASK * SEGMENT];
    for (unsigned done = 0; done < size; done += SEGMENT) {
        memcpy(bytes + done, block_of(pair, counter + done / BLOCK) + done % BLOCK, SEGMENT);
    }
    if (offset < size && word(bytes + offset) & INLINE) {
        message->is_inline = true;
        message->length = word(bytes + offset) & ~INLINE;
        memcpy(message->data, bytes + offset + 4, message->length);
        return;
    }
    for (; offset + SEGMENT <= size; offset += SEGMENT) {
        struct piece piece = {long_word(bytes + offset + 8), word(bytes + offset), word(bytes + offset + 4)};
        message->pieces[message->count++] = piece;
        message->length += piece.length;
    }
}

// Between the pieces and plain bytes; false if a piece cannot be reached.
static bool move(int context, struct message *message, uint8_t *bytes, uint64_t length, bool into_pieces) {
    if (message->is_inline) {
        memcpy(bytes, message->data, length);
        return true;
    }
    for (int i = 0; i < message->count && length > 0; i++) {
        struct piece *piece = &message->pieces[i];
        uint64_t part = piece->length < length ? piece->length : length;
        uint8_t *memory = reach(context, piece->key, piece->address, part, into_pieces ? ACCESS_LOCAL_WRITE : 0);
        if (!memory) {
            return false;
        }
        if (into_pieces) {
            memcpy(memory, bytes, part);
        } else {
            memcpy(bytes, memory, part);
        }
        bytes += part;
        length -= part;
    }
    return length == 0;
}

static uint32_t posted_receives(const struct object *pair) {
    return be32toh(pair->doorbell[0]) & COUNTER_MASK;
}

static uint32_t posted_sends(const struct object *pair) {
    return be32toh(pair->doorbell[1]) & COUNTER_MASK;
}

// Everything that is posted completes as flushed.
static void flush(struct object *pair) {
    struct object *sends = &objects[pair->send_queue], *receives = &objects[pair->receive_queue];
    while (pair->send_consumer != posted_sends(pair)) {
        const uint8_t *head = block_of(pair, pair->send_consumer);
        put(sends, pair, REQUEST_ERROR, 0, pair->send_consumer, 0, 0, FLUSHED, false);
        pair->send_consumer = (pair->send_consumer + ((word(head + 4) & SIZE_MASK) + 3) / 4) & COUNTER_MASK;
    }
    while (pair->receives > 0 && pair->receive_consumer != posted_receives(pair)) {
        put(receives, pair, RESPONSE_ERROR, 0, pair->receive_consumer, 0, 0, FLUSHED, false);
        pair->receive_consumer = (pair->receive_consumer + 1) & COUNTER_MASK;
    }
}

// Fills a receive of the peer; returns 0, WAIT if there is none, or the sender's syndrome.
static int receive(struct object *peer, uint8_t *bytes, uint64_t length, int kind, uint32_t immediate, bool solicited,
                   bool with_data) {
    if (peer->receive_consumer == posted_receives(peer)) {
        return WAIT;
    }
    struct object *queue = &objects[peer->receive_queue];
    struct message room = {0};
    uint32_t counter = peer->receive_consumer;
    const uint8_t *element =
        peer->buffer + ((uint64_t)(counter & (peer->receives - 1)) << peer->receive_shift);
    for (unsigned offset = 0; with_data && offset < 1u << peer->receive_shift; offset += SEGMENT) {
        struct piece piece = {long_word(element + offset + 8), word(element + offset), word(element + offset + 4)};
        if (piece.length == 0) {
            break;
        }
        room.pieces[room.count++] = piece;
        room.length += piece.length;
    }
    int syndrome = !with_data || length == 0 ? 0
                   : length > room.length    ? LENGTH_ERROR
                   : move(peer->context, &room, bytes, length, true) ? 0 : PROTECTION_ERROR;
    peer->receive_consumer = (counter + 1) & COUNTER_MASK;
    put(queue, peer, syndrome ? RESPONSE_ERROR : kind, 0, counter, (uint32_t)length, immediate, syndrome, solicited);
    if (syndrome) {
        peer->state = ERROR_STATE;
        flush(peer);
    }
    return syndrome ? INVALID_REQUEST : 0;
}

static int atomic(struct object *pair, struct object *peer, unsigned code, const uint8_t *segment,
                  struct message *message) {
    uint64_t address = long_word(segment);
    uint64_t *there = (uint64_t *)reach(peer->context, word(segment + 8), address, 8, ACCESS_REMOTE_ATOMIC);
    if (!there || address % 8 != 0) {
        return there ? INVALID_REQUEST : ACCESS_ERROR;
    }
    uint64_t swap_or_add = long_word(segment + SEGMENT), compare = long_word(segment + SEGMENT + 8), old = *there;
    if (code == FETCH_AND_ADD) {
        *there = old + swap_or_add;
    } else if (old == compare) {
        *there = swap_or_add;
    }
    return move(pair->context, message, (uint8_t *)&old, sizeof old, true) ? 0 : PROTECTION_ERROR;
}

// Does a request; returns 0, WAIT if the peer is not ready, or a syndrome.
static int serve(struct object *pair, struct object *peer, uint32_t counter, uint32_t *length) {
    static uint8_t bytes[MAX_MESSAGE];
    const uint8_t *head = block_of(pair, counter);
    unsigned code = head[3], size = (word(head + 4) & SIZE_MASK) * SEGMENT;
    bool solicited = head[11] & SOLICITED;
    uint32_t immediate;
    memcpy(&immediate, head + 12, sizeof immediate);
    struct message message;
    const uint8_t *remote = head + SEGMENT;
    bool one_sided = code == WRITE || code == WRITE_IMMEDIATE || code == READ;
    bool is_atomic = code == COMPARE_AND_SWAP || code == FETCH_AND_ADD;
    read_message(pair, counter, SEGMENT * (one_sided ? 2 : is_atomic ? 3 : 1), size, &message);
    *length = (uint32_t)message.length;
    if (code == CHANGE) {
        return 0;
    }
    if (!peer || peer->state < RTR || peer->state > RTS) {
        return WAIT;
    }
    if (is_atomic) {
        return atomic(pair, peer, code, remote, &message);
    }
    if (message.length > sizeof bytes) {
        return LENGTH_ERROR;
    }
    if (code == READ) {
        uint8_t *there =
            reach(peer->context, word(remote + 8), long_word(remote), message.length, ACCESS_REMOTE_READ);
        if (!there && message.length > 0) {
            return ACCESS_ERROR;
        }
        return move(pair->context, &message, there, message.length, true) ? 0 : PROTECTION_ERROR;
    }
    if (!move(pair->context, &message, bytes, message.length, false)) {
        return PROTECTION_ERROR;
    }
    if (code == WRITE || code == WRITE_IMMEDIATE) {
        if (code == WRITE_IMMEDIATE && peer->receive_consumer == posted_receives(peer)) {
            return WAIT;
        }
        uint8_t *there =
            reach(peer->context, word(remote + 8), long_word(remote), message.length, ACCESS_REMOTE_WRITE);
        if (!there && message.length > 0) {
            return ACCESS_ERROR;
        }
        if (message.length > 0) {
            memcpy(there, bytes, message.length);
        }
        if (code == WRITE) {
            return 0;
        }
        return receive(peer, bytes, message.length, RESPONSE_WRITE_IMMEDIATE, immediate, solicited, false);
    }
    int kind = code == SEND_IMMEDIATE    ? RESPONSE_SEND_IMMEDIATE
               : code == SEND_INVALIDATE ? RESPONSE_SEND_INVALIDATE
                                         : RESPONSE_SEND;
    return receive(peer, bytes, message.length, kind, immediate, solicited, true);
}

static void work(struct object *pair) {
    if (pair->state == ERROR_STATE) {
        flush(pair);
    }
    while (pair->state == RTS && pair->send_consumer != posted_sends(pair)) {
        uint32_t counter = pair->send_consumer, length;
        const uint8_t *head = block_of(pair, counter);
        struct object *peer = object_of_number(pair->context, PAIR, pair->peer);
        int syndrome = serve(pair, peer, counter, &length);
        if (syndrome == WAIT) {
            return;
        }
        uint8_t flags = head[11], code = head[3];
        pair->send_consumer = (counter + ((word(head + 4) & SIZE_MASK) + 3) / 4) & COUNTER_MASK;
        if (syndrome != 0 || flags & CQ_UPDATE) {
            int kind = syndrome ? REQUEST_ERROR : REQUEST;
            put(&objects[pair->send_queue], pair, kind, code, counter, length, 0, syndrome, false);
        }
        if (syndrome != 0) {
            pair->state = ERROR_STATE;
            flush(pair);
        }
    }
}

// Whether something was stored into a register since the last look.
static bool rung(const struct object *pair) {
    bool found = false;
    for (int half = 0; half < 2; half++) {
        uint64_t *place = (uint64_t *)(register_of(pair) + half * 256);
        found |= __atomic_exchange_n(place, 0, __ATOMIC_ACQ_REL) != 0;
    }
    return found;
}

// The word is 0 when a queue is armed for the first time; the register tells.
static void look_at_arming(struct object *queue) {
    uint64_t stored = __atomic_exchange_n((uint64_t *)arming_register_of(queue), 0, __ATOMIC_ACQ_REL);
    struct object *armed = stored == 0 ? NULL : object_of_number(queue->context, QUEUE, (uint32_t)be64toh(stored));
    if (armed && armed->doorbell[1] == 0 && armed->events == 0) {
        armed->is_armed = true;
    }
}

static void *run(void *nothing) {
    (void)nothing;
    while (true) {
        lock_objects();
        for (int i = 1; i < MAX_OBJECTS; i++) {
            struct object *pair = &objects[i];
            if (pair->kind == QUEUE && pair->channel >= 0) {
                look_at_arming(pair);
            }
            if (pair->kind == PAIR && pair->type == CONNECTED && pair->send_blocks > 0) {
                // Who has rung once may wait for the peer.
                pair->has_rung |= rung(pair);
                if (pair->has_rung || pair->state == ERROR_STATE) {
                    work(pair);
                }
            }
        }
        unlock_objects();
        usleep(PAUSE_MICROSECONDS);
    }
    return NULL;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    if (getenv("RDMA4J_MLX5_ADAPTER")) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_detach(thread);
    }
}
