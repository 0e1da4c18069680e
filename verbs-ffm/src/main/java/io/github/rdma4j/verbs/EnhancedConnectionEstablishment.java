// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * What two providers agree on besides the standard ({@code struct ibv_ece}, ibv_query_ece(3)): one side's value travels
 * to the other with the connection request, and comes back as what both can do.
 *
 * @param vendorId the provider's IEEE OUI; 0 is none
 * @param options the provider's own bits
 * @param componentMask which of the fields mean something to the provider
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public record EnhancedConnectionEstablishment(int vendorId, int options, int componentMask) {}
