// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.document.ResultsSchema;
import io.github.rdma4j.perftest.mesh.MeshFinding.Kind;
import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import io.github.rdma4j.perftest.page.ReportCommand;
import io.github.rdma4j.perftest.result.RunState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleBiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Judges synthetic meshes of hosts a, b, c and so on, in which a good pair has 12,000 MiB/s and 2 microseconds. */
class JudgementTest {
    private static final double NOISE = 0.05;

    private final Random random = new Random(57);
    private final List<MeshResult.Host> hosts = new ArrayList<>();
    private final Map<Pair, PairResult> pairs = new LinkedHashMap<>();

    private void mesh(int n, ToDoubleBiFunction<Integer, Integer> factor) {
        for (int i = 0; i < n; i++) {
            hosts.add(new MeshResult.Host(Character.toString('a' + i), "10.0.0." + i, "mlx5_0", null, gpu(i)));
        }
        for (int a = 0; a < n; a++) {
            for (int b = a + 1; b < n; b++) {
                double there = factor.applyAsDouble(a, b);
                double back = factor.applyAsDouble(b, a);
                Map<Probe, List<Double>> figures = new EnumMap<>(Probe.class);
                figures.put(Probe.LATENCY, noisy(2 * Math.max(there, back)));
                figures.put(Probe.BANDWIDTH, noisy(12_000 / there));
                figures.put(Probe.BANDWIDTH_BACK, noisy(12_000 / back));
                put(new PairResult(new Pair(a, b), figures, Map.of(), 10_000, null));
            }
        }
    }

    private static HostGpu gpu(int rank) {
        return new HostGpu("CUDA device 0 of " + rank, "dmabuf", "");
    }

    /** Adds figures of GPU memory, of which a good pair has 10,000 MiB/s and 3 microseconds. */
    private void gpuFigures(ToDoubleBiFunction<Integer, Integer> factor) {
        pairs.replaceAll((pair, each) -> {
            Map<Probe, List<Double>> figures = new EnumMap<>(each.figures());
            double there = factor.applyAsDouble(pair.a(), pair.b());
            double back = factor.applyAsDouble(pair.b(), pair.a());
            figures.put(Probe.GPU_LATENCY, noisy(3));
            figures.put(Probe.GPU_BANDWIDTH, noisy(10_000 / there));
            figures.put(Probe.GPU_BANDWIDTH_BACK, noisy(10_000 / back));
            return new PairResult(pair, figures, each.losses(), each.messages(), each.failure());
        });
    }

    private void put(PairResult pair) {
        pairs.put(pair.pair(), pair);
    }

    private void fail(int a, int b, String cause) {
        put(new PairResult(new Pair(a, b), Map.of(), Map.of(), 0, cause));
    }

    private void lose(int a, int b, long packets) {
        PairResult whole = pairs.get(new Pair(a, b));
        put(new PairResult(whole.pair(), whole.figures(), Map.of("out_of_seq_request", packets), 10_000, null));
    }

    private List<Double> noisy(double value) {
        return List.of(
                value * (1 + NOISE * random.nextGaussian()),
                value * (1 + NOISE * random.nextGaussian()),
                value * (1 + NOISE * random.nextGaussian()));
    }

    private MeshResult result() {
        return new MeshResult(
                Instant.EPOCH,
                60,
                "a test",
                null,
                new MeshPlan(2, 65_536, 1000, 3, null, true, 60, Duration.ofSeconds(60), List.of()),
                hosts,
                List.copyOf(pairs.values()),
                RunState.COMPLETE);
    }

    private List<String> texts() {
        return Judgement.of(result()).stream().map(MeshFinding::text).toList();
    }

    private List<Kind> kinds() {
        return Judgement.of(result()).stream().map(MeshFinding::kind).toList();
    }

    private static boolean isPair(int from, int to, int one, int other) {
        return from == one && to == other || from == other && to == one;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 7, 16})
    void nothingStandsOutInNoise(int n) {
        mesh(n, (_, _) -> 1);

        assertThat(texts()).isEmpty();
    }

    /** Racks: what is faster than the others is no finding. */
    @Test
    void fastPairsAreNoFinding() {
        mesh(8, (from, to) -> from / 2 == to / 2 ? 0.5 : 1);

        assertThat(texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 9})
    void slowHostExplainsItsPairs(int n) {
        mesh(n, (from, to) -> from == 2 || to == 2 ? 3 : 1);

        assertThat(kinds()).containsExactly(Kind.HOST_SLOW);
        assertThat(texts().getFirst())
                .startsWith("host c: all its pairs are slow: latency ")
                .contains("; bandwidth ");
    }

    @Test
    void hostMayBeSlowInOneDirection() {
        mesh(5, (from, _) -> from == 1 ? 2 : 1);
        pairs.replaceAll((pair, each) -> {
            Map<Probe, List<Double>> figures = new EnumMap<>(each.figures());
            figures.put(Probe.LATENCY, List.of(2.0));
            return new PairResult(pair, figures, Map.of(), 10_000, null);
        });

        assertThat(kinds()).containsExactly(Kind.HOST_SLOW);
        assertThat(texts().getFirst()).startsWith("host b: all that it sends is slow: bandwidth ");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 9})
    void slowLinkIsNamed(int n) {
        mesh(n, (from, to) -> isPair(from, to, 1, 2) ? 4 : 1);

        assertThat(kinds()).containsExactly(Kind.LINK_SLOW);
        assertThat(texts().getFirst())
                .startsWith("link b–c: latency ")
                .containsPattern(
                        "; bandwidth [23],\\d{3} MiB/s, median of the others 1[12],\\d{3}, in both directions$");
    }

    @Test
    void linkMayBeSlowInOneDirection() {
        mesh(4, (from, to) -> from == 3 && to == 0 ? 4 : 1);

        assertThat(texts()).singleElement().asString().startsWith("link a–d: ").endsWith(", from d to a");
    }

    /** As with a GPU whose traffic crosses the processor. */
    @Test
    void hostMayBeSlowInGpuMemoryOnly() {
        mesh(4, (_, _) -> 1);
        gpuFigures((from, _) -> from == 1 ? 3 : 1);

        assertThat(Judgement.of(result())).singleElement().satisfies(finding -> {
            assertThat(finding.text())
                    .startsWith("host b: all that it sends is slow: GPU memory bandwidth 3,")
                    .doesNotContain(";");
            assertThat(finding.remedy()).contains("doctor --gpu");
        });
    }

    @Test
    void linkMayBeSlowInHostAndGpuMemory() {
        mesh(4, (from, to) -> isPair(from, to, 1, 2) ? 4 : 1);
        gpuFigures((from, to) -> isPair(from, to, 1, 2) ? 4 : 1);

        assertThat(kinds()).containsExactly(Kind.LINK_SLOW);
        assertThat(texts().getFirst()).contains("; bandwidth ", "; GPU memory bandwidth ");
    }

    @Test
    void hostsWithoutGpuDirectAreNamedByTheReasonThatTheyShare() {
        mesh(6, (_, _) -> 1);
        List<HostGpu> gpus = List.of(
                new HostGpu(null, null, "CUDA cannot be used: no driver"),
                new HostGpu("CUDA device 0", "staged", "not dmabuf: no peer memory"),
                new HostGpu("CUDA device 0", "staged", "not dmabuf: no peer memory"),
                new HostGpu("CUDA device 0", "staged", ""),
                new HostGpu("CUDA device 0", "peermem", "not dmabuf: refused"));
        for (int rank = 0; rank < gpus.size(); rank++) {
            MeshResult.Host host = hosts.get(rank);
            hosts.set(rank, new MeshResult.Host(host.name(), host.address(), host.device(), null, gpus.get(rank)));
        }

        assertThat(kinds()).containsExactly(Kind.HOST_GPU, Kind.HOST_GPU);
        assertThat(texts())
                .containsExactly(
                        "host a: no GPU memory was measured: CUDA cannot be used: no driver",
                        "hosts b, c: GPU memory is staged in host memory: not dmabuf: no peer memory");
    }

    @Test
    void slowHostAndSlowLinkAreBothNamed() {
        mesh(5, (from, to) -> from == 2 || to == 2 ? 3 : isPair(from, to, 0, 4) ? 5 : 1);

        assertThat(texts()).hasSize(2);
        assertThat(texts().get(0)).startsWith("host c: all its pairs are slow");
        assertThat(texts().get(1)).startsWith("link a–e: ");
    }

    @Test
    void twoSlowHostsOfManyAreNamed() {
        mesh(
                8,
                (from, to) ->
                        List.of(from, to).contains(2) ? 3 : List.of(from, to).contains(5) ? 2 : 1);

        assertThat(texts())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("host c: all its pairs are slow"),
                        second -> assertThat(second).startsWith("host f: all its pairs are slow"));
    }

    /** With each cell compared with all others separately, this would take hours. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hostAndLinkOfThreeHundredHostsAreNamed() {
        mesh(300, (from, to) -> from == 7 || to == 7 ? 2 : isPair(from, to, 100, 200) ? 3 : 1);

        assertThat(kinds()).containsExactly(Kind.HOST_SLOW, Kind.LINK_SLOW);
        assertThat(Judgement.of(result()).stream().map(MeshFinding::ranks))
                .containsExactly(List.of(7), List.of(100, 200));
    }

    @Test
    void slowLossyAndDeadLinkOfFourHostsAreNamed() {
        mesh(4, (from, to) -> isPair(from, to, 0, 2) ? 6 : isPair(from, to, 2, 3) ? 3 : 1);
        fail(1, 3, "10.0.0.3 does not answer");
        lose(2, 3, 300);
        lose(0, 1, 9);

        assertThat(texts())
                .satisfiesExactly(
                        dead -> assertThat(dead)
                                .isEqualTo("link b–d: it could not be measured: 10.0.0.3 does not answer"),
                        slow -> assertThat(slow).startsWith("link a–c: latency "),
                        lossy -> assertThat(lossy)
                                .startsWith(
                                        "link c–d: it loses packets: out_of_seq_request +300, in 10,000 messages; "));
    }

    @Test
    void linkThatFailsForItsLossesIsNamedOnce() {
        mesh(4, (from, to) -> isPair(from, to, 0, 1) ? 9 : 1);
        Map<Probe, List<Double>> figures = pairs.get(new Pair(0, 1)).figures();
        put(new PairResult(new Pair(0, 1), figures, Map.of("packet_seq_err", 40L), 800, "the run took too long"));

        assertThat(kinds()).containsExactly(Kind.LINK_LOSSY);
        assertThat(texts())
                .containsExactly("link a–b: it loses packets: packet_seq_err +40, in 800 messages; then a run failed:"
                        + " the run took too long");
    }

    /** As between four machines on two processors: alone, a pair is much faster. */
    @Test
    void anotherMeasurementOnlyClears() {
        mesh(4, (from, to) -> isPair(from, to, 0, 2) || isPair(from, to, 2, 3) ? 4 : 1);
        fail(1, 3, "no connection");
        MeshResult first = result();
        for (Pair pair : List.of(new Pair(0, 2), new Pair(2, 3))) {
            PairResult again = new PairResult(pair, Map.of(Probe.LATENCY, List.of(0.2)), Map.of(), 10_000, null);
            pairs.computeIfPresent(pair, (_, each) -> each.with(again));
        }

        assertThat(kinds()).contains(Kind.HOST_SLOW);
        assertThat(Judgement.of(first, result()))
                .extracting(MeshFinding::ranks)
                .containsExactly(List.of(1, 3), List.of(0, 2), List.of(2, 3));
    }

    @Test
    void deadHostExplainsItsPairs() {
        mesh(4, (_, _) -> 1);
        for (int other : List.of(1, 2, 3)) {
            fail(0, other, "no connection");
        }

        assertThat(texts()).containsExactly("host a: none of its pairs could be measured: no connection");
    }

    @Test
    void hostThatHasGoneExplainsItsPairs() {
        mesh(4, (_, _) -> 1);
        hosts.set(1, new MeshResult.Host("b", "10.0.0.1", "mlx5_0", "the other end has closed the connection", null));
        fail(1, 2, "b has gone");
        fail(1, 3, "b has gone");

        assertThat(texts()).containsExactly("host b: the other end has closed the connection");
    }

    @Test
    void hostThatLosesPacketsOnAllLinksIsNamed() {
        mesh(5, (_, _) -> 1);
        for (int other : List.of(1, 2, 3, 4)) {
            lose(0, other, 200 + other);
        }

        assertThat(texts()).containsExactly("host a: all its pairs lose packets");
    }

    @Test
    void reportShowsMatricesAndFindings() {
        mesh(3, (from, to) -> isPair(from, to, 0, 1) ? 4 : 1);
        fail(1, 2, "no route to host");

        String report = MeshReport.of(result(), Judgement.of(result()));

        assertThat(report)
                .startsWith("rdma4j mesh: 3 hosts (a test), 2 of 3 pairs measured in 60 s\n")
                .contains("Latency [usec]: ib_write_lat, 2 bytes, half a round trip; median ")
                .containsPattern("\n  2 c +[12]\\.\\d\\d·       x\n")
                .contains("- link b–c: it could not be measured: no route to host.\n")
                .doesNotContain("GPU memory");
    }

    /** Arabic of Egypt has other digits. */
    @Test
    void reportDoesNotDependOnTheLocale() {
        mesh(3, (from, to) -> isPair(from, to, 0, 1) ? 4 : 1);
        fail(1, 2, "no route to host");
        String report = MeshReport.of(result(), Judgement.of(result()));
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            assertThat(MeshReport.of(result(), Judgement.of(result()))).isEqualTo(report);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void reportHasMatricesOfGpuMemory() {
        mesh(3, (_, _) -> 1);
        gpuFigures((_, _) -> 1);

        assertThat(MeshReport.of(result(), Judgement.of(result())))
                .contains("GPU memory latency [usec]: ib_write_lat, 2 bytes, half a round trip, path: dmabuf; median ")
                .containsPattern("\nGPU memory bandwidth \\[MiB/s].*, from row to column, path: dmabuf; median .*\n.*\n"
                        + "  0 a +(9,|1[01],)\\d{3}·");
    }

    @Test
    void reportOfManyHostsShowsShadesOnly() {
        mesh(12, (from, to) -> isPair(from, to, 0, 1) ? 4 : 1);

        assertThat(MeshReport.of(result(), Judgement.of(result()))).contains("\n  0 a  █··········\n");
    }

    @Test
    void documentFollowsTheSchemaAndBecomesAPage(@TempDir Path folder) throws IOException {
        mesh(4, (from, to) -> isPair(from, to, 0, 1) ? 4 : 1);
        gpuFigures((_, _) -> 1);
        fail(1, 2, "no <b>route</b> to host");
        lose(0, 3, 500);
        hosts.set(3, new MeshResult.Host("d<script>", "it did not arrive within 9 s"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MeshJson.write(result(), Judgement.of(result()), out);

        assertThat(ResultsSchema.faults(out.toString(StandardCharsets.UTF_8))).isEmpty();
        Path document = Files.write(folder.resolve("mesh.json"), out.toByteArray());
        Path page = folder.resolve("mesh.html");
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        assertThat(ReportCommand.run(List.of(document.toString(), "--out", page.toString()), nowhere, nowhere))
                .isZero();
        assertThat(Files.readString(page))
                .contains("<h1>Mesh of 4 hosts</h1>")
                .contains("<td class=\"heat3\">")
                .contains("<h2 id=\"gpu-BW_average\">GPU memory bandwidth [MiB/s], from row to column</h2>")
                .contains("CUDA device 0 of 0, dmabuf")
                .contains("<td class=\"failed\">failed</td>")
                .contains("<b>host d&lt;script&gt;: it did not arrive within 9 s.</b>")
                .doesNotContain("<script>")
                .doesNotContain("<b>route");
    }
}
