// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Queries devices and ports, and converts the native results to the values of {@code io.github.rdma4j.verbs.device}.
 * Not exported.
 */
package io.github.rdma4j.verbs.internal.device;
