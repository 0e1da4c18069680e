// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.verbs.device.Mtu;

/**
 * A port as its open adapter reports it.
 *
 * @param number from 1
 * @param activeMtu the active MTU
 * @param maxMtu the largest MTU that it supports
 * @param maxMessage the largest message in bytes; on EFA the largest send, which is one packet
 */
public record PortFacts(int number, Mtu activeMtu, Mtu maxMtu, long maxMessage) {}
