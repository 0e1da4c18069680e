// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter at the end of a request's way: what it does to the peer's memory and receives.
#include <endian.h>
#include <string.h>

#include "adapter.h"

enum {
    RESPONSE_WRITE_IMMEDIATE = 1, RESPONSE_SEND = 2, RESPONSE_SEND_IMMEDIATE = 3, RESPONSE_SEND_INVALIDATE = 4,
    RESPONSE_ERROR = 14,
    // Of a completion's source.
    SERVICE_LEVEL_SHIFT = 24, GLOBAL_ROUTE = 1 << 28,
    // Bytes that nobody may read, instead of a missing GRH.
    NOTHING_HERE = 0xee,
    GLOBAL_ROUTE_HEADER = 0x60, NEXT_HEADER = 0x1b, HOP_LIMIT = 64,
};

// The GRH of a datagram, by the specification: version, length, next header, hop limit, both GIDs.
static void write_global_route(const struct request *request, uint8_t *bytes) {
    memset(bytes, NOTHING_HERE, GLOBAL_ROUTE_BYTES);
    if (!request->is_global) {
        return;
    }
    uint16_t length = htobe16((uint16_t)request->length);
    uint64_t source[] = {htobe64(0xfe80ULL << 48), htobe64(0x020000fffe000000ULL | request->from)};
    memset(bytes, 0, 8);
    bytes[0] = GLOBAL_ROUTE_HEADER;
    memcpy(bytes + 4, &length, sizeof length);
    bytes[6] = NEXT_HEADER;
    bytes[7] = HOP_LIMIT;
    memcpy(bytes + 8, source, sizeof source);
    memcpy(bytes + 24, request->target, sizeof request->target);
}

// Fills a receive of the peer; returns 0, WAIT if there is none, or the sender's syndrome.
static int receive(struct object *peer, const struct request *request, uint8_t *data, int kind) {
    static uint8_t datagram[GLOBAL_ROUTE_BYTES + MAX_MESSAGE];
    if (peer->receives == 0 || peer->receive_consumer == posted_receives(peer)) {
        return WAIT;
    }
    bool with_data = kind != RESPONSE_WRITE_IMMEDIATE;
    uint64_t length = request->length;
    uint32_t source = request->from_pair;
    if (peer->type == DATAGRAM) {
        write_global_route(request, datagram);
        memcpy(datagram + GLOBAL_ROUTE_BYTES, data, length);
        data = datagram;
        length += GLOBAL_ROUTE_BYTES;
        source |= (uint32_t)request->service_level << SERVICE_LEVEL_SHIFT | (request->is_global ? GLOBAL_ROUTE : 0);
    }
    struct message room = {0};
    uint32_t counter = peer->receive_consumer;
    const uint8_t *element = peer->buffer + ((uint64_t)(counter & (peer->receives - 1)) << peer->receive_shift);
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
                   : move(peer->context, &room, data, length, true) ? 0 : PROTECTION_ERROR;
    if (syndrome && peer->type == DATAGRAM && syndrome == LENGTH_ERROR) {
        return WAIT; // a datagram that is too long for its receive is dropped
    }
    bool has_immediate = kind != RESPONSE_SEND;
    peer->receive_consumer = (counter + 1) & 0xffff;
    struct completion completion = {
        .kind = syndrome ? RESPONSE_ERROR : kind,
        .syndrome = syndrome,
        .counter = counter,
        .length = (uint32_t)length,
        .immediate = has_immediate ? request->immediate : htobe32(peer->partition),
        .solicited = request->solicited,
        .source = source,
        .lid = request->from,
    };
    put(&objects[peer->receive_queue], peer, &completion);
    if (syndrome) {
        peer->state = ERROR_STATE;
        flush(peer);
    }
    return syndrome ? INVALID_REQUEST : 0;
}

static int do_atomic(struct object *peer, const struct request *request, uint8_t *data) {
    const struct object *there = reach(peer->context, request->key, request->address, 8, ACCESS_REMOTE_ATOMIC);
    if (!there || request->address % 8 != 0) {
        return there ? INVALID_REQUEST : ACCESS_ERROR;
    }
    uint64_t old;
    if (!read_region(there, request->address, data, sizeof old)) {
        return ACCESS_ERROR;
    }
    memcpy(&old, data, sizeof old);
    bool adds = request->code == FETCH_AND_ADD;
    uint64_t now = adds ? old + request->swap_or_add : request->swap_or_add;
    bool writes = adds || old == request->compare;
    return !writes || write_region(there, request->address, (uint8_t *)&now, sizeof now) ? 0 : ACCESS_ERROR;
}

// Queue pairs with different P_Keys or Q_Keys do not reach each other; a connected one does not get datagrams of others.
static struct object *peer_of(int context, const struct request *request) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        struct object *pair = &objects[i];
        if (pair->kind == PAIR && (context < 0 || pair->context == context) && pair->number == request->to_pair &&
            pair->type == request->type && pair->state >= RTR && pair->state <= RTS &&
            pair->partition == request->partition &&
            (pair->type == DATAGRAM ? pair->datagram_key == request->datagram_key
                                    : pair->peer == request->from_pair && pair->path.dlid == request->from)) {
            return pair;
        }
    }
    return NULL;
}

static int serve_peer(struct object *peer, const struct request *request, uint8_t *data) {
    uint8_t code = request->code;
    if (code == COMPARE_AND_SWAP || code == FETCH_AND_ADD) {
        return do_atomic(peer, request, data);
    }
    if (code == WRITE_IMMEDIATE && peer->receive_consumer == posted_receives(peer)) {
        return WAIT;
    }
    if (code == READ || code == WRITE || code == WRITE_IMMEDIATE) {
        uint32_t access = code == READ ? ACCESS_REMOTE_READ : ACCESS_REMOTE_WRITE;
        const struct object *there = reach(peer->context, request->key, request->address, request->length, access);
        bool done = request->length == 0 ||
                    (there && (code == READ ? read_region(there, request->address, data, request->length)
                                            : write_region(there, request->address, data, request->length)));
        if (!done) {
            return ACCESS_ERROR;
        }
        return code == WRITE_IMMEDIATE ? receive(peer, request, data, RESPONSE_WRITE_IMMEDIATE) : 0;
    }
    int kind = code == SEND_IMMEDIATE    ? RESPONSE_SEND_IMMEDIATE
               : code == SEND_INVALIDATE ? RESPONSE_SEND_INVALIDATE
                                         : RESPONSE_SEND;
    return receive(peer, request, data, kind);
}

int serve(int context, const struct request *request, uint8_t *data) {
    struct object *peer = peer_of(context, request);
    if (!peer) {
        return GONE;
    }
    int outcome = serve_peer(peer, request, data);
    if (outcome > 0 && peer->type == RELIABLE) {
        // A refused request also ends the connection at this side.
        peer->state = ERROR_STATE;
        flush(peer);
    }
    return outcome;
}
