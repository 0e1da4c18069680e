// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/**
 * A command on a machine.
 *
 * @param afterMillis the time after the start of the fault
 * @param place the machines
 * @param command for the shell, as root of the guest; {@code $PEER} is the peer's process
 */
record Step(long afterMillis, Place place, String command) {
    enum Place {
        HERE,
        THERE,
        BOTH;

        boolean isHere() {
            return this != THERE;
        }

        boolean isThere() {
            return this != HERE;
        }
    }

    /** {@return the same, as a line for {@link Agent}} */
    String line() {
        return afterMillis + "\t" + command;
    }
}
