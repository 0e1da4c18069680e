// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/**
 * A fault under a load, and its required result.
 *
 * @param fault the fault
 * @param load the load
 * @param oracle the required result
 * @param lengthMillis how long the ends communicate, unless the fault ends it
 * @param silenceMillis the ends' {@code silenceTimeout}
 */
record Scenario(Fault fault, Load load, Oracle oracle, long lengthMillis, long silenceMillis) {
    /**
     * The longest fault with both ends on one machine: twice the silence that an end tolerates. A minute takes longer,
     * and shows nothing else.
     */
    private static final long LONGEST_ON_ONE_MACHINE = 12_000;

    String name() {
        return fault.name() + ", " + load.label();
    }

    /** {@return the same that lasts so long, if that is longer} */
    Scenario lasting(long millis) {
        return new Scenario(fault, load, oracle, Math.max(lengthMillis, millis), silenceMillis);
    }

    /** {@return whether all the time of a campaign is one run's} */
    boolean lastsAsLongAsAsked() {
        return load == Load.SOAK || load == Load.LIVES;
    }

    /** {@return whether two processes of any machine with an adapter can run its fault, in a short time} */
    boolean fitsOneMachine() {
        return !fault.steps().isEmpty()
                && fault.leavesWireAlone()
                && load.needsNoRight()
                && fault.lengthMillis() <= LONGEST_ON_ONE_MACHINE;
    }

    /** {@return how long a run may take before its threads hang} */
    long limitMillis() {
        return lengthMillis + fault.lengthMillis() + (load.isRaw() ? 20_000 : 60_000);
    }
}
