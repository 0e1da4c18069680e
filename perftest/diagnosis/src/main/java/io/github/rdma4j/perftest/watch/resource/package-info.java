// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** Lists the owners of queue pairs, which the kernel reports by netlink as for {@code rdma resource show qp}. */
package io.github.rdma4j.perftest.watch.resource;
