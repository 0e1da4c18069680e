// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * What a device, its ports and its GID tables say of themselves: plain values, as they were when a
 * {@link io.github.rdma4j.verbs.DeviceContext} was asked. For programs that choose a device, a port or a size by what
 * is there; a program that takes the defaults needs none of it.
 */
package io.github.rdma4j.verbs.device;
