// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.pair.Machines;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.talk.PeerAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Both ends of a doctor on one EFA. Prints the findings of the wire, and the outcome. */
final class DoctorOnLibefa {
    private DoctorOnLibefa() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        // The stand-in has no other GID.
        PeerEnd end = new PeerEnd(
                Machines.with(Machines.efa("fe80:0000:0000:0000:0000:0000:0000:0001")),
                _ -> Map.of("retrans_pkts", 0L),
                false);
        CompletableFuture<String> listening = new CompletableFuture<>();
        Thread server = Thread.ofPlatform()
                .daemon()
                .start(() -> PeerServer.serve(end, 0, Duration.ofSeconds(60), listening::complete));
        Matcher port = Pattern.compile("TCP port (\\d+)").matcher(listening.get(60, TimeUnit.SECONDS));
        if (!port.find()) {
            throw new AssertionError(listening.get());
        }
        PeerReport report = PeerClient.test(
                end,
                new PeerAddress("127.0.0.1", Integer.parseInt(port.group(1))),
                Duration.ofSeconds(60),
                Duration.ofMillis(100));
        server.join(60_000);
        report.findings().stream()
                .filter(finding -> finding.check().section() == Check.Section.WIRE)
                .forEach(finding -> System.out.println(finding + "; " + finding.meaning() + "; " + finding.remedy()));
        System.out.println(report.outcome());
    }
}
