// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on a cluster of a master, two workers and an application. Their results equal those over Spark's own TCP. */
@Tag("full")
abstract class ClusterJobs {
    private static final String ROWS = System.getProperty("rdma4j.spark.rows", "120000");
    private static final String LENGTH = System.getProperty("rdma4j.spark.length", "500");
    private static final String PARTITIONS = "4";

    /** So that blocks come over the network, and failures are detected soon. */
    private static final Map<String, String> SETTINGS = Map.of(
            "spark.shuffle.readHostLocalDisk", "false",
            "spark.memory.fraction", "0.02",
            "spark.shuffle.io.maxRetries", "1",
            "spark.shuffle.io.retryWait", "1s",
            "spark.excludeOnFailure.enabled", "false");

    @TempDir
    Path home;

    /** The addresses of two workers. */
    abstract List<String> addresses();

    /** What an executor logs of how it fetches blocks. */
    abstract String fetched();

    /** The number of packets that the devices have sent. */
    abstract long packets() throws IOException;

    private static Map<String, String> with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(SETTINGS);
        all.putAll(more);
        return all;
    }

    private static Map<String, String> rdma() {
        return with(Map.of("spark.shuffle.io.mode", "RDMA"));
    }

    private SparkCluster.Running submit(SparkCluster cluster, Map<String, String> settings) throws IOException {
        return cluster.submit(addresses().getFirst(), settings, ShuffleJobs.class, ROWS, LENGTH, PARTITIONS);
    }

    /** {@return how many bytes were fetched from other executors} */
    private static long remote(SparkCluster.Running job) throws InterruptedException {
        String[] bytes = job.await("BYTES remote=").split(" spilled=");
        assertThat(Long.parseLong(bytes[1])).as("spilled bytes").isPositive();
        return Long.parseLong(bytes[0]);
    }

    private SparkCluster cluster() throws Exception {
        SparkCluster cluster = new SparkCluster(home, addresses().getFirst());
        for (String address : addresses()) {
            cluster.startWorker(address, 1, Map.of());
        }
        return cluster;
    }

    @Test
    void resultsEqualThoseOverTcp() throws Exception {
        try (SparkCluster cluster = cluster()) {
            long before = packets();
            SparkCluster.Running overTcp = submit(cluster, SETTINGS);
            String expected = overTcp.await("RESULT ");
            remote(overTcp);
            assertThat(packets()).as("packets of the job over TCP").isEqualTo(before);
            assertThat(cluster.logsOfExecutors()).noneMatch(line -> line.contains("Spark fetches blocks"));
            SparkCluster.Running job = submit(cluster, rdma());
            assertThat(job.await("RESULT ")).isEqualTo(expected);
            check(remote(job), packets() - before);
            List<String> lines = cluster.logsOfExecutors();
            for (String address : addresses()) {
                assertThat(lines)
                        .filteredOn(line -> line.contains("Spark fetches blocks from " + address))
                        .as("once for each peer")
                        .isNotEmpty()
                        .allMatch(line -> line.contains(fetched()))
                        .hasSizeLessThanOrEqualTo(2);
            }
        }
    }

    /** Compares what was fetched with the packets that devices have sent. */
    abstract void check(long bytes, long packets);

    @Test
    void killedExecutorIsReplacedAndResultsAreRight() throws Exception {
        try (SparkCluster cluster = cluster()) {
            String expected = submit(cluster, rdma()).await("RESULT ");
            SparkCluster.Running job = submit(cluster, rdma());
            job.await("REDUCING");
            job.await("REDUCING");
            cluster.executors().getFirst().destroyForcibly();
            assertThat(job.await("RESULT ")).isEqualTo(expected);
            assertThat(job.lines()).anyMatch(line -> line.contains("Lost executor"));
        }
    }

    /** The blocks of a killed executor are still there. */
    @Test
    void shuffleServiceServesOverTheSameTransport() throws Exception {
        Map<String, String> service = Map.of("spark.shuffle.service.enabled", "true", "spark.shuffle.io.mode", "RDMA");
        try (SparkCluster cluster = new SparkCluster(home, addresses().getFirst())) {
            cluster.startWorker(addresses().getLast(), 2, service);
            SparkCluster.Running job = submit(cluster, with(service));
            job.await("REDUCING");
            job.await("REDUCING");
            cluster.executors().getFirst().destroyForcibly();
            String result = job.await("RESULT ");
            remote(job);
            assertThat(job.lines()).anyMatch(line -> line.contains("Lost executor"));
            assertThat(submit(cluster, SETTINGS).await("RESULT ")).isEqualTo(result);
            assertThat(cluster.logsOfExecutors())
                    .anyMatch(line -> line.contains(
                                    "Spark fetches blocks from " + addresses().getLast())
                            && line.contains(fetched()));
        }
    }
}
