// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
#ifndef NULL_PROVIDER_H
#define NULL_PROVIDER_H

#include <infiniband/verbs.h>

// What each poll of the queue finds from now on: as many successful receives of 64 bytes, at most 16, with the ids 1, 2, 3, ….
void null_provider_prepare(struct ibv_cq *cq, int completions);

#endif
