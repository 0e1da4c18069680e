/*
 * SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * mads COMMAND…: runs COMMAND, a QEMU with a pvrdma device (pvrdma.sh), with a socket as descriptor 3, and answers there
 * what QEMU asks of its rdmacm-mux (contrib/rdmacm-mux/rdmacm-mux.h of QEMU 7.2). A GID that is registered needs no more
 * than an answer. A management datagram, which connects programs over rdma_cm, returns to its sender: the guest is the
 * only machine here.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct message {
    uint32_t type;      /* 0 request, 1 response */
    uint32_t operation; /* 0 register a GID, 1 unregister it, 2 datagram */
    _Alignas(8) uint8_t gid[16];
    uint32_t error;
    uint32_t unused;
    uint32_t length;
    uint8_t datagram[64 + 256 + 4]; /* with the header of libibumad; padding */
};
_Static_assert(sizeof(struct message) == 360, "the message of QEMU 7.2 on a 64-bit machine");

#define WAITING 64

static void serve(int socket) {
    static struct message waiting[WAITING];
    struct message message;
    int count = 0;
    for (;;) {
        struct pollfd ready = {.fd = socket, .events = POLLIN};
        /* QEMU takes whatever arrives next for the answer to its request: datagrams wait until it asks nothing more. */
        int polled = poll(&ready, 1, count == 0 ? -1 : 5);
        if (polled == 0) {
            if (write(socket, &waiting[0], sizeof message) != sizeof message) return;
            memmove(waiting, waiting + 1, --count * sizeof message);
            continue;
        }
        if (recv(socket, &message, sizeof message, MSG_WAITALL) != sizeof message) return;
        if (message.operation == 2 && count < WAITING) waiting[count++] = message;
        message.type = 1;
        message.error = 0;
        if (write(socket, &message, sizeof message) != sizeof message) return;
    }
}

int main(int argc, char **argv) {
    int ends[2];
    if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 125;
    if (fork() == 0) {
        close(ends[1]);
        serve(ends[0]);
        return 0;
    }
    close(ends[0]);
    if (ends[1] != 3) {
        dup2(ends[1], 3);
        close(ends[1]);
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
