// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter, if RDMA4J_MLX5_ADAPTER or RDMA4J_MLX5_FABRIC is set: a thread that sees what is stored into registers,
// reads the requests of queue pairs (RC, UC, UD), has them done by the peer's end, and writes completions.
#define _GNU_SOURCE
#include <endian.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adapter.h"

enum {
    BLOCK = 64, SIZE_MASK = 0x3f, COUNTER_MASK = 0xffff, CQ_UPDATE = 8, SOLICITED = 2, REQUEST = 0, REQUEST_ERROR = 13,
    RESPONSE_ERROR = 14, DATAGRAM_SEGMENTS = 3, QUEUE_PAIR_NUMBER = 0xffffff, ADDRESS_IS_GLOBAL = 1 << 30,
    TIMEOUT_UNIT = 4096, // nanoseconds
    OWNER_BYTE = 63, OWNER_MASK = 1,
};
static const uint32_t INLINE = 0x80000000;

uint32_t word(const uint8_t *place) {
    uint32_t value;
    memcpy(&value, place, sizeof value);
    return be32toh(value);
}

uint64_t long_word(const uint8_t *place) {
    uint64_t value;
    memcpy(&value, place, sizeof value);
    return be64toh(value);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// The bit that says whose the entry is comes last.
static void complete(struct object *queue, const uint8_t *entry) {
    uint8_t *place = queue->buffer + (queue->produced & (queue->entries - 1)) * (uint64_t)queue->entry_bytes;
    uint8_t round = queue->produced & queue->entries ? OWNER_MASK : 0;
    size_t owner = queue->entry_bytes - COMPLETION_BYTES + OWNER_BYTE;
    memcpy(place, entry, owner);
    __atomic_store_n(place + owner, (uint8_t)((entry[owner] & ~OWNER_MASK) | round), __ATOMIC_RELEASE);
    queue->produced++;
}

void put(struct object *queue, const struct object *pair, const struct completion *completion) {
    uint8_t entry[2 * COMPLETION_BYTES] = {0};
    uint8_t *fields = entry + queue->entry_bytes - COMPLETION_BYTES;
    uint16_t lid = htobe16(completion->lid);
    memcpy(fields + 22, &lid, sizeof lid);
    uint32_t source = htobe32(completion->source);
    memcpy(fields + 24, &source, sizeof source);
    uint32_t words[] = {htobe32(pair->user_index), completion->immediate, 0, htobe32(completion->length)};
    memcpy(fields + 32, words, sizeof words);
    if (completion->syndrome != 0) {
        fields[55] = (uint8_t)completion->syndrome;
    }
    uint32_t number = htobe32((uint32_t)completion->code << 24 | pair->number);
    uint16_t counter = htobe16((uint16_t)completion->counter);
    memcpy(fields + 56, &number, sizeof number);
    memcpy(fields + 60, &counter, sizeof counter);
    fields[63] = (uint8_t)(completion->kind << 4);
    complete(queue, entry);
    // Armed are those whose word is another than at the last event, and those that were armed for the first time.
    uint32_t arming = be32toh(queue->doorbell[1]);
    bool solicited_only = arming & 1 << 24, armed = arming != queue->fired || queue->is_armed;
    if (queue->channel >= 0 && armed && (!solicited_only || completion->solicited || completion->syndrome != 0)) {
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

static unsigned size_of(const uint8_t *head) {
    return (word(head + 4) & SIZE_MASK) * SEGMENT;
}

// Reads a request's segments from an offset on; the ring goes on at its start.
static void read_message(const struct object *pair, uint32_t counter, unsigned offset, struct message *message) {
    *message = (struct message){0};
    uint8_t bytes[SIZE_MASK * SEGMENT];
    unsigned size = size_of(block_of(pair, counter));
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

uint32_t posted_receives(const struct object *pair) {
    return be32toh(pair->doorbell[0]) & COUNTER_MASK;
}

static uint32_t posted_sends(const struct object *pair) {
    return be32toh(pair->doorbell[1]) & COUNTER_MASK;
}

static uint32_t behind(const struct object *pair, uint32_t counter) {
    return (counter + (size_of(block_of(pair, counter)) + BLOCK - 1) / BLOCK) & COUNTER_MASK;
}

void flush(struct object *pair) {
    struct completion completion = {.kind = REQUEST_ERROR, .syndrome = FLUSHED};
    while (pair->send_consumer != posted_sends(pair)) {
        completion.counter = pair->send_consumer;
        put(&objects[pair->send_queue], pair, &completion);
        pair->send_consumer = behind(pair, pair->send_consumer);
    }
    completion.kind = RESPONSE_ERROR;
    while (pair->receives > 0 && pair->receive_consumer != posted_receives(pair)) {
        completion.counter = pair->receive_consumer;
        put(&objects[pair->receive_queue], pair, &completion);
        pair->receive_consumer = (pair->receive_consumer + 1) & COUNTER_MASK;
    }
}

static bool is_atomic(const struct request *request) {
    return request->code == COMPARE_AND_SWAP || request->code == FETCH_AND_ADD;
}

// Where a datagram goes: the address handle in its request.
static void read_address(const uint8_t *segment, struct request *request) {
    uint16_t lid;
    memcpy(&lid, segment + 14, sizeof lid);
    request->to = be16toh(lid);
    request->datagram_key = word(segment);
    request->to_pair = word(segment + 8) & QUEUE_PAIR_NUMBER;
    request->service_level = segment[12] & 0xf;
    request->is_global = word(segment + 28) & ADDRESS_IS_GLOBAL;
    memcpy(request->target, segment + 32, sizeof request->target);
}

// Reads the request at a queue pair's turn, and its data; returns 0 or a syndrome.
static int read_request(const struct object *pair, struct request *request, struct message *message, uint8_t *data) {
    uint32_t counter = pair->send_consumer;
    const uint8_t *head = block_of(pair, counter);
    *request = (struct request){
        .from = port_lid(),
        .to = pair->path.dlid,
        .from_pair = pair->number,
        .to_pair = pair->peer,
        .handle = (uint32_t)(pair - objects),
        .code = head[3],
        .type = pair->type,
        .service_level = pair->path.sl,
        .solicited = head[11] & SOLICITED,
        .partition = pair->partition,
    };
    memcpy(&request->immediate, head + 12, sizeof request->immediate);
    bool one_sided = request->code == WRITE || request->code == WRITE_IMMEDIATE || request->code == READ;
    *message = (struct message){0};
    if (request->code == CHANGE) {
        return 0; // its segments are none of a message
    }
    unsigned segments = pair->type == DATAGRAM ? 1 + DATAGRAM_SEGMENTS : one_sided ? 2 : is_atomic(request) ? 3 : 1;
    read_message(pair, counter, segments * SEGMENT, message);
    request->length = message->length;
    const uint8_t *first = head + SEGMENT; // the blocks of a ring are whole
    if (pair->type == DATAGRAM) {
        read_address(first, request);
    } else {
        request->address = long_word(first);
        request->key = word(first + 8);
    }
    if (is_atomic(request)) {
        request->swap_or_add = long_word(first + SEGMENT);
        request->compare = long_word(first + SEGMENT + 8);
    }
    bool is_local = is_here(request->to);
    if (message->length > (uint64_t)(is_local ? MAX_MESSAGE : MAX_PARCEL)) {
        return LENGTH_ERROR;
    }
    bool brings = request->code != READ && !is_atomic(request);
    return !brings || move(pair->context, message, data, message->length, false) ? 0 : PROTECTION_ERROR;
}

// Ends the request at a queue pair's turn, if its outcome is known; false if it must be tried again.
static bool conclude(struct object *pair, const struct request *request, struct message *message, uint8_t *data,
                     int outcome) {
    if (pair->type != RELIABLE && outcome < 0) {
        outcome = 0; // lost
    }
    if (outcome == GONE) {
        uint64_t patience = (uint64_t)TIMEOUT_UNIT * (pair->retries + 1u) << pair->timeout;
        pair->deadline = pair->deadline ? pair->deadline : now() + patience;
        outcome = pair->timeout != 0 && now() > pair->deadline ? RETRIES_EXCEEDED : WAIT;
    } else {
        pair->deadline = 0;
    }
    if (outcome == WAIT) {
        return false;
    }
    if (outcome == 0 && (request->code == READ || is_atomic(request)) &&
        !move(pair->context, message, data, message->length, true)) {
        outcome = PROTECTION_ERROR;
    }
    uint32_t counter = pair->send_consumer;
    bool is_told = block_of(pair, counter)[11] & CQ_UPDATE || setting(SETTING("COMPLETES_ALL"), 0);
    pair->send_consumer = behind(pair, counter);
    if (outcome != 0 || is_told) {
        struct completion completion = {
            .kind = outcome ? REQUEST_ERROR : REQUEST,
            .code = request->code,
            .syndrome = outcome,
            .counter = counter,
            .length = (uint32_t)message->length,
        };
        put(&objects[pair->send_queue], pair, &completion);
    }
    if (outcome != 0) {
        pair->state = ERROR_STATE;
        flush(pair);
    }
    return true;
}

static uint8_t data[MAX_MESSAGE];

static void work(struct object *pair) {
    if (pair->state == ERROR_STATE) {
        pair->asks = false;
        flush(pair);
    }
    while (pair->state == RTS && !pair->asks && pair->send_consumer != posted_sends(pair)) {
        struct request request;
        struct message message;
        int outcome = read_request(pair, &request, &message, data);
        if (outcome == 0 && request.code != CHANGE) {
            request.ticket = ++pair->ticket;
            outcome = is_here(request.to) ? serve(in_fabric() ? -1 : (int)pair->context, &request, data) : ask(&request, data);
        }
        if (outcome == ASKED) {
            pair->asks = true;
            return;
        }
        if (!conclude(pair, &request, &message, data, outcome)) {
            return;
        }
    }
}

// What other processes ask, and what they answer.
static void take_parcels(void) {
    struct request parcel;
    while (take_parcel(&parcel, data)) {
        if (!parcel.is_answer) {
            parcel.outcome = serve(-1, &parcel, data);
            answer(&parcel, data);
            continue;
        }
        struct object *pair = &objects[parcel.handle];
        if (pair->kind == PAIR && pair->asks && pair->ticket == parcel.ticket && pair->state == RTS) {
            static uint8_t unused[MAX_MESSAGE];
            struct request request;
            struct message message;
            pair->asks = false;
            read_request(pair, &request, &message, unused);
            conclude(pair, &request, &message, data, parcel.outcome);
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

static bool is_served(const struct object *pair) {
    return pair->kind == PAIR && pair->type >= RELIABLE && pair->type <= DATAGRAM && pair->send_blocks > 0;
}

// A context with more queue pairs than registers gives one to several of them, and a store that comes later hides the
// one before it: it may mean any queue pair of the register. A queue pair that has rung once may wait for the peer.
static void look_at_register(const struct object *of) {
    if (!rung(of)) {
        return;
    }
    for (int i = 1; i < MAX_OBJECTS; i++) {
        struct object *pair = &objects[i];
        pair->has_rung |= is_served(pair) && pair->context == of->context && pair->bf_index == of->bf_index;
    }
}

// The word is 0 when a queue is armed for the first time; the register shows it.
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
        take_parcels();
        for (int i = 1; i < MAX_OBJECTS; i++) {
            struct object *pair = &objects[i];
            if (pair->kind == QUEUE && pair->channel >= 0) {
                look_at_arming(pair);
            }
            if (is_served(pair)) {
                look_at_register(pair);
                if (pair->has_rung || pair->state == ERROR_STATE) {
                    work(pair);
                }
            }
        }
        unlock_objects();
        wait_for_parcel();
    }
    return NULL;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    if (getenv(SETTING("ADAPTER")) || getenv(SETTING("FABRIC"))) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_detach(thread);
    }
}
