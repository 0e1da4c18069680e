// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the EFA share: where its rings and doorbells have what, by efa_io_defs.h of rdma-core.
#ifndef ADAPTER_H
#define ADAPTER_H

#include "transfer.h"

enum {
    REQUEST_BYTES = 64, // or 128
    INLINE_BYTES = 32,
    BUFFER_BYTES = 16,
    MTU_BYTES = 8192,
    // Places in the page of doorbells; a completion queue has the first one.
    SEND_DOORBELL = 0, RECEIVE_DOORBELL = 4,
    UNKNOWN_ADDRESS = 0xffff,
};

// Statuses of completions.
enum {
    FLUSHED = 1, UNSUPPORTED = 3, INVALID_ADDRESS = 4, INVALID_KEY = 5, BAD_LENGTH = 6, REMOTE_BAD_ADDRESS = 7,
    REMOTE_BAD_PAIR = 9, REMOTE_NOT_READY = 10, REMOTE_BAD_LENGTH = 11, REMOTE_UNKNOWN_PEER = 14, UNREACHABLE = 15,
    REMOTE_MISMATCH = 18,
};

// Room for the requests that a queue pair has fetched and not ended; NULL with errno.
struct waiting *make_waiting(uint32_t requests);

#endif
