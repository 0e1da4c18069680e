// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin of QEMU's emulator that counts the instructions of a guest. count.sh compiles it; docs/testing.md describes
// the file that it writes. A program sets a mark by calling sched_get_priority_max(3), whose system call nothing else needs.
// The plugin writes a record at each mark, and from an odd mark to the next one at each hundredth call of write(2) as well,
// which is how SoftRoCE's library rings the doorbell: so the records divide a loop of requests into parts, with nothing in them
// that stands before or behind the loop. Both calls are known by the machine instructions of the C library's functions.
// syscall(2) counts as write(2), since rdma4j rings by it; whatever else is called by it in a loop makes a part too short.
//
// The declarations are version 1 of the interface (QEMU 6.0 to 8.2), whose header Debian does not package.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { ADD_U64 };
enum { NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *counter, uint64_t operand);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *, void (*)(unsigned cpu, void *), int registers, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

EXPORT int qemu_plugin_version = 1;

static const uint64_t WRITES = 100;

// A block that is executed less often between two records is not reported.
static const uint64_t OFTEN = 20;

// A stretch of instructions outside the kernel that the emulator has translated, and how often it has been executed. There
// are more and more: what the emulator forgets and translates again is a new block. A million of them is usual, and each record
// reads all of them, which takes a tenth of the time when they lie in the order of their addresses in memory.
struct block {
    uint64_t address;
    uint64_t instructions;
    uint64_t executions;
    uint64_t reported;
};

enum { BLOCKS = 1 << 16 };

// The translated code has the addresses of blocks: they never move.
struct chunk {
    struct chunk *next;
    size_t used;
    struct block blocks[BLOCKS];
};

static struct chunk *first, *last;
static FILE *out;
static uint64_t marks, writes, kernel;

static struct block *new_block(void) {
    if (!last || last->used == BLOCKS) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        if (!chunk) {
            abort();
        }
        *(last ? &last->next : &first) = chunk;
        last = chunk;
    }
    return &last->blocks[last->used++];
}

// At the beginning of what is counted, no blocks are reported: there would be tens of thousands, all of what ran before.
static void record(const char *why, uint64_t number, bool begins) {
    uint64_t user = 0;
    for (struct chunk *chunk = first; chunk; chunk = chunk->next) {
        for (struct block *block = chunk->blocks; block < chunk->blocks + chunk->used; block++) {
            user += block->executions * block->instructions;
        }
    }
    fprintf(out, "%s %" PRIu64 "\nuser %" PRIu64 "\nkernel %" PRIu64 "\n", why, number, user, kernel);
    for (struct chunk *chunk = first; chunk; chunk = chunk->next) {
        for (struct block *block = chunk->blocks; block < chunk->blocks + chunk->used; block++) {
            uint64_t executions = block->executions - block->reported;
            block->reported = block->executions;
            if (executions >= OFTEN && !begins) {
                fprintf(out, "block %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", block->address, block->instructions, executions);
            }
        }
    }
    fputs("end\n", out);
    fflush(out);
}

static void marked(unsigned cpu, void *unused) {
    (void)cpu;
    (void)unused;
    marks++;
    record("mark", marks, marks % 2);
}

static void written(unsigned cpu, void *unused) {
    (void)cpu;
    (void)unused;
    if (marks % 2 && ++writes % WRITES == 0) {
        record("writes", writes, false);
    }
}

static bool is(const struct qemu_plugin_insn *instruction, const unsigned char *bytes, size_t size) {
    return qemu_plugin_insn_size(instruction) == size && !memcmp(qemu_plugin_insn_data(instruction), bytes, size);
}

// Whether the block ends with some instruction of five bytes and a system call.
static bool ends_with(const struct qemu_plugin_tb *tb, size_t instructions, const unsigned char first[5]) {
    const unsigned char call[] = {0x0f, 0x05};
    return instructions >= 2 && is(qemu_plugin_tb_get_insn(tb, instructions - 2), first, 5)
        && is(qemu_plugin_tb_get_insn(tb, instructions - 1), call, sizeof call);
}

// mov $number, %eax; syscall.
static bool ends_with_call(const struct qemu_plugin_tb *tb, size_t instructions, unsigned char number) {
    const unsigned char move[] = {0xb8, number, 0, 0, 0};
    return ends_with(tb, instructions, move);
}

// As syscall(2) ends: mov 8(%rsp), %r9; syscall.
static bool ends_with_any_call(const struct qemu_plugin_tb *tb, size_t instructions) {
    const unsigned char move[] = {0x4c, 0x8b, 0x4c, 0x24, 8};
    return ends_with(tb, instructions, move);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb) {
    uint64_t address = qemu_plugin_tb_vaddr(tb);
    (void)id;
    if (address >> 63) {
        qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &kernel, qemu_plugin_tb_n_insns(tb));
        return;
    }
    struct block *block = new_block();
    block->address = address;
    block->instructions = qemu_plugin_tb_n_insns(tb);
    qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &block->executions, 1);
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, block->instructions - 1);
    if (ends_with_call(tb, block->instructions, SYS_write) || ends_with_any_call(tb, block->instructions)) {
        qemu_plugin_register_vcpu_insn_exec_cb(last, written, NO_REGISTERS, NULL);
    } else if (ends_with_call(tb, block->instructions, SYS_sched_get_priority_max)) {
        qemu_plugin_register_vcpu_insn_exec_cb(last, marked, NO_REGISTERS, NULL);
    }
}

// The one argument is out=FILE.
EXPORT int qemu_plugin_install(uint64_t id, const void *machine, int count, char **arguments) {
    (void)machine;
    if (count != 1 || strncmp(arguments[0], "out=", 4) || !(out = fopen(arguments[0] + 4, "w"))) {
        perror("softroce: the file for the counts");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
