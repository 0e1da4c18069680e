// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

/**
 * The messages that are measured over each transport.
 *
 * @param size of a message in bytes
 * @param connections the number of connections
 * @param rate messages per second on all of them together
 */
public record EchoCase(int size, int connections, double rate) {}
