// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/** A list of open resources, closed from the last to the first. */
final class Opened implements AutoCloseable {
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /** Remembers a resource. */
    <T extends AutoCloseable> T keep(T resource) {
        resources.push(resource);
        return resource;
    }

    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception _) {
                // Close the next one nevertheless; closing the device ends the rest.
            }
        }
    }
}
