// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A comparison of RDMA with plain TCP as text, with the CPU time per message. */
final class TcpTable {
    private static final String HEADING = "%-13s %9s  %-18s %12s %12s %12s %12s %8s %8s%n";
    private static final int RATIO_DECIMALS = 2;

    private TcpTable() {}

    /**
     * Returns the table: a heading, the lines of each case, and an explanation of the columns.
     *
     * @param cases at least one
     */
    static String of(List<CaseResult> cases, Conditions conditions) {
        StringBuilder text = new StringBuilder(
                line("tool", "bytes", "median", "RDMA Java", "RDMA C", "TCP Java", "TCP C", "Java", "C"));
        for (CaseResult result : cases) {
            List<Metric> metrics = new ArrayList<>();
            metrics.add(Metric.of(result.test().tool()).getFirst());
            metrics.addAll(Metric.costs());
            metrics.forEach(metric -> text.append(row(result, metric)));
        }
        text.append("The last two columns: how many times RDMA is better than plain TCP, in Java and in C. Rounds: ")
                .append(cases.getFirst().rounds().size())
                .append(", of TCP ")
                .append(cases.getFirst().of(Implementation.TCP_JAVA).size())
                .append(".\n");
        text.append("CPU/message: user and system time of the processes of both ends; machine/msg: what all"
                + " processors" + (conditions.server() == null ? "" : " of both machines")
                + " were busy with, the kernel's own threads and other programs included. Without start and"
                + " handshake; spinning counts.\n");
        if (conditions.software() && cases.stream().anyMatch(TcpTable::isSlowerThanTcp)) {
            text.append("Bandwidth: ")
                    .append(conditions.device())
                    .append(" has no hardware. The kernel plays the adapter, packet by packet, without the offloads"
                            + " that TCP has, so RDMA is the slower one here; the rows are for adapters, where"
                            + " the same command shows the gain.\n");
        }
        for (CaseResult result : cases) {
            for (Implementation implementation : List.of(Implementation.TCP_JAVA, Implementation.TCP_C)) {
                text.append(otherSize(result, implementation));
            }
        }
        return text.toString();
    }

    private static boolean isSlowerThanTcp(CaseResult result) {
        return !result.test().tool().isLatency()
                && result.median(Implementation.JAVA, Metric.AVERAGE_BANDWIDTH)
                        < result.median(Implementation.TCP_JAVA, Metric.AVERAGE_BANDWIDTH);
    }

    /**
     * Returns a line if the row has another size than the sent messages, because not every program can send every size.
     */
    private static String otherSize(CaseResult result, Implementation implementation) {
        long asked = result.test().size();
        List<Measurement> measurements = result.of(implementation);
        long sent = measurements.isEmpty() ? asked : measurements.getFirst().bytes(asked);
        return sent == asked
                ? ""
                : implementation.title() + " beside " + result.test() + ": messages of " + sent
                        + " bytes, its smallest.\n";
    }

    private static String row(CaseResult result, Metric metric) {
        double java = result.median(Implementation.JAVA, metric);
        double c = result.median(Implementation.C, metric);
        double tcpJava = result.median(Implementation.TCP_JAVA, metric);
        double tcpC = result.median(Implementation.TCP_C, metric);
        return line(
                result.test().tool().command(),
                result.test().size(),
                metric.title(),
                number(java, metric.decimals()),
                number(c, metric.decimals()),
                number(tcpJava, metric.decimals()),
                number(tcpC, metric.decimals()),
                number(metric.lowerIsBetter() ? tcpJava / java : java / tcpJava, RATIO_DECIMALS),
                number(metric.lowerIsBetter() ? tcpC / c : c / tcpC, RATIO_DECIMALS));
    }

    private static String line(Object... values) {
        return String.format(Locale.ROOT, HEADING, values);
    }

    private static String number(double value, int decimals) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
