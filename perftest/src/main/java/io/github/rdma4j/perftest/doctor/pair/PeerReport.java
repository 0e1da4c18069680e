// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What was found out about two machines.
 *
 * @param role of this end
 * @param address of the other end; empty if none came
 * @param here what this end reads of itself
 * @param there what the other end reads of itself, if it came to that
 * @param findings in the order in which RDMA would fail
 * @param outcome what it comes to
 */
public record PeerReport(
        Role role,
        String address,
        PeerMachine here,
        Optional<PeerMachine> there,
        List<Finding> findings,
        Outcome outcome) {
    /** What an end does. */
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
     * What findings come to.
     *
     * @param connected whether data went from one end to the other
     */
    public static Outcome outcome(List<Finding> findings, boolean connected) {
        if (!connected) {
            return Outcome.BROKEN;
        }
        return findings.stream().anyMatch(Finding::isTrouble) ? Outcome.TROUBLE : Outcome.OK;
    }

    /** What is slow or broken, the first to be mended first. */
    public List<Finding> trouble() {
        return findings.stream().filter(Finding::isTrouble).toList();
    }
}
