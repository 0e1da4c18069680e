// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * An operation that combines elements of several ranks: one of NCCL's own ({@link NcclOperation}), or one that
 * {@link NcclCommunicator#createScaledSum} creates.
 *
 * @since 0.1.0
 */
public sealed interface NcclReduction permits NcclOperation, NcclScaledSum {}
