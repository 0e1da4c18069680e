/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the stand-ins of this folder share: which calls fail, how often each was called, and the stand-in for CUDA's driver
 * that they work on. The caller sees to it that one thread at a time is in here.
 */
#ifndef STANDIN_CALLS_H
#define STANDIN_CALLS_H

/* Nothing fails, nothing was called. */
void forget_calls(void);

/* Takes the settings that all stand-ins have: cuda, fail, then and no-failures. 0 taken, -1 it makes no sense, 1 it is another. */
int set_shared(const char *key, const char *value);

/* Takes settings from a variable of the environment, KEY=VALUE with commas; what is not understood ends the program. */
void set_from_environment(const char *variable, int (*set)(const char *key, const char *value));

/* A call is made: the code that it is to fail with, or 0. */
int note_call(const char *call);

/* Failures that still wait for their call. */
long pending_failures(void);

/* How often a call was made. */
long calls_of(const char *call);

/* A function of the driver; without it the program ends. */
void *cuda(const char *symbol);

#endif
