// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// late-threads SEED MOST GAP COMMAND [ARGUMENT]...: runs a command, and stops one thread at a time of the JVMs that it starts, by
// ptrace(2), for 1 to MOST milliseconds, short ones as often as ten times as long ones; then a pause of up to 2 x GAP. Half of the
// stops are of the thread that runs the tests. At the end it says how many there were. Exit status: the command's.

#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4096

static pid_t command;
static int status = -1;

// A process that ends under the tracer stays a zombie until the tracer has also reaped it; its parent would wait forever.
static void reap(void) {
    int how;
    for (pid_t one; (one = waitpid(-1, &how, __WALL | WNOHANG)) > 0;) {
        if (one == command && (WIFEXITED(how) || WIFSIGNALED(how)))
            status = how;
        else if (WIFSTOPPED(how))
            ptrace(PTRACE_DETACH, one, 0, 0);
    }
}

static void sleep_ms(double ms) {
    struct timespec left = {(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

// The first line of a file of /proc; false if it has gone.
static bool first_line(char *line, int size, const char *format, int process, int thread) {
    char path[64];
    snprintf(path, sizeof path, format, process, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool there = fgets(line, size, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    return there;
}

static int parent_of(int process) {
    char line[512];
    int parent = 0;
    // Behind the name, which may have anything in it.
    if (first_line(line, sizeof line, "/proc/%d/stat", process, 0) && strrchr(line, ')') != NULL)
        sscanf(strrchr(line, ')') + 1, " %*c %d", &parent);
    return parent;
}

static bool is_ours(int process) {
    for (int up = process; up > 1; up = parent_of(up))
        if (up == command)
            return true;
    return false;
}

// The JVM's own threads are left alone for the most part: a stopped one stops all others.
static bool is_of_jvm(const char *name) {
    static const char *const NAMES[] = {"GC ", "G1 ", "VM ", "C1 ", "C2 ", "Signal", "Service", "Monitor", "Notification",
        "Common-Cleaner", "Finalizer", "Reference", "JFR", "Attach"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0)
            return true;
    return false;
}

// A thread to stop; 0 if there is none.
static int choose(void) {
    static int threads[THREADS];
    static bool of_jvm[THREADS];
    int count = 0, test = -1;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        char name[64], path[64];
        int process = isdigit(entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (process == 0 || !first_line(name, sizeof name, "/proc/%d/comm", process, 0) || strcmp(name, "java") != 0 || !is_ours(process))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task", process);
        DIR *tasks = opendir(path);
        for (struct dirent *task; tasks != NULL && count < THREADS && (task = readdir(tasks)) != NULL;) {
            int thread = isdigit(task->d_name[0]) ? atoi(task->d_name) : 0;
            // The first one only waits for the second, which runs main.
            if (thread == 0 || thread == process || !first_line(name, sizeof name, "/proc/%d/task/%d/comm", process, thread))
                continue;
            of_jvm[count] = is_of_jvm(name);
            if (test < 0 && (strcmp(name, "java") == 0 || strcmp(name, "main") == 0 || strncmp(name, "ForkJoinPool-1", 14) == 0))
                test = count;
            threads[count++] = thread;
        }
        if (tasks != NULL)
            closedir(tasks);
    }
    if (processes != NULL)
        closedir(processes);
    if (count == 0)
        return 0;
    if (test >= 0 && drand48() < 0.5)
        return threads[test];
    int chosen = (int)(drand48() * count);
    return of_jvm[chosen] && drand48() >= 0.15 ? 0 : threads[chosen];
}

// Whether it was stopped.
static bool stop(int thread, double ms) {
    int how;
    if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0)
        return false;
    if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0 || waitpid(thread, &how, __WALL) != thread || !WIFSTOPPED(how))
        return false;
    // Its own signal, if one came before the stop, goes on to it.
    int signal = how >> 16 ? 0 : WSTOPSIG(how);
    sleep_ms(ms);
    ptrace(PTRACE_DETACH, thread, 0, signal);
    return true;
}

int main(int count, char **arguments) {
    if (count < 5)
        return 2;
    srand48(atol(arguments[1]));
    double most = atof(arguments[2]), gap = atof(arguments[3]);
    command = fork();
    if (command == 0) {
        execvp(arguments[4], arguments + 4);
        perror(arguments[4]);
        _exit(127);
    }
    long stops = 0;
    while (command > 0 && status == -1) {
        int thread = choose();
        if (thread != 0 && stop(thread, pow(most, drand48())))
            stops++;
        reap();
        sleep_ms(2 * gap * drand48());
    }
    fprintf(stderr, "late-threads: %ld stops of a thread\n", stops);
    return status == -1 ? 1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
