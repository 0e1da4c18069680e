// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/**
 * A thing that is done to a machine.
 *
 * @param afterMillis when: so long behind the beginning of the fault
 * @param place on which machines
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
