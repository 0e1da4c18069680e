// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.ArrayList;
import java.util.List;

/**
 * How one connection of a {@link Life} ended, as both sides recorded it.
 *
 * @param transport what carried it at first
 * @param dead the records of the killed process
 * @param survivor the exception that the other end got
 */
record Death(Transport transport, Ledger.Page dead, Survivor survivor) {
    /**
     * The end that survives.
     *
     * @param report of its conversation
     * @param seed of the killed process's operations in its memory
     * @param memory that memory, at the end
     * @param taken how many of its messages the killed process is known to have read
     * @param afterMillis from the death to the last thread that got an exception; negative if that was before
     * @param closeMillis how long its close took
     */
    record Survivor(EndReport report, long seed, byte[] memory, long taken, long afterMillis, long closeMillis) {
        boolean isClosed() {
            return report.failure().startsWith("ClosedByPeerException");
        }
    }

    /** The kernel of the dead process reports it; a machine whose time others take needs seconds to end a process. */
    static final long LIMIT_MILLIS = 10_000;

    /** @return how the death was reported: in one word, or the name of an exception and its reason */
    String reported() {
        if (survivor == null) {
            return "not connected";
        }
        EndReport report = survivor.report();
        return report.whole() ? "all arrived" : survivor.isClosed() ? "closed" : Campaign.reason(report.failure());
    }

    /** {@return whether the connection was begun and had not ended} */
    boolean isCutShort() {
        return dead.phase() != Ledger.Phase.BEFORE && dead.phase() != Ledger.Phase.ENDED;
    }

    /** {@return all of it for a file} */
    String line() {
        return "%s %s %d %d %d %s %d"
                .formatted(
                        transport,
                        dead.phase(),
                        dead.acknowledged(),
                        dead.received(),
                        dead.transfers(),
                        reported(),
                        survivor == null ? -1 : survivor.afterMillis());
    }

    /** {@return whether any thread had to get an exception because of the death} */
    boolean isLost() {
        return survivor != null && !survivor.report().whole() && !survivor.isClosed();
    }

    /** {@return the errors; empty if everything is as required} */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        if (survivor == null) {
            if (dead.phase().compareTo(Ledger.Phase.FIRST) >= 0) {
                complaints.add("its peer was connected, and nobody has accepted it");
            }
            return complaints;
        }
        EndReport report = survivor.report();
        if (dead.phase() == Ledger.Phase.BEFORE) {
            complaints.add("accepted before it connected");
        }
        if (!report.wrong().isEmpty()) {
            complaints.add(report.wrong());
        }
        if (!report.hung().isEmpty()) {
            complaints.add("hangs: " + report.hung());
        }
        if ((report.whole() || survivor.isClosed()) && dead.phase().compareTo(Ledger.Phase.CLOSING) < 0) {
            complaints.add("looks like an orderly end: " + reported());
        }
        if (!report.whole() && report.failure().isEmpty()) {
            complaints.add("got no exception");
        }
        if (survivor.afterMillis() > LIMIT_MILLIS || survivor.closeMillis() > LIMIT_MILLIS) {
            complaints.add("got its exception after %d ms, and closed in %d ms"
                    .formatted(survivor.afterMillis(), survivor.closeMillis()));
        }
        if (report.received() < dead.acknowledged()) {
            complaints.add(dead.acknowledged() + " messages were acknowledged, and " + report.received() + " came");
        }
        // The program may have read one more message that it had not recorded.
        if (survivor.taken() > dead.received() + 1) {
            complaints.add(survivor.taken() + " messages count as read, and the program got " + dead.received());
        }
        if (survivor.memory().length > 0) {
            String complaint = Work.complaint(survivor.memory(), survivor.seed(), dead.transfers());
            if (!complaint.isEmpty()) {
                complaints.add(complaint);
            }
        } else if (dead.transfers() > 0) {
            complaints.add("has no memory in which " + dead.transfers() + " steps were done");
        }
        return complaints;
    }
}
