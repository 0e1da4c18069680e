// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on a cluster of a master, workers and an application. Their results equal those over Spark's own TCP. */
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

    /** All machines see this folder. */
    @TempDir(factory = InTarget.class)
    Path home;

    private final List<CommandServer> servers = new ArrayList<>();

    /** The addresses of the workers. */
    abstract List<String> addresses();

    /** The address of the master and of the applications. */
    String master() {
        return addresses().getFirst();
    }

    /** The addresses of this machine. */
    List<String> own() {
        return addresses();
    }

    @BeforeEach
    void startServers() throws IOException {
        for (String address : own()) {
            servers.add(new CommandServer(address));
        }
    }

    @AfterEach
    void closeServers() throws IOException {
        for (CommandServer server : servers) {
            server.close();
        }
    }

    /** What an executor logs of how it fetches blocks. */
    abstract String fetched();

    /** The number of packets that the devices have sent. */
    abstract long packets() throws IOException, InterruptedException;

    private static Map<String, String> with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(SETTINGS);
        all.putAll(more);
        return all;
    }

    private static Map<String, String> rdma(Map<String, String> more) {
        Map<String, String> all = with(more);
        all.put("spark.shuffle.io.mode", "RDMA");
        return all;
    }

    private SparkCluster.Running submit(SparkCluster cluster, Map<String, String> settings, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(ROWS, LENGTH, PARTITIONS));
        arguments.addAll(List.of(more));
        return cluster.submit(master(), settings, ShuffleJobs.class, arguments.toArray(String[]::new));
    }

    /** Kills an executor of the last worker. */
    private void killExecutor() throws IOException, InterruptedException {
        try (SparkCluster.Running kill = new SparkCluster.Running(addresses().getLast(), List.of(CommandServer.KILL))) {
            assertThat(kill.await(CommandServer.KILLED)).startsWith("true");
        }
    }

    /** {@return how many bytes were fetched from other executors} */
    private static long remote(SparkCluster.Running job) throws InterruptedException {
        String[] bytes = job.await("BYTES remote=").split(" spilled=");
        assertThat(Long.parseLong(bytes[1])).as("spilled bytes").isPositive();
        return Long.parseLong(bytes[0]);
    }

    private SparkCluster cluster(Map<String, String> settings) throws Exception {
        SparkCluster cluster = new SparkCluster(home, master(), settings);
        for (String address : addresses()) {
            cluster.startWorker(address, 1, settings);
        }
        return cluster;
    }

    /** All connections have TLS, with the keys of Spark's own tests. */
    private Map<String, String> tls() throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of("spark.ssl.rpc.enabled", "true"));
        for (String store : List.of("keyStore", "trustStore")) {
            Path file = home.resolve(store);
            try (InputStream in = ClusterJobs.class.getResourceAsStream("/" + store.toLowerCase(Locale.ROOT))) {
                Files.copy(in, file);
            }
            settings.put("spark.ssl.rpc." + store, file.toString());
            settings.put("spark.ssl.rpc." + store + "Password", "password");
        }
        settings.put("spark.ssl.rpc.keyPassword", "password");
        return settings;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resultsEqualThoseOverTcp(boolean tls) throws Exception {
        Map<String, String> security = tls ? tls() : Map.of();
        try (SparkCluster cluster = cluster(security)) {
            long before = packets();
            SparkCluster.Running overTcp = submit(cluster, with(security));
            String expected = overTcp.await("RESULT ");
            remote(overTcp);
            assertThat(packets()).as("packets of the job over TCP").isEqualTo(before);
            assertThat(cluster.logsOfExecutors()).noneMatch(line -> line.contains("Spark fetches blocks"));
            SparkCluster.Running job = submit(cluster, rdma(security));
            assertThat(job.await("RESULT ")).isEqualTo(expected);
            check(remote(job), packets() - before);
            List<String> lines = cluster.logsOfExecutors();
            assertThat(lines)
                    .filteredOn(line -> line.contains("RPC SSL "))
                    .isNotEmpty()
                    .allMatch(line -> line.contains(tls ? "RPC SSL enabled" : "RPC SSL disabled"));
            for (String address : addresses()) {
                assertThat(lines)
                        .filteredOn(line -> line.contains("Spark fetches blocks from " + address))
                        .as("once for each peer")
                        .isNotEmpty()
                        .allMatch(line -> line.contains(fetched()))
                        .hasSizeLessThanOrEqualTo(addresses().size());
            }
        }
    }

    private static final class InTarget implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
            return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "spark-");
        }
    }

    /** Compares what was fetched with the packets that devices have sent. */
    abstract void check(long bytes, long packets) throws IOException, InterruptedException;

    @Test
    void killedExecutorIsReplacedAndResultsAreRight() throws Exception {
        try (SparkCluster cluster = cluster(Map.of())) {
            String expected = submit(cluster, rdma(Map.of())).await("RESULT ");
            SparkCluster.Running job = submit(cluster, rdma(Map.of()));
            job.await("REDUCING");
            job.await("REDUCING");
            killExecutor();
            assertThat(job.await("RESULT ")).isEqualTo(expected);
            assertThat(job.lines()).anyMatch(line -> line.contains("Lost executor"));
        }
    }

    /** The first attempt of a task stops amid the blocks that it fetches, and is killed after the second one. */
    @Test
    void speculativeTaskReplacesOneThatIsStuck() throws Exception {
        Map<String, String> speculation = Map.of(
                "spark.speculation", "true",
                "spark.speculation.quantile", "0.5",
                "spark.reducer.maxSizeInFlight", "256k");
        try (SparkCluster cluster = cluster(Map.of())) {
            SparkCluster.Running job = submit(cluster, rdma(speculation), "stuck");
            job.await("Killing attempt 0 for task 0.0 in stage 1.0");
            String[] sums = job.await("RESULT rows=").split(" expected=");
            assertThat(sums[0]).isEqualTo(sums[1]);
        }
    }

    /** The blocks of a killed executor are still there. */
    @Test
    void shuffleServiceServesOverTheSameTransport() throws Exception {
        Map<String, String> service = Map.of("spark.shuffle.service.enabled", "true", "spark.shuffle.io.mode", "RDMA");
        try (SparkCluster cluster = new SparkCluster(home, master(), Map.of())) {
            cluster.startWorker(addresses().getLast(), 2, service);
            SparkCluster.Running job = submit(cluster, with(service));
            job.await("REDUCING");
            job.await("REDUCING");
            killExecutor();
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
