// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The doctor's report about two machines.
 *
 * @param role the role of this end
 * @param address the other end's address; empty if none has connected
 * @param here the readings of this end
 * @param there the readings of the other end, if it has sent them
 * @param findings in the order in which RDMA would fail
 * @param outcome the outcome of the findings
 */
public record PeerReport(
        Role role,
        String address,
        PeerMachine here,
        Optional<PeerMachine> there,
        List<Finding> findings,
        Outcome outcome) {
    /** The role of an end. */
    public enum Role {
        /** It tests. */
        CLIENT,
        /** It is tested. */
        SERVER
    }

    /** Sorts the findings. */
    public PeerReport {
        findings =
                findings.stream().sorted(Comparator.comparing(Finding::check)).toList();
    }

    /**
     * Returns the outcome of findings.
     *
     * @param connected whether data arrived from one end at the other
     */
    public static Outcome outcome(List<Finding> findings, boolean connected) {
        if (!connected) {
            return Outcome.BROKEN;
        }
        return findings.stream().anyMatch(Finding::isTrouble) ? Outcome.TROUBLE : Outcome.OK;
    }

    /** Returns the findings of slow or broken things, in the order in which to fix them. */
    public List<Finding> trouble() {
        return findings.stream().filter(Finding::isTrouble).toList();
    }
}
