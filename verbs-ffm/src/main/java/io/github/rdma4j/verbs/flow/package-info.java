// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Flow steering: selects which packets of a port go to a queue pair, and what happens to them. For programs that
 * receive raw packets or datagrams on an adapter with flow steering; other transfers do not need it.
 *
 * <p>A {@link io.github.rdma4j.verbs.flow.FlowRule} is created on a queue pair. Its
 * {@link io.github.rdma4j.verbs.flow.FlowSpec specs} are headers that a packet must have, and actions: a mark, a drop,
 * an IPsec {@link io.github.rdma4j.verbs.flow.FlowAction}, or {@link io.github.rdma4j.verbs.flow.Counters}.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 */
package io.github.rdma4j.verbs.flow;
