// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of the connection manager, and the events that wait in them. Such a file is an eventfd, so that it can be
// polled: it is readable while an event waits.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cm.h"

enum { MAX_FILES = 1 << 16 };

struct event {
    struct event *next;
    struct rdma_ucm_event_resp response;
    uint32_t id;      // handle of the id that counts it
    uint32_t request; // handle of the new id, of a request
};

static struct file {
    volatile bool is_open;
    struct event *first;
} files[MAX_FILES];

int open_manager(int flags) {
    int error = start_manager();
    if (error != 0) {
        errno = error;
        return -1;
    }
    int descriptor = eventfd(0, flags & O_CLOEXEC ? EFD_CLOEXEC : 0);
    if (descriptor >= MAX_FILES) {
        close(descriptor);
        errno = EMFILE;
        return -1;
    }
    if (descriptor >= 0) {
        files[descriptor] = (struct file){.is_open = true};
    }
    return descriptor;
}

bool is_manager(int descriptor) {
    return descriptor >= 0 && descriptor < MAX_FILES && files[descriptor].is_open;
}

static void show(int file) {
    struct pollfd state = {.fd = file, .events = POLLIN};
    bool is_shown = poll(&state, 1, 0) == 1;
    eventfd_t unused;
    if (files[file].first && !is_shown) {
        eventfd_write(file, 1);
    } else if (!files[file].first && is_shown) {
        eventfd_read(file, &unused);
    }
}

void forget_manager(int descriptor) {
    lock_manager();
    for (int i = 1; i < MAX_IDS; i++) {
        if (ids[i].is_used && ids[i].file == descriptor) {
            destroy_id(&ids[i]);
        }
    }
    files[descriptor].is_open = false;
    unlock_manager();
}

static void append(int file, struct event *event) {
    struct event **end = &files[file].first;
    while (*end) {
        end = &(*end)->next;
    }
    event->next = NULL;
    *end = event;
    show(file);
}

// How many bytes of the program's a message brings; the rest of them are zeros, and counted.
static uint8_t length_of(const struct message_of_manager *message) {
    switch (message->kind) {
    case REQUEST: return REQUEST_BYTES - ADDRESSES_BYTES;
    case REPLY: return REPLY_BYTES;
    case REJECT: return REJECT_BYTES;
    case LOOK_UP: return LOOK_UP_BYTES - ADDRESSES_BYTES;
    case LOOK_UP_REPLY: return LOOK_UP_REPLY_BYTES;
    default: return 0;
    }
}

static const uint8_t *bytes_of(const struct message_of_manager *message) {
    return message->bytes + (message->kind == REQUEST || message->kind == LOOK_UP ? ADDRESSES_BYTES : 0);
}

static void write_datagram_event(const struct id *id, const struct message_of_manager *message,
                                 struct rdma_ucm_ud_param *parameters) {
    parameters->private_data_len = length_of(message);
    memcpy(parameters->private_data, bytes_of(message), length_of(message));
    if (message->kind == LOOK_UP_REPLY && message->reason == 0) {
        write_address(&id->path, &parameters->ah_attr);
        parameters->qp_num = message->pair;
        parameters->qkey = message->datagram_key;
    }
}

static void write_connection_event(const struct message_of_manager *message, struct rdma_ucm_conn_param *parameters) {
    parameters->private_data_len = length_of(message);
    memcpy(parameters->private_data, bytes_of(message), length_of(message));
    if (message->kind == REQUEST || message->kind == REPLY) {
        // One side's demand is the other side's offer.
        parameters->responder_resources = message->initiator_depth;
        parameters->initiator_depth = message->responder_resources;
        parameters->flow_control = message->flow_control;
        parameters->retry_count = message->retries;
        parameters->rnr_retry_count = message->receive_retries;
        parameters->srq = message->shared_receives;
        parameters->qp_num = message->pair;
    }
}

void report(struct id *id, uint32_t type, int status, const struct message_of_manager *message) {
    struct id *listener = type == CONNECT_REQUEST ? id_of_handle(id->listener) : id;
    if (!listener || (type != CONNECT_REQUEST && id->user == 0)) {
        return; // a request that was not accepted reports nothing
    }
    struct event *event = calloc(1, sizeof *event);
    event->id = listener->handle;
    event->request = type == CONNECT_REQUEST ? id->handle : 0;
    event->response.uid = listener->user;
    event->response.id = id->handle;
    event->response.event = type;
    event->response.status = (uint32_t)status;
    if (message) {
        event->response.ece = message->ece;
        if (id->pair_type == DATAGRAM_PAIR) {
            write_datagram_event(id, message, &event->response.param.ud);
        } else {
            write_connection_event(message, &event->response.param.conn);
        }
    }
    append(listener->file, event);
}

int take_event(int file, struct rdma_ucm_event_resp *response) {
    while (true) {
        lock_manager();
        struct event *event = files[file].first;
        if (event) {
            *response = event->response;
            files[file].first = event->next;
            show(file);
            struct id *counted = id_of_handle(event->id);
            if (counted) {
                counted->events_reported++;
                counted->backlog += event->request != 0;
            }
            struct id *request = event->request ? id_of_handle(event->request) : NULL;
            if (request) {
                request->listener = 0;
            }
            free(event);
            unlock_manager();
            return 0;
        }
        unlock_manager();
        if (fcntl(file, F_GETFL) & O_NONBLOCK) {
            return EAGAIN;
        }
        struct pollfd state = {.fd = file, .events = POLLIN};
        if (poll(&state, 1, -1) < 0) {
            return errno;
        }
    }
}

static struct event *take_out(struct id *id) {
    for (struct event **place = &files[id->file].first; *place; place = &(*place)->next) {
        struct event *event = *place;
        if (event->id == id->handle) {
            *place = event->next;
            return event;
        }
    }
    return NULL;
}

int move_events(struct id *id, int target) {
    struct event *moved[MAX_IDS], *event;
    int count = 0;
    while (count < MAX_IDS && (event = take_out(id))) {
        moved[count++] = event;
    }
    show(id->file);
    id->file = target;
    for (int i = 0; i < count; i++) {
        append(target, moved[i]);
    }
    return (int)id->events_reported;
}

void drop_events(struct id *id) {
    for (struct event *event; (event = take_out(id)); free(event)) {
        struct id *request = event->request ? id_of_handle(event->request) : NULL;
        if (request) {
            destroy_id(request);
        }
    }
    show(id->file);
}
