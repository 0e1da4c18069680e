// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the connection manager has a queue pair set at each step of a connection over InfiniBand.
#include <errno.h>
#include <string.h>

#include "cm.h"

enum {
    // States and attributes of queue pairs, and access, by verbs.h.
    TO_INIT = 1, TO_RTR = 2, TO_RTS = 3,
    STATE = 1 << 0, ACCESS = 1 << 3, PARTITION = 1 << 4, PORT = 1 << 5, DATAGRAM_KEY = 1 << 6, PATH = 1 << 7, MTU = 1 << 8,
    TIMEOUT = 1 << 9, RETRIES = 1 << 10, RECEIVE_RETRIES = 1 << 11, RECEIVE_PACKET = 1 << 12, MAX_READS = 1 << 13,
    RECEIVE_TIMER = 1 << 15, SEND_PACKET = 1 << 16, MAX_SERVED_READS = 1 << 17, PEER = 1 << 20,
    REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8,
    CONNECTED_PAIR = 2,
    ADAPTER_ACK_DELAY = 16, // as the device says
    MAX_TIMEOUT = 31,
};

uint8_t ack_timeout_of(const struct path *path) {
    unsigned timeout = path->life_time + 1u; // there and back
    if (timeout >= ADAPTER_ACK_DELAY) {
        timeout += ADAPTER_ACK_DELAY >= timeout - 1;
    } else {
        timeout = ADAPTER_ACK_DELAY + (timeout >= ADAPTER_ACK_DELAY - 1);
    }
    return (uint8_t)(timeout < MAX_TIMEOUT ? timeout : MAX_TIMEOUT);
}

// A GRH where a router is on the way, and else none.
void write_address(const struct path *path, struct ib_uverbs_ah_attr *address) {
    *address = (struct ib_uverbs_ah_attr){
        .dlid = path->to,
        .sl = path->service_level,
        .static_rate = path->rate,
        .is_global = path->hop_limit > 0,
        .port_num = 1,
    };
    if (address->is_global) {
        address->grh.hop_limit = path->hop_limit;
        memcpy(address->grh.dgid, path->to_gid, sizeof path->to_gid);
    }
}

static int before_connecting(const struct id *id, struct ib_uverbs_qp_attr *attributes) {
    bool is_datagram = id->pair_type == DATAGRAM_PAIR;
    attributes->qp_attr_mask = STATE | PARTITION | PORT | (is_datagram ? DATAGRAM_KEY : ACCESS);
    attributes->qkey = is_datagram ? id->datagram_key : 0;
    return 0;
}

int next_attributes(const struct id *id, uint32_t state, struct ib_uverbs_qp_attr *attributes) {
    *attributes = (struct ib_uverbs_qp_attr){.qp_state = state, .port_num = 1, .rq_psn = id->first_packet};
    if (!id->has_device) {
        return EINVAL;
    }
    int partition = index_of_partition(id->partition);
    if (partition < 0) {
        return ENOENT;
    }
    attributes->pkey_index = (uint16_t)partition;
    if (id->phase == NO_PHASE || id->pair_type == DATAGRAM_PAIR) {
        return before_connecting(id, attributes);
    }
    bool knows_peer = id->phase >= REQUEST_RECEIVED && id->phase <= CONNECTED;
    if (!knows_peer && !(id->phase == REQUEST_SENT && state == TO_INIT)) {
        return EINVAL;
    }
    bool is_reliable = id->pair_type == CONNECTED_PAIR;
    switch (state) {
    case TO_INIT:
        attributes->qp_attr_mask = STATE | ACCESS | PARTITION | PORT;
        attributes->qp_access_flags = REMOTE_WRITE | (id->responder_resources ? REMOTE_READ | REMOTE_ATOMIC : 0);
        return 0;
    case TO_RTR:
        attributes->qp_attr_mask =
            STATE | PATH | MTU | PEER | RECEIVE_PACKET | (is_reliable ? MAX_SERVED_READS | RECEIVE_TIMER : 0);
        write_address(&id->path, &attributes->ah_attr);
        attributes->path_mtu = id->path.mtu;
        attributes->dest_qp_num = id->peer_pair;
        attributes->max_dest_rd_atomic = id->responder_resources;
        return 0;
    case TO_RTS:
        attributes->qp_attr_mask =
            STATE | SEND_PACKET | (is_reliable ? TIMEOUT | RETRIES | RECEIVE_RETRIES | MAX_READS : 0);
        attributes->sq_psn = id->peer_first_packet;
        attributes->timeout = id->has_ack_timeout ? id->ack_timeout : id->path_ack_timeout;
        attributes->retry_cnt = id->retries;
        attributes->rnr_retry = id->receive_retries;
        attributes->max_rd_atomic = id->initiator_depth;
        return 0;
    default:
        return EINVAL;
    }
}
