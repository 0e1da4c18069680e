// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * How elements of several ranks become one: {@link NcclOperation} has NCCL's own, and
 * {@link NcclCommunicator#createScaledSum} makes one.
 *
 * @since 0.1.0
 */
public sealed interface NcclReduction permits NcclOperation, NcclScaledSum {}
