// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Options beyond the standard that two providers agree on ({@code struct ibv_ece}, ibv_query_ece(3)). One side sends
 * its options with the connection request, and the other replies with those that both support.
 *
 * @param vendorId the provider's IEEE OUI; 0 is none
 * @param options the provider's own bits
 * @param componentMask which of the fields the provider uses
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public record EnhancedConnectionEstablishment(int vendorId, int options, int componentMask) {}
