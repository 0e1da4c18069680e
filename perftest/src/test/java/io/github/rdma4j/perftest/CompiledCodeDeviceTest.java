// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The warm-up does what the banner announces: when the table begins, the measured loops are compiled, and none of the
 * compiled code is thrown away while they run. And the compiled loop is one piece, down to the native calls: no call
 * was left a call because the compiler had enough. HotSpot itself is the witness.
 */
@Tag("device")
@Timeout(1200)
class CompiledCodeDeviceTest {
    /** As scripts/rdma4j sets it. */
    private static final List<String> OPTIMISED =
            List.of("-XX:+UseSerialGC", "-XX:InlineSmallCode=8000", "-XX:Tier3DelayOn=1000");

    /** Why a call may stay one: it is the native function, or it is hardly ever made. */
    private static final Set<String> HARMLESS = Set.of(
            "native call",
            "low call site frequency",
            "never executed",
            "executed &lt; MinInliningThreshold times",
            "too big",
            "unloaded signature classes");

    /** The call of {@code HotCalls.letStop}, which lets the thread be stopped once in many calls. */
    private static final CompilerLog.Refusal LETS_STOP =
            new CompilerLog.Refusal("java.lang.Thread::holdsLock", "native method");

    private static final Duration LONG = Duration.ofSeconds(300);

    /** Standard output goes through one stream, the compiler's lines between ours, sometimes within one. */
    private static final Pattern HEADING = Pattern.compile("#bytes +#iterations");

    private static final Pattern LOOP_THROWN_AWAY =
            Pattern.compile("(perftest\\.(loop\\.(\\w+Loop|GroupTimes)|stream\\.(Operation|RunControl))"
                    + "|base\\.UseGuard|verbs\\.(internal\\.(datapath\\.)?)?(QueuePair|CompletionQueue|SendRequests|SendFunctions"
                    + "|CompletionFunctions|HotCalls|WorkCompletions?|MemorySlice))"
                    + "::.*made not entrant: (uncommon|marked)");

    @TempDir
    Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /**
     * A loop to look at.
     *
     * @param options of its tool
     * @param name of the class
     * @param serves whether the tool is the server; else the client
     * @param calls that must be inlined in it
     */
    private record Loop(String options, String name, boolean serves, List<String> calls) {
        static final List<Loop> ALL = List.of(
                new Loop("ib_send_lat", "SendLatencyLoop", false, List.of("postSend", "postReceive", "poll")),
                new Loop("ib_write_lat", "WriteLatencyLoop", true, List.of("postSend", "poll")),
                new Loop("ib_write_bw -s 64", "BandwidthLoop", false, List.of("postSend", "poll")));

        @Override
        public String toString() {
            return options;
        }
    }

    /**
     * Each takes a JVM and twenty seconds. The gate counts the instructions of the others, and a call in the loop would
     * show there.
     */
    static List<Loop> loops() {
        return "all".equals(System.getProperty("rdma4j.loops")) ? Loop.ALL : Loop.ALL.subList(0, 1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("loops")
    void measuredLoopIsCompiledInOnePieceBeforeItIsMeasured(Loop loop) throws Exception {
        int port = freePort();
        String command = loop.options + " -F -u 18 -p " + port;
        Path classes = folder.resolve("classes");
        List<String> logging = List.of(
                "env", "JAVA_TOOL_OPTIONS=-XX:+PrintCompilation -Xlog:class+load:file=" + classes + "::filecount=0");
        String output;
        if (loop.serves) {
            try (PeerProcess ours = PeerProcess.ofJava(logging, optimised(), command + " --details")
                            .awaitListening(port);
                    PeerProcess theirs = PeerProcess.ofC(command + " localhost")) {
                assertThat(ours.await(LONG)).as(theirs.output()).isZero();
                output = ours.output();
            }
        } else {
            try (PeerProcess theirs = PeerProcess.ofC(command).awaitListening(port);
                    PeerProcess ours = PeerProcess.ofJava(logging, optimised(), command + " --details localhost")) {
                assertThat(ours.await(LONG)).as(theirs.output()).isZero();
                output = ours.output();
            }
        }
        assertCompiled(output, loop.name);
        assertInOnePiece(loop.name, loop.calls);
        assertThat(Files.readString(classes))
                .contains("io.github.rdma4j.perftest.loop." + loop.name + " ")
                .as("nothing of a GPU is loaded where none is asked for, nothing of a recorder where nobody records")
                .doesNotContain("io.github.rdma4j.cuda.", "io.github.rdma4j.gpudirect.", "perftest.gpu.")
                .doesNotContainPattern("rdma4j\\.verbs\\.internal\\.events\\.\\w+Event |jdk\\.jfr\\.internal\\.");
    }

    private List<String> optimised() {
        return Stream.concat(OPTIMISED.stream(), CompilerLog.flags(folder.resolve("compiler")).stream())
                .toList();
    }

    private void assertInOnePiece(String loop, List<String> calls) throws IOException {
        List<CompilerLog> compilations =
                CompilerLog.of(folder.resolve("compiler"), "io.github.rdma4j.perftest.loop." + loop, "run");
        assertThat(compilations).isNotEmpty();
        CompilerLog last = compilations.getLast();
        assertThat(last.refused())
                .filteredOn(refusal -> !HARMLESS.contains(refusal.reason()) && !refusal.equals(LETS_STOP))
                .as("calls that the compiler left in %s", loop)
                .isEmpty();
        assertThat(last.inlined())
                .contains(calls.stream()
                        .map(call -> "io.github.rdma4j.verbs.internal.HotCalls::" + call)
                        .toArray(String[]::new));
        assertThat(last.refused())
                .filteredOn(refusal -> refusal.reason().equals("native call"))
                .hasSizeGreaterThanOrEqualTo(calls.size());
    }

    private static void assertCompiled(String output, String loop) {
        String[] parts = HEADING.split(output);
        assertThat(parts).as(output).hasSize(2);
        assertThat(parts[0]).contains("the figures are of compiled code");
        assertThat(parts[0]).containsPattern("perftest\\.loop\\." + loop + "::run \\(");
        assertThat(parts[1].lines().filter(LOOP_THROWN_AWAY.asPredicate())).isEmpty();
    }
}
