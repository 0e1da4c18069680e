// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The connection manager: what programs begin, what other ports say, and what happens when nobody says anything.
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cm.h"

enum {
    DATAGRAM_KEY = 0x01234567, // of the port space UDP
    MAX_ATTEMPTS = 16, MAX_RETRIES = 7,
    PAUSE = 10, // milliseconds between two looks at what may be over
    // In the bytes of a request: IP's version, the port, both addresses.
    IP_VERSION_AT = 1, PORT_AT = 2, FROM_ADDRESS_AT = 16, TO_ADDRESS_AT = 32, IP_VERSION = 0x40,
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

// Between two attempts: twice the path's life time, and 4.3 s for the peer.
static unsigned interval(void) {
    return setting(SETTING("CM_MILLISECONDS"), 6144);
}

// Sends what is sent again until it is answered.
static void send_until_answered(struct id *id, const struct message_of_manager *message, enum phase phase) {
    id->last = *message;
    id->phase = phase;
    id->attempts = 1;
    id->next = now() + interval();
    send_message(message);
}

static struct message_of_manager message_of(const struct id *id, enum message_kind kind) {
    return (struct message_of_manager){
        .kind = kind,
        .from = port_lid(),
        .to = id->there_lid,
        .from_id = id->number,
        .to_id = id->peer_number,
        .pair_type = id->pair_type,
    };
}

static void say(const struct id *id, enum message_kind kind, uint8_t reason) {
    struct message_of_manager message = message_of(id, kind);
    message.reason = reason;
    send_message(&message);
}

// Resolution: looked at as long as it lasts.

static void look_for_address(struct id *id) {
    in_addr_t to = id->there.sin_addr.s_addr;
    bool is_local = is_here_address(to);
    if (is_local || (is_in_fabric(to) && is_port_active() && can_be_reached(lid_of_address(to)))) {
        if (id->here.sin_addr.s_addr == INADDR_ANY) {
            id->here.sin_addr.s_addr = is_any_address(to) ? htonl(INADDR_LOOPBACK) : own_address();
        }
        id->has_device = true;
        id->partition = interface_partition();
        id->there_lid = lid_of_address(to);
        id->state = ADDRESS_KNOWN;
        report(id, ADDRESS_RESOLVED, 0, NULL);
    } else if (!is_in_fabric(to) || now() >= id->end) {
        // What is not in IPoIB's network, an interface without an RDMA device reaches.
        id->state = BOUND;
        report(id, ADDRESS_ERROR, is_in_fabric(to) ? -ETIMEDOUT : -ENODEV, NULL);
    }
}

static void look_for_route(struct id *id) {
    int error = is_subnet_managed() ? find_path(id->there_lid, id->partition, &id->path) : ETIMEDOUT;
    if (error == 0) {
        id->has_path = true;
        id->state = ROUTE_KNOWN;
        report(id, ROUTE_RESOLVED, 0, NULL);
    } else if (error != ETIMEDOUT || now() >= id->end) {
        id->state = ADDRESS_KNOWN;
        report(id, ROUTE_ERROR, -error, NULL);
    }
}

int resolve_address(struct id *id, const struct sockaddr_in *from, const struct sockaddr_in *to, uint32_t milliseconds) {
    if (id->state == IDLE) {
        struct sockaddr_in any = {.sin_family = AF_INET};
        int error = bind_id(id, from ? from : &any);
        if (error != 0) {
            return error;
        }
    }
    if (id->state != BOUND) {
        return EINVAL;
    }
    id->there = *to;
    id->state = ADDRESS_QUERY;
    id->end = now() + milliseconds;
    look_for_address(id);
    return 0;
}

int resolve_route(struct id *id, uint32_t milliseconds) {
    if (id->state != ADDRESS_KNOWN) {
        return EINVAL;
    }
    id->state = ROUTE_QUERY;
    id->end = now() + milliseconds;
    look_for_route(id);
    return 0;
}

int set_route(struct id *id, const struct path *path) {
    if (id->state != ADDRESS_KNOWN) {
        return EINVAL;
    }
    id->path = *path;
    id->has_path = true;
    id->state = ROUTE_KNOWN;
    report(id, ROUTE_RESOLVED, 0, NULL);
    return 0;
}

// Connecting.

static bool is_datagram(const struct id *id) {
    return id->pair_type == DATAGRAM_PAIR;
}

static void write_addresses(const struct id *id, uint8_t *bytes) {
    bytes[IP_VERSION_AT] = IP_VERSION;
    memcpy(bytes + PORT_AT, &id->here.sin_port, sizeof id->here.sin_port);
    memcpy(bytes + FROM_ADDRESS_AT, &id->here.sin_addr, sizeof id->here.sin_addr);
    memcpy(bytes + TO_ADDRESS_AT, &id->there.sin_addr, sizeof id->there.sin_addr);
}

static uint8_t least(uint8_t one, uint8_t other) {
    return one < other ? one : other;
}

// What requests and replies say of the side that sends them.
static void offer(struct id *id, const struct rdma_ucm_conn_param *parameters, const struct rdma_ucm_ece *ece,
                  struct message_of_manager *message) {
    id->pair = parameters->qp_num;
    id->responder_resources = parameters->responder_resources;
    id->initiator_depth = parameters->initiator_depth;
    message->pair = parameters->qp_num;
    message->first_packet = id->first_packet;
    message->responder_resources = parameters->responder_resources;
    message->initiator_depth = parameters->initiator_depth;
    message->flow_control = parameters->flow_control;
    message->receive_retries = least(parameters->rnr_retry_count, MAX_RETRIES);
    message->shared_receives = parameters->srq;
    message->ece = *ece;
}

int connect_id(struct id *id, const struct rdma_ucm_conn_param *parameters, const struct rdma_ucm_ece *ece) {
    size_t room = (is_datagram(id) ? LOOK_UP_BYTES : REQUEST_BYTES) - ADDRESSES_BYTES;
    if (!parameters->valid || id->state != ROUTE_KNOWN) {
        return EINVAL;
    }
    id->state = CONNECTING;
    if (parameters->private_data_len > room) {
        id->state = ROUTE_KNOWN;
        return EINVAL;
    }
    struct message_of_manager message = message_of(id, is_datagram(id) ? LOOK_UP : REQUEST);
    message.service = (uint64_t)id->port_space << 16 | ntohs(id->there.sin_port);
    offer(id, parameters, ece, &message);
    id->retries = message.retries = least(parameters->retry_count, MAX_RETRIES);
    id->path_ack_timeout = message.ack_timeout = ack_timeout_of(&id->path);
    message.path = id->path;
    write_addresses(id, message.bytes);
    memcpy(message.bytes + ADDRESSES_BYTES, parameters->private_data, parameters->private_data_len);
    send_until_answered(id, &message, is_datagram(id) ? LOOK_UP_SENT : REQUEST_SENT);
    return 0;
}

static int answer_look_up(struct id *id, const struct rdma_ucm_conn_param *parameters, uint8_t status,
                          const uint8_t *bytes, uint8_t length) {
    if (id->phase != LOOK_UP_RECEIVED || length > LOOK_UP_REPLY_BYTES) {
        return EINVAL;
    }
    struct message_of_manager message = message_of(id, LOOK_UP_REPLY);
    message.reason = status;
    message.pair = parameters ? parameters->qp_num : 0;
    message.datagram_key = parameters && parameters->qkey ? parameters->qkey : DATAGRAM_KEY;
    memcpy(message.bytes, bytes, length);
    send_message(&message);
    id->phase = OVER;
    return 0;
}

int reject_id(struct id *id, uint8_t reason, const uint8_t *bytes, uint8_t length) {
    if (is_datagram(id)) {
        return answer_look_up(id, NULL, LOOK_UP_REFUSED, bytes, length);
    }
    if (id->phase < REQUEST_SENT || id->phase > REPLY_RECEIVED || length > REJECT_BYTES) {
        return EINVAL;
    }
    struct message_of_manager message = message_of(id, REJECT);
    message.reason = reason;
    memcpy(message.bytes, bytes, length);
    send_message(&message);
    id->phase = OVER;
    return 0;
}

// The active side is ready when its queue pair is.
static int get_ready(struct id *id) {
    if (id->phase != REPLY_RECEIVED) {
        return EINVAL;
    }
    say(id, READY, 0);
    id->phase = CONNECTED;
    return 0;
}

int accept_id(struct id *id, const struct rdma_ucm_conn_param *parameters, const struct rdma_ucm_ece *ece) {
    if (id->state != CONNECTING) {
        return EINVAL;
    }
    if (!parameters) {
        return get_ready(id);
    }
    if (is_datagram(id)) {
        return answer_look_up(id, parameters, 0, parameters->private_data, parameters->private_data_len);
    }
    if (id->phase != REQUEST_RECEIVED || parameters->private_data_len > REPLY_BYTES) {
        reject_id(id, REJECT_CONSUMER, NULL, 0);
        return EINVAL;
    }
    struct message_of_manager message = message_of(id, REPLY);
    offer(id, parameters, ece, &message);
    memcpy(message.bytes, parameters->private_data, parameters->private_data_len);
    send_until_answered(id, &message, REPLY_SENT);
    return 0;
}

// How long packets may be under way after the end.
static void wait_for_packets(struct id *id) {
    id->phase = TIME_WAIT;
    id->end = now() + (1ULL << id->path_ack_timeout) * 4096 / 1000000;
}

static void hear_of_end(struct id *id, int status) {
    if (id->state == CONNECTING) {
        id->state = DISCONNECTING;
        report(id, DISCONNECTED, status, NULL);
    }
}

int disconnect_id(struct id *id) {
    if (id->phase == NO_PHASE) {
        return EINVAL;
    }
    if (id->phase == CONNECTED) {
        struct message_of_manager message = message_of(id, DISCONNECT);
        send_until_answered(id, &message, DISCONNECT_SENT);
    } else if (id->phase == DISCONNECT_RECEIVED) {
        say(id, DISCONNECT_REPLY, 0);
        wait_for_packets(id);
    }
    return 0;
}

int establish_id(struct id *id) {
    if (id->phase == CONNECTED) {
        return EISCONN;
    }
    if (id->phase != REPLY_SENT) {
        return EINVAL;
    }
    id->phase = CONNECTED;
    report(id, ESTABLISHED, 0, NULL);
    return 0;
}

void destroy_id(struct id *id) {
    if (id->state == LISTENING) {
        show_listener(id->port_space, ntohs(id->here.sin_port), false);
    }
    switch (id->phase) {
    case REQUEST_SENT:
        say(id, REJECT, REJECT_TIMEOUT);
        break;
    case REQUEST_RECEIVED:
    case REPLY_SENT:
    case REPLY_RECEIVED:
        say(id, REJECT, REJECT_CONSUMER);
        break;
    case CONNECTED:
        say(id, DISCONNECT, 0);
        break;
    case DISCONNECT_RECEIVED:
        say(id, DISCONNECT_REPLY, 0);
        break;
    case LOOK_UP_RECEIVED:
        answer_look_up(id, NULL, LOOK_UP_REFUSED, NULL, 0);
        break;
    default:
        break;
    }
    drop_events(id);
    id->is_used = false;
}

// What other ports say.

static struct id *id_of_peer(const struct message_of_manager *message) {
    for (int i = 1; i < MAX_IDS; i++) {
        struct id *id = &ids[i];
        if (id->is_used && id->phase != NO_PHASE && id->phase != OVER && id->there_lid == message->from &&
            id->peer_number == message->from_id) {
            return id;
        }
    }
    return NULL;
}

static struct message_of_manager back(const struct message_of_manager *message, enum message_kind kind, uint8_t reason) {
    return (struct message_of_manager){
        .kind = kind,
        .from = port_lid(),
        .to = message->from,
        .from_id = message->to_id,
        .to_id = message->from_id,
        .reason = reason,
    };
}

static void send_back(const struct message_of_manager *message, enum message_kind kind, uint8_t reason) {
    struct message_of_manager answer = back(message, kind, reason);
    send_message(&answer);
}

// The way back of a request's way here.
static struct path reverse(const struct path *path) {
    struct path reversed = *path;
    reversed.from = path->to;
    reversed.to = path->from;
    memcpy(reversed.from_gid, path->to_gid, sizeof path->to_gid);
    memcpy(reversed.to_gid, path->from_gid, sizeof path->from_gid);
    return reversed;
}

static void hear_request(const struct message_of_manager *message) {
    bool looks_up = message->kind == LOOK_UP;
    struct id *known = id_of_peer(message);
    if (known) {
        if (known->phase == REPLY_SENT) {
            send_message(&known->last);
        }
        return;
    }
    in_addr_t to;
    memcpy(&to, message->bytes + TO_ADDRESS_AT, sizeof to);
    struct id *listener = listener_of(message->service, to);
    if (!listener || is_datagram(listener) != looks_up) {
        send_back(message, looks_up ? LOOK_UP_REPLY : REJECT, looks_up ? LOOK_UP_NO_SERVICE : REJECT_NO_SERVICE);
        return;
    }
    // Without room it is lost, and will come again.
    struct id *id = listener->backlog > 0 ? create_id(listener->file, listener->port_space, listener->pair_type) : NULL;
    if (!id) {
        return;
    }
    listener->backlog--;
    id->listener = listener->handle;
    id->here.sin_addr.s_addr = to;
    id->here.sin_port = listener->here.sin_port;
    id->there.sin_family = AF_INET;
    memcpy(&id->there.sin_port, message->bytes + PORT_AT, sizeof id->there.sin_port);
    memcpy(&id->there.sin_addr, message->bytes + FROM_ADDRESS_AT, sizeof id->there.sin_addr);
    id->there_lid = message->from;
    id->state = CONNECTING;
    id->phase = looks_up ? LOOK_UP_RECEIVED : REQUEST_RECEIVED;
    id->has_device = true;
    id->path = reverse(&message->path);
    id->has_path = !looks_up;
    id->partition = message->path.partition;
    id->peer_number = message->from_id;
    id->peer_pair = message->pair;
    id->peer_first_packet = message->first_packet;
    id->responder_resources = message->initiator_depth;
    id->initiator_depth = message->responder_resources;
    id->retries = message->retries;
    id->receive_retries = message->receive_retries;
    id->path_ack_timeout = message->ack_timeout;
    id->datagram_key = DATAGRAM_KEY;
    report(id, CONNECT_REQUEST, 0, message);
}

static void hear_reply(struct id *id, const struct message_of_manager *message) {
    if (id->phase == CONNECTED) {
        say(id, READY, 0); // the first one was lost
    } else if (id->phase == REQUEST_SENT) {
        id->phase = REPLY_RECEIVED;
        id->peer_number = message->from_id;
        id->peer_pair = message->pair;
        id->peer_first_packet = message->first_packet;
        id->responder_resources = message->initiator_depth;
        id->initiator_depth = message->responder_resources;
        id->receive_retries = message->receive_retries;
        report(id, CONNECT_RESPONSE, 0, message);
    }
}

static void hear_look_up_reply(struct id *id, const struct message_of_manager *message) {
    if (id->phase != LOOK_UP_SENT) {
        return;
    }
    id->phase = OVER;
    if (message->reason == 0) {
        id->datagram_key = message->datagram_key;
        report(id, ESTABLISHED, 0, message);
    } else {
        report(id, UNREACHABLE, message->reason, message);
    }
}

static void hear_disconnect(struct id *id, const struct message_of_manager *message) {
    if (!id || id->phase == TIME_WAIT) {
        send_back(message, DISCONNECT_REPLY, 0);
    } else if (id->phase == REPLY_SENT || id->phase == CONNECTED || id->phase == DISCONNECT_SENT) {
        id->phase = DISCONNECT_RECEIVED;
        hear_of_end(id, 0);
    }
}

static void hear(const struct message_of_manager *message) {
    if (message->kind == REQUEST || message->kind == LOOK_UP) {
        hear_request(message);
        return;
    }
    struct id *id = message->to_id != 0 ? id_of_number(message->to_id) : id_of_peer(message);
    if (message->kind == DISCONNECT) {
        hear_disconnect(id, message);
    } else if (!id) {
        if (message->kind == REPLY) {
            send_back(message, REJECT, REJECT_UNKNOWN_ID);
        }
    } else if (message->kind == REPLY) {
        hear_reply(id, message);
    } else if (message->kind == READY) {
        if (id->phase == REPLY_SENT) {
            establish_id(id);
        }
    } else if (message->kind == REJECT) {
        if (id->phase >= REQUEST_SENT && id->phase <= CONNECTED) {
            id->phase = OVER;
            report(id, REJECTED, message->reason, message);
        }
    } else if (message->kind == DISCONNECT_REPLY) {
        if (id->phase == DISCONNECT_SENT) {
            wait_for_packets(id);
            hear_of_end(id, 0);
        }
    } else {
        hear_look_up_reply(id, message);
    }
}

// What happens when nobody says anything.

static void give_up(struct id *id) {
    if (id->phase == DISCONNECT_SENT) {
        wait_for_packets(id);
        hear_of_end(id, -ETIMEDOUT);
    } else {
        id->phase = OVER;
        report(id, UNREACHABLE, -ETIMEDOUT, NULL);
    }
}

static void look_at(struct id *id) {
    if (id->state == ADDRESS_QUERY) {
        look_for_address(id);
    } else if (id->state == ROUTE_QUERY) {
        look_for_route(id);
    }
    bool waits = id->phase == REQUEST_SENT || id->phase == REPLY_SENT || id->phase == DISCONNECT_SENT ||
                 id->phase == LOOK_UP_SENT;
    if (waits && now() >= id->next) {
        if (id->attempts++ == MAX_ATTEMPTS) {
            give_up(id);
        } else {
            id->next = now() + interval();
            send_message(&id->last);
        }
    } else if (id->phase == TIME_WAIT && now() >= id->end) {
        id->phase = OVER;
        report(id, TIMEWAIT_EXIT, 0, NULL);
    }
}

static void *run(void *nothing) {
    (void)nothing;
    while (true) {
        wait_for_message(PAUSE);
        lock_manager();
        struct message_of_manager message;
        while (receive_message(&message)) {
            hear(&message);
        }
        for (int i = 1; i < MAX_IDS; i++) {
            if (ids[i].is_used) {
                look_at(&ids[i]);
            }
        }
        unlock_manager();
    }
    return NULL;
}

int start_manager(void) {
    static bool is_started;
    lock_objects();
    int error = is_started ? 0 : join_managers();
    if (error == 0 && !is_started) {
        pthread_t thread;
        error = pthread_create(&thread, NULL, run, NULL);
        is_started = error == 0;
    }
    unlock_objects();
    return error;
}

// A kernel closes what a process has left open. A process killed here takes its kernel with it.
__attribute__((destructor)) static void end(void) {
    lock_manager();
    for (int i = 1; i < MAX_IDS; i++) {
        if (ids[i].is_used) {
            destroy_id(&ids[i]);
        }
    }
    unlock_manager();
}
