// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

import java.util.List;

/**
 * The queue pairs that the kernel reports.
 *
 * @param queuePairs by device, the largest number first
 * @param failure why the report is missing or incomplete; empty if it is complete
 */
public record Reading(List<QueuePairs> queuePairs, String failure) {
    /** The reading of a kernel that has no queue pairs. */
    public static final Reading NONE = new Reading(List.of(), "");

    /** Copies the list. */
    public Reading {
        queuePairs = List.copyOf(queuePairs);
    }
}
