// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter: a thread that fetches requests when a doorbell was rung, has them done by the peer's end in an order that
// SETTING("SEED") gives, and writes completions. A request waits until others are there that can overtake it, or a little.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adapter.h"

enum {
    OPERATION_MASK = 0xf, HAS_IMMEDIATE = 1 << 4, IS_INLINE = 1 << 5, // of a request's first byte of control flags
    OPERATION_SEND = 0, OPERATION_READ = 1, OPERATION_WRITE = 2,
    LAST_BUFFER = 1u << 31, KEY_MASK = 0xffffff,
    // Of a completion.
    SEND_QUEUE = 1 << 1, RECEIVE_QUEUE = 2 << 1, COMPLETION_HAS_IMMEDIATE = 1 << 3, OPERATION_SHIFT = 4, UNSOLICITED = 1 << 7,
    COMPLETION_BYTES = 16, SOURCE_BYTES = 32,
    COMMAND_SHIFT = 29, COMMAND_MASK = 3, // the number of an arming, in the doorbell
    OVERTAKING = 8, PATIENCE = 300000,    // requests, nanoseconds
    RETRY = 100000, ENDLESS = 7,
    GONE_AFTER = 50000000, // nanoseconds without an answer, after which a process may have ended
};

// A request as it is in the ring.
struct request_of_efa {
    uint16_t id;
    uint8_t control, control2;
    uint16_t pair, length;
    uint32_t immediate;
    uint16_t address, reserved;
    uint32_t datagram_key;
    uint8_t reserved2[12];
    union {
        struct place {
            uint32_t length, key;
            uint64_t address;
        } places[2];
        uint8_t bytes[96];
    };
};

struct buffer {
    uint64_t address;
    uint16_t id, length;
    uint32_t key_and_flags;
};

struct waiting {
    uint32_t count;
    uint64_t since; // when the youngest was fetched
    int asked;      // the index of one that is on its way to another process
    uint16_t asked_of; // that process
    uint64_t asked_at;
    struct one {
        struct request_of_efa request;
        unsigned tries;
        uint64_t next; // when it may be tried again
    } all[];
};

static uint8_t data[MAX_MESSAGE];

struct waiting *make_waiting(uint32_t requests) {
    return calloc(1, sizeof(struct waiting) + requests * sizeof(struct one));
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// The order of things: the same seed gives the same numbers (xorshift). Seed 0 keeps the order.
static uint32_t below(uint32_t limit) {
    static uint32_t state, seed;
    unsigned wanted = setting(SETTING("SEED"), 1);
    if (wanted != seed || state == 0) {
        seed = wanted;
        state = wanted * 2654435761u + 1;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return wanted == 0 ? 0 : state % limit;
}

static uint32_t doorbell(const struct object *object, unsigned place) {
    return __atomic_load_n((uint32_t *)(object->memory + place), __ATOMIC_ACQUIRE);
}

// The bit that says whose the entry is comes last. There is one event for each number of an arming: a doorbell that is
// rung for another reason hides that it was armed.
static void put(struct object *queue, int ring, uint8_t *entry) {
    uint32_t put = queue->put[ring]++;
    uint8_t *place = queue->buffer + ((uint64_t)ring * queue->entries + (put & (queue->entries - 1))) * queue->entry_bytes;
    uint8_t flags = (uint8_t)(entry[3] | (put & queue->entries ? 0 : 1));
    memcpy(place, entry, 3);
    memcpy(place + 4, entry + 4, queue->entry_bytes - 4);
    __atomic_store_n(place + 3, flags, __ATOMIC_RELEASE);
    uint32_t command = doorbell(queue, 0) >> COMMAND_SHIFT & COMMAND_MASK;
    if (queue->channel >= 0 && command != queue->fired) {
        struct ib_uverbs_comp_event_desc event = {.cq_handle = queue->user};
        queue->fired = command;
        queue->events += write(queue->channel, &event, sizeof event) == sizeof event;
    }
}

static void put_head(uint8_t *entry, uint16_t id, int status, int flags, const struct object *pair) {
    uint16_t number = (uint16_t)pair->number;
    memcpy(entry, &id, sizeof id);
    entry[2] = (uint8_t)status;
    entry[3] = (uint8_t)flags;
    memcpy(entry + 4, &number, sizeof number);
}

static void put_sent(const struct object *pair, const struct request_of_efa *request, int status) {
    uint8_t entry[SOURCE_BYTES] = {0};
    put_head(entry, request->id, status, SEND_QUEUE | (request->control & OPERATION_MASK) << OPERATION_SHIFT, pair);
    put(&objects[pair->send_queue], SENDS, entry);
}

static uint8_t code_of(const struct request_of_efa *request) {
    bool immediate = request->control & HAS_IMMEDIATE;
    switch (request->control & OPERATION_MASK) {
    case OPERATION_SEND: return immediate ? SEND_IMMEDIATE : SEND;
    case OPERATION_READ: return READ;
    case OPERATION_WRITE: return immediate ? WRITE_IMMEDIATE : WRITE;
    default: return 0;
    }
}

static const struct object *address_of(const struct object *pair, uint16_t number) {
    const struct object *address = number < MAX_OBJECTS ? &objects[number] : NULL;
    return address && address->kind == ADDRESS && address->context == pair->context ? address : NULL;
}

// The address handle that this side has for a port: its number.
static uint16_t address_for(const struct object *pair, uint16_t lid) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        const uint8_t *gid = objects[i].path.dgid;
        if (objects[i].kind == ADDRESS && objects[i].context == pair->context && objects[i].domain == pair->domain &&
            (gid[14] << 8 | gid[15]) == lid) {
            return (uint16_t)objects[i].number;
        }
    }
    return UNKNOWN_ADDRESS;
}

// Where the request's own data is; for a read, where it goes.
static void find_message(const struct request_of_efa *own, struct message *message) {
    *message = (struct message){0};
    bool is_send = (own->control & OPERATION_MASK) == OPERATION_SEND;
    if (own->control & IS_INLINE) {
        message->is_inline = true;
        message->length = own->length;
        memcpy(message->data, own->bytes + (is_send ? 0 : sizeof(struct place)), own->length);
        return;
    }
    const struct place *places = is_send ? own->places : own->places + 1;
    for (int i = 0; i < own->length && i < 2; i++) {
        message->pieces[message->count++] = (struct piece){places[i].address, places[i].length, places[i].key & KEY_MASK};
        message->length += places[i].length;
    }
}

// Reads a request and the data that it brings; returns 0 or a status.
static int read_request(const struct object *pair, const struct request_of_efa *own, struct request *request,
                        struct message *message) {
    const struct object *address = address_of(pair, own->address);
    if (!address) {
        return INVALID_ADDRESS;
    }
    const uint8_t *gid = address->path.dgid;
    find_message(own, message);
    *request = (struct request){
        .from = port_lid(),
        .to = (uint16_t)(gid[14] << 8 | gid[15]),
        .from_pair = pair->number,
        .to_pair = own->pair,
        .handle = (uint32_t)(pair - objects),
        .code = code_of(own),
        .type = pair->type,
        .immediate = own->immediate,
        .datagram_key = own->datagram_key,
        .length = message->length,
        .solicited = !pair->unsolicited,
    };
    if (request->code == 0) {
        return UNSUPPORTED;
    }
    bool is_send = request->code == SEND || request->code == SEND_IMMEDIATE;
    if (!is_send) {
        request->key = own->places[0].key;
        request->address = own->places[0].address;
    }
    if (message->length > (uint64_t)(is_send ? MTU_BYTES : MAX_PARCEL)) {
        return BAD_LENGTH;
    }
    uint32_t length = (uint32_t)message->length;
    return request->code == READ || length == 0 || move(pair->context, message, data, length, false) ? 0 : INVALID_KEY;
}

// Takes the oldest buffers of the peer, up to the last one of a receive.
static bool take_receive(struct object *peer, struct message *room, uint16_t *id) {
    *room = (struct message){0};
    uint16_t posted = (uint16_t)doorbell(peer, RECEIVE_DOORBELL), next = peer->received;
    while (next != posted) {
        struct buffer buffer;
        memcpy(&buffer, peer->buffers + (uint64_t)(next++ & (peer->buffers_length - 1)) * BUFFER_BYTES, sizeof buffer);
        if (room->count == 0) {
            *id = buffer.id;
        }
        room->pieces[room->count++] =
            (struct piece){buffer.address, buffer.length, buffer.key_and_flags & KEY_MASK};
        room->length += buffer.length;
        if (buffer.key_and_flags & LAST_BUFFER) {
            peer->received = next;
            return true;
        }
    }
    return false;
}

static int receive(struct object *peer, const struct request *request, uint8_t *bytes) {
    bool is_write = request->code == WRITE_IMMEDIATE, has_immediate = request->code != SEND;
    struct message room = {0};
    uint16_t id = 0, before = peer->received;
    if (!(is_write && peer->unsolicited) && !take_receive(peer, &room, &id)) {
        return WAIT;
    }
    if (!is_write && request->length > room.length) {
        peer->received = before;
        return REMOTE_BAD_LENGTH;
    }
    if (!is_write && request->length > 0 && !move(peer->context, &room, bytes, request->length, true)) {
        return REMOTE_BAD_ADDRESS;
    }
    uint8_t entry[SOURCE_BYTES] = {0};
    put_head(entry, id, 0,
             RECEIVE_QUEUE | (has_immediate ? COMPLETION_HAS_IMMEDIATE : 0) |
                 (is_write ? OPERATION_WRITE << OPERATION_SHIFT : 0) | (is_write && peer->unsolicited ? UNSOLICITED : 0),
             peer);
    struct object *queue = &objects[peer->receive_queue];
    uint16_t length[] = {(uint16_t)request->length, address_for(peer, request->from), (uint16_t)request->from_pair};
    memcpy(entry + 6, length, sizeof length);
    memcpy(entry + 12, &request->immediate, sizeof request->immediate);
    if (queue->entry_bytes >= SOURCE_BYTES && is_write) {
        uint16_t high = (uint16_t)(request->length >> 16);
        memcpy(entry + COMPLETION_BYTES, &high, sizeof high);
    } else if (queue->with_source) {
        uint8_t gid[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0xff, 0xfe, 0};
        gid[14] = (uint8_t)(request->from >> 8);
        gid[15] = (uint8_t)request->from;
        memcpy(entry + COMPLETION_BYTES, gid, sizeof gid);
    }
    put(queue, RECEIVES, entry);
    return 0;
}

// At the peer: does a request and returns its outcome; the data of a read comes back.
static int serve(const struct request *request, uint8_t *bytes) {
    struct object *peer = NULL;
    for (int i = 1; i < MAX_OBJECTS && !peer; i++) {
        struct object *pair = &objects[i];
        if (pair->kind == PAIR && pair->number == request->to_pair && (pair->state == RTR || pair->state == RTS) &&
            pair->datagram_key == request->datagram_key) {
            peer = pair;
        }
    }
    if (!peer) {
        return REMOTE_BAD_PAIR;
    }
    if (request->code == SEND || request->code == SEND_IMMEDIATE) {
        return receive(peer, request, bytes);
    }
    if (address_for(peer, request->from) == UNKNOWN_ADDRESS) {
        return REMOTE_UNKNOWN_PEER;
    }
    if (request->code == WRITE_IMMEDIATE && request->solicited == peer->unsolicited) {
        return REMOTE_MISMATCH;
    }
    uint32_t access = request->code == READ ? ACCESS_REMOTE_READ : ACCESS_REMOTE_WRITE;
    const struct object *there = reach(peer->context, request->key, request->address, request->length, access);
    if (request->length > 0 && !there) {
        return REMOTE_BAD_ADDRESS;
    }
    // Without a receive nothing must be written: the request is retried, and the memory may have another use meanwhile.
    if (request->code == WRITE_IMMEDIATE && !peer->unsolicited &&
        peer->received == (uint16_t)doorbell(peer, RECEIVE_DOORBELL)) {
        return WAIT;
    }
    bool done = request->length == 0 || (request->code == READ
                                             ? read_region(there, request->address, bytes, request->length)
                                             : write_region(there, request->address, bytes, request->length));
    return !done                               ? REMOTE_BAD_ADDRESS
           : request->code == WRITE_IMMEDIATE ? receive(peer, request, bytes)
                                              : 0;
}

static void remove_one(struct waiting *waiting, uint32_t index) {
    memmove(&waiting->all[index], &waiting->all[index + 1], (--waiting->count - index) * sizeof(struct one));
}

// Ends a request, if its outcome is known.
static void conclude(struct object *pair, uint32_t index, const struct request *request, int outcome) {
    struct waiting *waiting = pair->waiting;
    struct one *one = &waiting->all[index];
    unsigned retries = pair->kept.rnr_retry;
    if (outcome == WAIT && (retries == ENDLESS || one->tries++ < retries)) {
        one->next = now() + RETRY;
        return;
    }
    struct message message;
    find_message(&one->request, &message);
    if (outcome == 0 && request->code == READ && !move(pair->context, &message, data, message.length, true)) {
        outcome = INVALID_KEY;
    }
    put_sent(pair, &one->request, outcome == WAIT ? REMOTE_NOT_READY : outcome == GONE ? UNREACHABLE : outcome);
    remove_one(waiting, index);
}

static void fetch(struct object *pair) {
    struct waiting *waiting = pair->waiting;
    uint16_t posted = (uint16_t)doorbell(pair, SEND_DOORBELL);
    uint32_t ring = pair->capacities[0];
    if (pair->fetched != posted) {
        waiting->since = now();
    }
    while (pair->fetched != posted && waiting->count < ring) {
        struct one *one = &waiting->all[waiting->count++];
        memset(one, 0, sizeof *one);
        memcpy(&one->request, pair->requests + (uint64_t)(pair->fetched++ & (ring - 1)) * pair->request_bytes,
               pair->request_bytes);
    }
}

// One of those that may be tried now; -1 if there is none yet.
static int choose(const struct waiting *waiting) {
    uint64_t time = now();
    uint32_t ready[OVERTAKING], count = 0;
    for (uint32_t i = 0; i < waiting->count && count < OVERTAKING; i++) {
        if (waiting->all[i].next <= time) {
            ready[count++] = i;
        }
    }
    bool enough = waiting->count >= OVERTAKING || time - waiting->since > PATIENCE || setting(SETTING("SEED"), 1) == 0;
    return count > 0 && enough ? (int)ready[below(count)] : -1;
}

static void flush(struct object *pair) {
    fetch(pair);
    struct waiting *waiting = pair->waiting;
    for (uint32_t i = 0; i < waiting->count; i++) {
        put_sent(pair, &waiting->all[i].request, FLUSHED);
    }
    waiting->count = 0;
    pair->asks = false;
    struct message unused;
    uint16_t id;
    while (take_receive(pair, &unused, &id)) {
        uint8_t entry[SOURCE_BYTES] = {0};
        put_head(entry, id, FLUSHED, RECEIVE_QUEUE, pair);
        put(&objects[pair->receive_queue], RECEIVES, entry);
    }
}

static void work(struct object *pair) {
    if (pair->state == ERROR_STATE) {
        flush(pair);
    }
    struct waiting *waiting = pair->waiting;
    if (pair->asks && now() - waiting->asked_at > GONE_AFTER) {
        waiting->asked_at = now();
        if (!is_there(waiting->asked_of)) {
            struct request none = {0};
            pair->asks = false;
            conclude(pair, (uint32_t)waiting->asked, &none, GONE);
        }
    }
    while (pair->state == RTS && !pair->asks) {
        fetch(pair);
        int index = choose(pair->waiting);
        if (index < 0) {
            return;
        }
        struct request request;
        struct message message;
        int outcome = (int)setting(SETTING("STATUS"), 0);
        outcome = outcome != 0 ? outcome : read_request(pair, &pair->waiting->all[index].request, &request, &message);
        if (outcome == 0) {
            request.ticket = ++pair->ticket;
            outcome = is_here(request.to) ? serve(&request, data) : ask(&request, data);
        }
        if (outcome == ASKED) {
            pair->asks = true;
            waiting->asked = index;
            waiting->asked_of = request.to;
            waiting->asked_at = now();
            return;
        }
        conclude(pair, (uint32_t)index, &request, outcome);
    }
}

// What other processes ask, and what they answer.
static void take_parcels(void) {
    struct request parcel;
    while (take_parcel(&parcel, data)) {
        if (!parcel.is_answer) {
            parcel.outcome = serve(&parcel, data);
            answer(&parcel, data);
            continue;
        }
        struct object *pair = &objects[parcel.handle];
        if (pair->kind == PAIR && pair->asks && pair->ticket == parcel.ticket && pair->state == RTS) {
            pair->asks = false;
            conclude(pair, (uint32_t)pair->waiting->asked, &parcel, parcel.outcome);
        }
    }
}

static void *run(void *nothing) {
    (void)nothing;
    while (true) {
        lock_objects();
        take_parcels();
        for (int i = 1; i < MAX_OBJECTS; i++) {
            if (objects[i].kind == PAIR) {
                work(&objects[i]);
            }
        }
        unlock_objects();
        wait_for_parcel();
    }
    return NULL;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
}
