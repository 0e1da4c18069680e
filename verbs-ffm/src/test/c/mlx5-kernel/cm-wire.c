// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages between connection managers: a socket for each LID in the folder of RDMA4J_MLX5_FABRIC; without one, a pair
// of sockets of this process, which then is the only port.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "cm.h"

static int incoming = -1, outgoing = -1;

static struct sockaddr_un place_of(uint16_t lid) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    snprintf(place.sun_path, sizeof place.sun_path, "%s/%u.cm", getenv(SETTING("FABRIC")), lid);
    return place;
}

static int join_others(void) {
    struct sockaddr_un place = place_of(port_lid());
    unlink(place.sun_path); // join_fabric has seen that nobody else has the LID
    incoming = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    outgoing = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return incoming < 0 || outgoing < 0 || bind(incoming, (struct sockaddr *)&place, sizeof place) != 0 ? errno : 0;
}

int join_managers(void) {
    if (incoming >= 0) {
        return 0;
    }
    int error, pair[2];
    if (in_fabric()) {
        error = join_fabric();
        error = error ? error : join_others();
    } else {
        error = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : errno;
        incoming = error ? -1 : pair[0];
        outgoing = error ? -1 : pair[1];
    }
    // A port that does not read loses messages, as on a wire.
    struct timeval patience = {.tv_sec = 1};
    setsockopt(outgoing, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return error;
}

void show_listener(uint16_t port_space, uint16_t port, bool listens) {
    char name[256];
    if (!in_fabric()) {
        return;
    }
    snprintf(name, sizeof name, "%s/%u.listens.%x.%u", getenv(SETTING("FABRIC")), port_lid(), port_space, port);
    if (listens) {
        close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    } else {
        unlink(name);
    }
}

bool can_be_reached(uint16_t lid) {
    if (lid == port_lid() || !in_fabric()) {
        return lid == port_lid();
    }
    struct sockaddr_un place = place_of(lid);
    int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool answers = connect(probe, (struct sockaddr *)&place, sizeof place) == 0;
    close(probe);
    return answers;
}

void send_message(const struct message_of_manager *message) {
    if (!in_fabric()) {
        if (message->to == port_lid()) {
            send(outgoing, message, sizeof *message, MSG_NOSIGNAL);
        }
        return;
    }
    struct sockaddr_un place = place_of(message->to);
    sendto(outgoing, message, sizeof *message, MSG_NOSIGNAL, (struct sockaddr *)&place, sizeof place);
}

bool receive_message(struct message_of_manager *message) {
    return recv(incoming, message, sizeof *message, MSG_DONTWAIT) == sizeof *message;
}

void wait_for_message(int milliseconds) {
    struct pollfd watched = {.fd = incoming, .events = POLLIN};
    poll(&watched, 1, milliseconds);
}
