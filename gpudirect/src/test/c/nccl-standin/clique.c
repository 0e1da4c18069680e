/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the ranks of a communicator share: memory with a name, so that they can be threads or processes; and how one
 * reaches the memory of another.
 */
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NANOS 2000000

static void initialize(struct clique *clique) {
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&clique->mutex, &shared);
    pthread_condattr_t seen;
    pthread_condattr_init(&seen);
    pthread_condattr_setpshared(&seen, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setclock(&seen, CLOCK_MONOTONIC);
    pthread_cond_init(&clique->changed, &seen);
    atomic_store(&clique->ready, 1);
}

struct clique *clique_map(const char *name, bool make) {
    bool made = false;
    int fd = -1;
    if (make) fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), made = fd >= 0;
    if (fd < 0) fd = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    if (made && ftruncate(fd, sizeof(struct clique))) return NULL;
    /* Another one may have made it a moment ago, and not given it its size yet. */
    for (int i = 0; i < 1000 && lseek(fd, 0, SEEK_END) < (off_t)sizeof(struct clique); i++) usleep(1000);
    struct clique *clique = mmap(NULL, sizeof *clique, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (clique == MAP_FAILED) return NULL;
    if (made) initialize(clique);
    while (!atomic_load(&clique->ready)) usleep(100);
    return clique;
}

void clique_unlink(const char *name) { shm_unlink(name); }

void clique_lock(struct clique *clique) {
    if (pthread_mutex_lock(&clique->mutex) == EOWNERDEAD) pthread_mutex_consistent(&clique->mutex);
}

void clique_unlock(struct clique *clique) { pthread_mutex_unlock(&clique->mutex); }

void clique_changed(struct clique *clique) { pthread_cond_broadcast(&clique->changed); }

bool clique_wait(struct communicator *communicator) {
    if (communicator->aborted) return false;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NANOS;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    struct clique *clique = communicator->clique;
    if (pthread_cond_timedwait(&clique->changed, &clique->mutex, &until) == EOWNERDEAD)
        pthread_mutex_consistent(&clique->mutex);
    return !communicator->aborted;
}

void release(struct communicator *communicator) {
    if (atomic_fetch_sub(&communicator->queued, 1) > 1) return;
    if (communicator->clique) munmap(communicator->clique, sizeof *communicator->clique);
    communicator->clique = NULL;
}

/* Other ranks may be processes that are none of this one's children. */
__attribute__((constructor)) static void let_others_read(void) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

int copy_from(pid_t pid, void *to, uint64_t from, uint64_t bytes) {
    if (pid == getpid()) {
        memcpy(to, (const void *)(uintptr_t)from, bytes);
        return 0;
    }
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes ? 0 : REMOTE_ERROR;
}

int copy_to(pid_t pid, uint64_t to, const void *from, uint64_t bytes) {
    if (pid == getpid()) {
        memcpy((void *)(uintptr_t)to, from, bytes);
        return 0;
    }
    struct iovec here = {(void *)from, bytes}, there = {(void *)(uintptr_t)to, bytes};
    return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes ? 0 : REMOTE_ERROR;
}
