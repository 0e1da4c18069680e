// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.OptionalInt;

/**
 * The interconnects by which an Elastic Fabric Adapter reaches a memory region ({@code struct efadv_mr_attr},
 * efadv_query_mr(3)). Each is empty if the adapter does not report it. Two regions with the same numbers share a path.
 *
 * @param receive for receives into the region, 16 bits without a sign
 * @param rdmaRead for the data of RDMA reads
 * @param rdmaReceive for RDMA writes of peers
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public record EfaInterconnects(OptionalInt receive, OptionalInt rdmaRead, OptionalInt rdmaReceive) {}
