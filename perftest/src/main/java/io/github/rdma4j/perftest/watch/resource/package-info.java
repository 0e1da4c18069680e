// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** Who has queue pairs: what {@code rdma resource show qp} asks the kernel, by netlink. */
package io.github.rdma4j.perftest.watch.resource;
