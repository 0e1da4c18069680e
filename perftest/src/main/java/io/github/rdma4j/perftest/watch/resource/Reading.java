// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

import java.util.List;

/**
 * What the kernel said of queue pairs.
 *
 * @param queuePairs by device, then most of them first
 * @param failure why it said nothing, or not all; empty if it did
 */
public record Reading(List<QueuePairs> queuePairs, String failure) {
    /** Of a kernel that has none. */
    public static final Reading NONE = new Reading(List.of(), "");

    /** Copies the list. */
    public Reading {
        queuePairs = List.copyOf(queuePairs);
    }
}
