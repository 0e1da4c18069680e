// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The fabric, if SETTING("FABRIC") names a folder: each process with an open device has a socket there, named by its LID.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "transfer.h"

enum { PAUSE_NANOSECONDS = 20000, MAX_ASKED = 2 };

// Two sockets: a full queue of requests must not hold an answer up.
static int parcels = -1, answers = -1;

static struct sockaddr_un place_of(uint16_t lid) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    snprintf(place.sun_path, sizeof place.sun_path, "%s/%u", getenv(SETTING("FABRIC")), lid);
    return place;
}

bool in_fabric(void) {
    return getenv(SETTING("FABRIC"));
}

int join_fabric(void) {
    if (!in_fabric() || parcels >= 0) {
        return 0;
    }
    struct sockaddr_un place = place_of(port_lid());
    answers = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (answers < 0) {
        return errno;
    }
    if (connect(answers, (struct sockaddr *)&place, sizeof place) == 0) {
        fprintf(stderr, "another process has " SETTING("LID") "=%u\n", port_lid());
        return EBUSY;
    }
    unlink(place.sun_path);
    int bound = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bound < 0 || bind(bound, (struct sockaddr *)&place, sizeof place) != 0) {
        return errno;
    }
    parcels = bound;
    return 0;
}

void leave_fabric(void) {
    if (parcels < 0) {
        return;
    }
    unlink(place_of(port_lid()).sun_path);
    close(parcels);
    close(answers);
    parcels = answers = -1;
}

bool is_here(uint16_t lid) {
    return lid == port_lid();
}

bool is_there(uint16_t lid) {
    struct sockaddr_un place = place_of(lid);
    int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool there = probe < 0 || connect(probe, (struct sockaddr *)&place, sizeof place) == 0;
    if (probe >= 0) {
        close(probe);
    }
    return there;
}

static ssize_t send_parcel(int descriptor, uint16_t lid, const struct request *request, const uint8_t *data,
                           uint64_t length) {
    struct sockaddr_un place = place_of(lid);
    struct iovec parts[] = {{(void *)request, sizeof *request}, {(void *)data, length}};
    struct msghdr parcel = {
        .msg_name = &place, .msg_namelen = sizeof place, .msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(descriptor, &parcel, 0);
}

static bool carries_data(const struct request *request) {
    bool reads = request->code == READ || request->code == COMPARE_AND_SWAP || request->code == FETCH_AND_ADD;
    return reads == request->is_answer && request->outcome == 0;
}

int ask(const struct request *request, const uint8_t *data) {
    if (parcels < 0) {
        return GONE;
    }
    // So few that the answers always have room, whatever the other side waits for.
    int asked = 0;
    for (int i = 1; i < MAX_OBJECTS; i++) {
        asked += objects[i].kind == PAIR && objects[i].asks;
    }
    if (asked >= MAX_ASKED) {
        return WAIT;
    }
    if (send_parcel(parcels, request->to, request, data, carries_data(request) ? request->length : 0) >= 0) {
        return ASKED;
    }
    return errno == EAGAIN || errno == ENOBUFS ? WAIT : GONE;
}

void answer(const struct request *request, const uint8_t *data) {
    struct request back = *request;
    back.is_answer = true;
    // The requester may have ended.
    send_parcel(answers, request->from, &back, data, carries_data(&back) ? request->length : 0);
}

bool take_parcel(struct request *request, uint8_t *data) {
    struct iovec parts[] = {{request, sizeof *request}, {data, MAX_PARCEL}};
    struct msghdr parcel = {.msg_iov = parts, .msg_iovlen = 2};
    return parcels >= 0 && recvmsg(parcels, &parcel, 0) >= (ssize_t)sizeof *request;
}

void wait_for_parcel(void) {
    struct timespec pause = {.tv_nsec = PAUSE_NANOSECONDS};
    struct pollfd watched = {.fd = parcels, .events = POLLIN};
    ppoll(&watched, 1, &pause, NULL);
}
