// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/**
 * What the two ends do meanwhile.
 *
 * @param name for the table
 * @param busy whether both send messages of random sizes all the time, and write, add and read in each other's memory;
 *     else they wait for what the other one says at the end
 */
record Load(String name, boolean busy) {
    static final Load BUSY = new Load("busy", true);
    static final Load IDLE = new Load("idle", false);

    static Load of(String name) {
        return name.equals("busy") ? BUSY : IDLE;
    }
}
