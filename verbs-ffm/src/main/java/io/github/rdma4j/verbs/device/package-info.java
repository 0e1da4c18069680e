// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The attributes of devices, ports and GID tables: plain values, as of the query of a
 * {@link io.github.rdma4j.verbs.DeviceContext}. For programs that choose a device, a port or a size by these
 * attributes; programs that use the defaults do not need them.
 */
package io.github.rdma4j.verbs.device;
