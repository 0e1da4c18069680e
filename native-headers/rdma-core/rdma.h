/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The umbrella header: everything the bindings are made from. One header for all runs of jextract, because
 * rdma_cma.h includes verbs.h and two separate umbrellas would give two copies of every ibv_* struct.
 */
#include <infiniband/verbs.h>
#include <infiniband/efadv.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
