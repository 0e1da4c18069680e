// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Fault injection between two machines. A {@link io.github.rdma4j.campaign.Scenario} is a fault, a load and an oracle,
 * which are independent of each other, and {@link io.github.rdma4j.campaign.Scenarios} is the list.
 * {@code scripts/campaign} starts the machines; docs/testing.md#the-campaign describes it.
 *
 * <p>Machine 1 runs {@link io.github.rdma4j.campaign.Campaign}: it survives every run, so that it can report what a run
 * has left behind. Machine 2 runs {@link io.github.rdma4j.campaign.Agent}, which starts a
 * {@link io.github.rdma4j.campaign.Peer} for each run, a process that may be killed. Both ends of a connection run the
 * same {@link io.github.rdma4j.campaign.Conversation}.
 */
package io.github.rdma4j.campaign;
