// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

/**
 * The type of a flow rule ({@code enum ibv_flow_attr_type}).
 *
 * @since 0.1.0
 */
public enum FlowRuleType {
    /** Takes the packets that match its specs. */
    NORMAL,
    /** Takes all packets that no other rule takes. */
    ALL_DEFAULT,
    /** Takes all multicast packets that no other rule takes. */
    MULTICAST_DEFAULT,
    /** Takes a copy of all packets of the port. */
    SNIFFER
}
