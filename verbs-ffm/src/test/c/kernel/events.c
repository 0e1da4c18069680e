// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Event descriptors: pipes. The program has the reading end and closes it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "standin.h"

enum { MAX_PIPES = 256 };

static struct {
    int reading, writing;
} pipes[MAX_PIPES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int make_event_pipe(int *writing_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_PIPES; i++) {
        if (pipes[i].writing == 0) {
            pipes[i].reading = ends[0];
            pipes[i].writing = *writing_end = ends[1];
            pthread_mutex_unlock(&lock);
            return ends[0];
        }
    }
    pthread_mutex_unlock(&lock);
    close(ends[0]);
    close(ends[1]);
    errno = EMFILE;
    return -1;
}

int writing_end_of(int reading_end) {
    int writing_end = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_PIPES; i++) {
        if (pipes[i].writing != 0 && pipes[i].reading == reading_end) {
            writing_end = pipes[i].writing;
        }
    }
    pthread_mutex_unlock(&lock);
    return writing_end;
}

void forget_pipe(int reading_end) {
    int writing_end = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_PIPES; i++) {
        if (pipes[i].writing != 0 && pipes[i].reading == reading_end) {
            writing_end = pipes[i].writing;
            pipes[i].writing = 0;
        }
    }
    pthread_mutex_unlock(&lock);
    if (writing_end != 0) {
        close(writing_end);
    }
}

int discard_events(int writing_end, uint64_t user) {
    int discarded = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_PIPES; i++) {
        int waiting = 0;
        if (pipes[i].writing != writing_end || ioctl(pipes[i].reading, FIONREAD, &waiting) != 0) {
            continue;
        }
        struct ib_uverbs_comp_event_desc event;
        for (; waiting >= (int)sizeof event; waiting -= (int)sizeof event) {
            if (read(pipes[i].reading, &event, sizeof event) != sizeof event) {
                break;
            }
            if (event.cq_handle == user) {
                discarded++;
            } else if (write(writing_end, &event, sizeof event) != sizeof event) {
                break;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return discarded;
}
