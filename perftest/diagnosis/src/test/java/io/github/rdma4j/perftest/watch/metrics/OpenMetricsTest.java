// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.watch.resource.QueuePairs;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.sample.Ports;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text is held to the grammar of OpenMetrics 1.0.0, as far as it uses it: no parser of it is kept for Java. */
class OpenMetricsTest {
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-z][a-z0-9_]*) (info|gauge|counter)");
    private static final Pattern ABOUT = Pattern.compile("# (UNIT|HELP) ([a-z][a-z0-9_]*) (\\S.*)");
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-z][a-z0-9_]*)\\{([a-z_]+=\"([^\"\\\\\n]|\\\\[\"\\\\n])*\"(,[a-z_]+=\"([^\"\\\\\n]|\\\\[\"\\\\n])*\")*)\\} (\\d+)");

    private static final Reading QUEUE_PAIRS = new Reading(
            List.of(
                    new QueuePairs("mlx5_0", 17, "java", 3, 1),
                    new QueuePairs("mlx5_0", 18, "java", 2, 1),
                    new QueuePairs("mlx5_0", 0, "ib_core", 1, 0),
                    new QueuePairs("rxe0", QueuePairs.UNKNOWN, "", 4, 0)),
            "");

    @TempDir
    private Path root;

    private Ports ports;

    @BeforeEach
    void twoPorts() {
        ports = new Ports(root)
                .up("mlx5_0")
                .traffic("mlx5_0", 25, 10)
                .with("mlx5_0", "hw_counters/np_cnp_sent", "7")
                .up("rxe0")
                .with("rxe0", "state", "1: DOWN")
                .with("rxe0", "hw_counters/sent_pkts", "5");
    }

    private String text() {
        return OpenMetrics.of(new Sampler(root, Optional.empty()).sample(), QUEUE_PAIRS);
    }

    @Test
    void eachLineFollowsTheGrammarAndFamiliesAreNotMixed() {
        List<String> lines = text().lines().toList();
        assertThat(text()).endsWith("\n# EOF\n");
        String family = "";
        String type = "";
        Set<String> families = new HashSet<>();
        Set<String> samples = new HashSet<>();
        for (String line : lines.subList(0, lines.size() - 1)) {
            Matcher types = TYPE.matcher(line);
            Matcher about = ABOUT.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (types.matches()) {
                family = types.group(1);
                type = types.group(2);
                assertThat(families.add(family)).as(line).isTrue();
            } else if (about.matches()) {
                assertThat(about.group(2)).as(line).isEqualTo(family);
                if (about.group(1).equals("UNIT")) {
                    assertThat(family).endsWith("_" + about.group(3));
                }
            } else {
                assertThat(sample.matches()).as(line).isTrue();
                String suffix = switch (type) {
                    case "counter" -> "_total";
                    case "info" -> "_info";
                    default -> "";
                };
                assertThat(sample.group(1)).as(line).isEqualTo(family + suffix);
                assertThat(samples.add(sample.group(1) + sample.group(2)))
                        .as(line)
                        .isTrue();
            }
        }
        assertThat(families).hasSize(9);
    }

    @Test
    void valuesComeWithTheirPort() {
        assertThat(text().lines())
                .contains(
                        "rdma4j_port_info{device=\"mlx5_0\",port=\"1\",link_layer=\"Ethernet\",rate=\"100 Gb/sec (4X EDR)\"} 1",
                        "rdma4j_port_active{device=\"mlx5_0\",port=\"1\"} 1",
                        "rdma4j_port_active{device=\"rxe0\",port=\"1\"} 0",
                        "rdma4j_port_receive_bytes_total{device=\"mlx5_0\",port=\"1\"} 100",
                        "rdma4j_port_transmit_packets_total{device=\"rxe0\",port=\"1\"} 5",
                        "rdma4j_port_trouble_total{device=\"mlx5_0\",port=\"1\",counter=\"np_cnp_sent\",kind=\"congestion\"} 7")
                .noneMatch(line -> line.startsWith("rdma4j_port_receive_bytes_total{device=\"rxe0\""));
    }

    @Test
    void queuePairsAreThoseOfAProgramAndNotOfAProcess() {
        assertThat(text().lines())
                .contains(
                        "rdma4j_queue_pairs{device=\"mlx5_0\",owner=\"java\"} 5",
                        "rdma4j_queue_pairs_failed{device=\"mlx5_0\",owner=\"java\"} 2",
                        "rdma4j_queue_pairs{device=\"mlx5_0\",owner=\"kernel: ib_core\"} 1",
                        "rdma4j_queue_pairs{device=\"rxe0\",owner=\"threads that have ended\"} 4");
        assertThat(OpenMetrics.of(List.of(), new Reading(List.of(), "not reported")))
                .doesNotContain("rdma4j_queue_pairs{");
    }

    @Test
    void specialCharactersOfALabelAreEscaped() {
        ports.with("mlx5_0", "rate", "a\"b\\c\nd");
        assertThat(text()).contains("rate=\"a\\\"b\\\\c\\nd\"}");
    }

    @Test
    void dashboardAsksForWhatIsServed() throws IOException {
        Set<String> served = text().lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.substring(0, line.indexOf('{')))
                .collect(Collectors.toSet());
        String dashboard = Files.readString(Path.of("../../docs/grafana-rdma4j.json"));
        Set<String> asked = Pattern.compile("rdma4j_[a-z_]+")
                .matcher(dashboard)
                .results()
                .map(found -> found.group())
                .collect(Collectors.toSet());
        assertThat(asked).isEqualTo(served);
    }
}
