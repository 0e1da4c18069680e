// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** Queries the kernel over netlink(7). */
package io.github.rdma4j.perftest.netlink;
