// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Set;

/**
 * The limits and capabilities of an Elastic Fabric Adapter ({@code struct efadv_device_attr}, efadv_query_device(3)).
 *
 * @param maxSendWorkRequests the maximum depth of a send queue
 * @param maxReceiveWorkRequests the maximum depth of a receive queue
 * @param maxSendScatterGather the maximum number of slices of a send; an RDMA operation has one
 * @param maxReceiveScatterGather the maximum number of slices of a receive
 * @param maxInlineData the maximum number of bytes that a send can carry inline. Above 32, which needs rdma-core 63,
 *     the requests are twice as long and the send queue at most half as deep
 * @param maxRdmaSize the maximum number of bytes of an RDMA read or write, 32 bits without a sign; 0 without them
 * @param capabilities what the adapter, its driver and the installed rdma-core support
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public record EfaDeviceAttributes(
        int maxSendWorkRequests,
        int maxReceiveWorkRequests,
        int maxSendScatterGather,
        int maxReceiveScatterGather,
        int maxInlineData,
        long maxRdmaSize,
        Set<EfaCapability> capabilities) {}
