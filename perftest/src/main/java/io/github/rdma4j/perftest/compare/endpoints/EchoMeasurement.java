// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.figures.LatencyFigures;

/**
 * The measurement of one transport in one round.
 *
 * @param perSecond messages per second that were answered
 * @param latency of all messages, from the time at which each was due to its echo
 * @param cost CPU time of a message
 * @param moves how often a connection of the client has moved from RDMA to TCP or back; 0 without failover
 */
public record EchoMeasurement(double perSecond, LatencyFigures latency, EchoCost cost, int moves) {}
