// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.doctor.pair.FailureExplanation;
import io.github.rdma4j.perftest.doctor.pair.PortPair;
import java.util.ArrayList;
import java.util.List;

/** Collects the findings of the tests between two ends. */
final class Findings {
    private final String host;
    private final PortPair ports;
    private final List<Finding> found = new ArrayList<>();
    private boolean connectedByCm;

    /**
     * Creates an empty list.
     *
     * @param host the user's name for the other end
     */
    Findings(PortPair ports, String host) {
        this.ports = ports;
        this.host = host;
    }

    /** Returns the tested ports. */
    PortPair ports() {
        return ports;
    }

    /** All so far. */
    List<Finding> all() {
        return List.copyOf(found);
    }

    /** rdma_cm has connected the ends: what does not arrive from now on is no firewall's work. */
    void connectedByCm() {
        connectedByCm = true;
    }

    /** Names the direction from this end to the other. */
    String there() {
        return "here -> " + host;
    }

    /** Names the direction from the other end to this one. */
    String back() {
        return host + " -> here";
    }

    /** The other end, as the user calls it. */
    String host() {
        return host;
    }

    void ok(Check check, String subject, String source, String seen) {
        add(check, subject, source, OK, seen, "", "");
    }

    void note(Check check, String source, String seen, String meaning, String remedy) {
        add(check, "", source, NOTE, seen, meaning, remedy);
    }

    void warning(Check check, String subject, String source, String seen, String meaning, String remedy) {
        add(check, subject, source, WARNING, seen, meaning, remedy);
    }

    void fail(Check check, String subject, String source, String seen, String meaning, String remedy) {
        add(check, subject, source, FAIL, seen, meaning, remedy);
    }

    /** This end has seen a failure. */
    void failedHere(Check check, String subject, Failure failure, int mtu) {
        found.add(new FailureExplanation(ports, host, connectedByCm)
                .finding(check, at(check, subject, mtu), failure, mtu, ""));
    }

    /** Adds a failure that the other end reports. */
    void failedThere(Check check, String subject, Failure failure, int mtu) {
        found.add(new FailureExplanation(ports, host, connectedByCm)
                .finding(check, at(check, subject, mtu), failure, mtu, host + " reports: "));
    }

    /** Which of the sizes of packets it was. */
    private static String at(Check check, String subject, int mtu) {
        return check == Check.PATH_MTU ? subject + " at path MTU " + mtu : subject;
    }

    void add(Finding finding) {
        found.add(finding);
    }

    private void add(
            Check check,
            String subject,
            String source,
            FindingState state,
            String seen,
            String meaning,
            String remedy) {
        found.add(new Finding(check, subject, source, state, seen, meaning, remedy));
    }
}
