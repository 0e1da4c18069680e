// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.TestParameters;

/**
 * How large the resources of one side are.
 *
 * @param queuePairs number of queue pairs
 * @param size largest message in bytes
 * @param transmitDepth most messages under way per queue pair
 */
record Shape(int queuePairs, long size, int transmitDepth) {
    /** What the parameters ask for. */
    static Shape of(TestParameters parameters) {
        return new Shape(parameters.queues().queuePairs(), parameters.size(), parameters.transmitDepth());
    }
}
