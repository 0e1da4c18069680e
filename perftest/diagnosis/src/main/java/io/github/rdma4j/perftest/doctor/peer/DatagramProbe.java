// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.doctor.peer.Remote.Answer;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import java.time.Duration;

/** Tests datagrams in each direction. */
final class DatagramProbe {
    private final Remote remote;
    private final DeviceContext context;
    private final Findings findings;

    DatagramProbe(Remote remote, DeviceContext context, Findings findings) {
        this.remote = remote;
        this.context = context;
        this.findings = findings;
    }

    /**
     * Tests.
     *
     * @param byHand whether queue pairs can be connected without rdma_cm
     */
    void run(Transport transport, boolean byHand) {
        if (transport == Transport.IWARP || !byHand) {
            findings.note(
                    Check.DATAGRAMS,
                    "the transport",
                    transport == Transport.IWARP
                            ? "not tested: iWARP has no datagrams"
                            : "not tested: queue pairs could not be connected without rdma_cm",
                    transport == Transport.IWARP ? "programs must use connections on these machines" : "",
                    "");
            return;
        }
        try (DatagramEnd mine = new DatagramEnd(context, findings.ports().here())) {
            Answer opened = remote.order(Order.DATAGRAMS_OPEN, WireValues.endpoint(mine.endpoint()));
            if (!opened.isGood()) {
                findings.failedThere(Check.DATAGRAMS, findings.host(), opened.failure(), 0);
                return;
            }
            mine.send(WireValues.endpoint(opened.fields()), remote.limits().step());
            Answer counted = remote.order(Order.DATAGRAMS_COUNT);
            Answer sent = remote.order(Order.DATAGRAMS_SEND);
            if (!counted.isGood() || !sent.isGood()) {
                findings.failedThere(
                        Check.DATAGRAMS, findings.host(), (counted.isGood() ? sent : counted).failure(), 0);
                return;
            }
            int there = counted.fields().integer("count", 0, DatagramEnd.COUNT);
            int back = mine.received(remote.limits().atMost(Duration.ofSeconds(1)));
            remote.order(Order.DATAGRAMS_CLOSE);
            arrived(there, back);
        } catch (VerbsException failure) {
            findings.failedHere(Check.DATAGRAMS, "here", Failures.of(failure), 0);
        }
    }

    private void arrived(int there, int back) {
        String seen = there + " of " + DatagramEnd.COUNT + " arrived at " + findings.host() + ", " + back + " of "
                + DatagramEnd.COUNT + " here";
        if (there == DatagramEnd.COUNT && back == DatagramEnd.COUNT) {
            findings.ok(Check.DATAGRAMS, "", "ibv_poll_cq", seen);
        } else if (there == 0 || back == 0) {
            findings.fail(
                    Check.DATAGRAMS,
                    there == 0 ? findings.there() : findings.back(),
                    "ibv_poll_cq",
                    seen,
                    "connections work, but datagrams do not arrive: a queue key is wrong, or a filter drops only"
                            + " datagrams",
                    "check the adapter's filters with rdma resource show qp, and with ethtool -n of the interface");
        } else {
            findings.warning(
                    Check.DATAGRAMS,
                    "",
                    "ibv_poll_cq",
                    seen,
                    "datagrams are lost: the network drops packets. Connections send them again, so only datagrams"
                            + " show the loss",
                    "check PFC and ECN on adapters and switches (rdma4j doctor: flow-control, ecn), then cables");
        }
    }
}
