// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.peer.Member;
import io.github.rdma4j.perftest.compare.peer.Rendezvous;
import io.github.rdma4j.perftest.compare.peer.ServedMachine;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ServerProgram;
import io.github.rdma4j.perftest.compare.runner.Serving;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.talk.PeerAddress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the session over TCP, with hosts that measure nothing. */
@Timeout(120)
class MeshSessionTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private static final MeshPlan PLAN =
            new MeshPlan(2, 4096, 100, 2, null, true, 60, Duration.ofSeconds(60), List.of("--use_cuda=0"));

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /**
     * A host.
     *
     * @param runs the number of runs that it serves before its program dies
     * @param gpu its GPU memory
     * @param figures whether its runs have figures
     */
    private record Host(AtomicInteger runs, HostGpu gpu, boolean figures) implements ServedMachine, ServerEnd, Serving {
        @Override
        public ServerMachine describe() {
            return new ServerMachine("", "", Samples.conditionsOfHardware().environment(), "", false, false, gpu);
        }

        @Override
        public ServerEnd servers() {
            return this;
        }

        @Override
        public String host() {
            return "127.0.0.1";
        }

        @Override
        public int freePort() {
            return 20_000;
        }

        @Override
        public long busy() {
            return 0;
        }

        @Override
        public Serving serve(ServerProgram program, RunOrder order, Deadline deadline) {
            if (runs.getAndDecrement() == 0) {
                throw new AssertionError("the program dies");
            }
            return this;
        }

        @Override
        public long finish(Deadline deadline) {
            return 0;
        }

        @Override
        public String complaint() {
            return "";
        }

        @Override
        public Map<Metric, Double> measure(RunOrder order, String host) {
            if (!figures) {
                return Map.of();
            }
            return Map.of(order.tool().isLatency() ? Metric.TYPICAL_LATENCY : Metric.AVERAGE_BANDWIDTH, 7.0);
        }

        @Override
        public void close() {}
    }

    private MeshResult mesh(int runsOfC) {
        return mesh(runsOfC, true);
    }

    private MeshResult mesh(int runsOfC, boolean figuresOfA) {
        try (MeshProgress progress = new MeshProgress(new PrintStream(err, true, StandardCharsets.UTF_8));
                Rendezvous rendezvous = new Rendezvous(0, "a job", NAMES.size(), PLAN.patience(), progress::line)) {
            PeerAddress address = new PeerAddress("127.0.0.1", rendezvous.port());
            for (int rank = 0; rank < NAMES.size(); rank++) {
                Member member = new Member("a job", rank, NAMES.get(rank));
                HostGpu gpu =
                        rank == 3 ? new HostGpu(null, null, "no driver") : new HostGpu("CUDA device 0", "dmabuf", "");
                int runs = rank == 2 ? runsOfC : Integer.MAX_VALUE;
                ServedMachine machine = new Host(new AtomicInteger(runs), gpu, rank > 0 || figuresOfA);
                Thread host = Thread.ofPlatform()
                        .daemon()
                        .unstarted(() -> member.serve(address, PLAN.arrival(), _ -> machine));
                host.setUncaughtExceptionHandler((_, _) -> {});
                host.start();
            }
            try (MeshSession session = new MeshSession(new Job("a job", "a test", NAMES, 0, address), PLAN, progress)) {
                session.meet(rendezvous);
                session.measure();
                session.confirm(List.of(new Pair(0, 1)));
                return session.result(RunState.COMPLETE);
            }
        }
    }

    @Test
    void allPairsAreMeasured() {
        MeshResult result = mesh(Integer.MAX_VALUE);

        assertThat(result.pairs()).hasSize(6).allSatisfy(pair -> {
            assertThat(pair.failure()).isNull();
            // A pair that stands out is measured again.
            int repeats = pair.pair().equals(new Pair(0, 1)) ? 4 : 2;
            assertThat(pair.figures().values())
                    .hasSize(pair.pair().b() == 3 ? 3 : 6)
                    .allSatisfy(runs -> assertThat(runs).hasSize(repeats).containsOnly(7.0));
        });
        assertThat(Judgement.of(result))
                .extracting(MeshFinding::text)
                .containsExactly("host d: no GPU memory was measured: no driver");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("mesh: d: no GPU memory: no driver")
                .contains("mesh: round 1 of 3: a–d, b–c, ");
    }

    /** A host that arrives first gets no order before the last one has arrived. */
    @Test
    void hostWaitsForTheLastHostAndThenForOtherPairs() {
        MeshPlan shortest = new MeshPlan(2, 4096, 100, 1, null, true, 5, Duration.ofDays(1), List.of());
        assertThat(shortest.patience()).isEqualTo(Duration.ofDays(1).plusSeconds(6 * 2 * 125));
        MeshPlan longest = new MeshPlan(2, 4096, 100, 1000, null, true, 3600, Duration.ofDays(1), List.of());
        assertThat(longest.patience()).isEqualTo(Duration.ofSeconds(Member.MOST_SECONDS));
    }

    @Test
    void runWithoutAFigureHasFailed() {
        MeshResult result = mesh(Integer.MAX_VALUE, false);

        assertThat(result.pairs())
                .hasSize(6)
                .allSatisfy(pair -> assertThat(pair.failure())
                        .isEqualTo(pair.pair().a() == 0 ? "a has sent no t_typical of ib_write_lat" : null));
        assertThat(result.pairs().stream()
                        .flatMap(pair -> pair.figures().values().stream())
                        .flatMap(List::stream))
                .containsOnly(7.0);
    }

    @Test
    void onlyHostsThatHaveNotArrivedAreToBeStarted() {
        assertThat(endOfMeeting(2, Duration.ofSeconds(60)).remedy()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("mesh: b: no adapter; the others go on without it");
        assertThat(endOfMeeting(0, Duration.ofMillis(1)).remedy()).startsWith("start the command on all hosts");
    }

    /** Of two hosts, those that arrive have no adapter. */
    private PerftestException endOfMeeting(int arriving, Duration limit) {
        MeshPlan plan = new MeshPlan(2, 4096, 100, 2, null, true, 60, limit, List.of());
        List<String> names = NAMES.subList(0, 2);
        try (MeshProgress progress = new MeshProgress(new PrintStream(err, true, StandardCharsets.UTF_8));
                Rendezvous rendezvous = new Rendezvous(0, "a job", 2, plan.patience(), progress::line)) {
            PeerAddress address = new PeerAddress("127.0.0.1", rendezvous.port());
            for (int rank = 0; rank < arriving; rank++) {
                Member member = new Member("a job", rank, names.get(rank));
                Thread host = Thread.ofPlatform()
                        .daemon()
                        .unstarted(() -> member.serve(address, PLAN.arrival(), _ -> {
                            throw new RunFailedException("no adapter", "");
                        }));
                host.setUncaughtExceptionHandler((_, _) -> {});
                host.start();
            }
            try (MeshSession session = new MeshSession(new Job("a job", "a test", names, 0, address), plan, progress)) {
                return catchThrowableOfType(PerftestException.class, () -> session.meet(rendezvous));
            }
        }
    }

    @Test
    void deathOfAHostLeavesTheOthersMeasured() {
        MeshResult result = mesh(3);

        assertThat(result.pairs().stream().filter(pair -> pair.failure() == null))
                .extracting(PairResult::pair)
                .containsExactlyInAnyOrder(new Pair(0, 1), new Pair(0, 3), new Pair(1, 3));
        assertThat(result.pairs()).hasSize(6);
        assertThat(Judgement.of(result))
                .extracting(MeshFinding::text)
                .containsExactly(
                        "host c: 127.0.0.1: the other end has closed the connection",
                        "host d: no GPU memory was measured: no driver");
    }
}
