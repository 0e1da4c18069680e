// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.environment.CompilerThreads;
import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.WriteLatencyLoop;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs the measured loop until it is compiled, on two connected queue pairs of this process. Then the figures are
 * figures of compiled code, regardless of the peer and of the number of messages.
 *
 * <p>The loops' methods are called many times with a few messages each, so that they are compiled as methods, and in
 * every role and mode, so that all branches are compiled before the measured run. The loops write to memory of this
 * process: a latency loop that writes to the byte it waits for exchanges messages with itself, in one thread.
 */
final class WarmUp {
    /**
     * HotSpot compiles a method with full optimization after at most 5000 calls, or 15000 calls and loop iterations
     * together.
     */
    private static final int FIRST_STRETCH = 4000;

    /** Then it is repeated until the compiler has been idle during a repetition. */
    private static final int NEXT_STRETCH = 500;

    /**
     * The compiler must also have been idle during this many calls, which is enough for both numbers above: HotSpot
     * counts calls only after it has compiled a method with counters, which is late if there is much to compile.
     */
    private static final int LAST_STRETCH = 2500;

    /** An otherwise idle emulated machine needs half of it. */
    static final Duration LIMIT = Duration.ofSeconds(40);

    private static final int ROUNDS_PER_PAIR = 50;

    /** The first use of an object has a separate code path, which the compiler must see more than once. */
    private static final int FRESH_PAIRS = 20;

    static final int SPIN_EVERY = 16;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** More than the messages of a round. */
    private static final byte NEVER_SENT = 100;

    /** The size of an atomic operation, which also suits the other tools. */
    static final int SIZE = 8;

    static final int DEPTH = 4;
    static final int MESSAGES = 9;

    /** Fewer than the messages of a round, so that some are posted again: so often that the compiler inlines it. */
    static final int RECEIVES = 6;

    /** Fewer slots in the buffer than messages in a round, so that the loop returns to the first slot. */
    static final SystemData FEW_SLOTS = new SystemData(256, 64);

    private static final String NOT_POSSIBLE = "not possible (%s): the first figures may be of code not yet compiled";

    /** The code that a test runs. */
    private record Code(Tool tool, boolean lists, boolean receives) {
        static Code of(RunParameters parameters) {
            return new Code(parameters.tool(), parameters.queues().postList() > 1, parameters.usesReceives());
        }
    }

    private static final Map<Code, String> DONE = new HashMap<>();

    /** One call of the measured loop. */
    interface Round {
        /** Returns how many messages it sent, or a negative number when it failed. */
        int run(int number);
    }

    private final RunDevice device;
    private final RunParameters parameters;
    private final SystemData layout;
    private final RunControl control;
    private final RoundLimit limit;
    private final List<RunResources> pairs;
    private final Duration longest;

    private WarmUp(
            RunDevice device,
            RunParameters parameters,
            SystemData layout,
            RunControl control,
            RoundLimit limit,
            List<RunResources> pairs,
            Duration longest) {
        this.device = device;
        this.parameters = parameters;
        this.layout = layout;
        this.control = control;
        this.limit = limit;
        this.pairs = pairs;
        this.longest = longest;
    }

    /**
     * Warms up for a tool and its kind of posting, unless this process has done so.
     *
     * @param longest after this time, the warm-up ends even if the compiler is still busy
     * @return a description of the warm-up, for the banner
     */
    static synchronized String once(RunDevice device, RunParameters parameters, SystemData layout, Duration longest) {
        String before = DONE.get(Code.of(parameters));
        if (before != null) {
            return before;
        }
        String done = run(device, parameters, layout, longest);
        DONE.put(Code.of(parameters), done);
        return done;
    }

    private static String run(RunDevice device, RunParameters parameters, SystemData layout, Duration longest) {
        if (device.isIwarp()) {
            return NOT_POSSIBLE.formatted("on iWARP rdma_cm alone connects");
        }
        RunControl control = new RunControl();
        List<RunResources> pairs = new ArrayList<>();
        // The monitor warms up its own code, which would otherwise run for the first time during the measured run.
        try (RoundLimit limit = new RoundLimit(control);
                RunMonitor _ = RunMonitor.ofCounted(control, () -> false, PATIENCE, (messages, elapsed) -> {})) {
            return new WarmUp(device, parameters, layout, control, limit, pairs, longest).repeat();
        } catch (VerbsException failure) {
            return NOT_POSSIBLE.formatted(failure.getMessage());
        } finally {
            pairs.forEach(RunResources::close);
        }
    }

    private String repeat() {
        long begin = System.nanoTime();
        long messages = 0;
        int rounds = 0;
        Round round = null;
        boolean idle = false;
        boolean compiled = false;
        while (!compiled && System.nanoTime() - begin < longest.toNanos()) {
            CompilerThreads compilers = new CompilerThreads();
            long compilerTime = compilers.cpuNanoseconds();
            int stretch = idle ? LAST_STRETCH : rounds == 0 ? FIRST_STRETCH : NEXT_STRETCH;
            for (int i = 0; i < stretch; i++) {
                if (rounds % ROUNDS_PER_PAIR == 0 && rounds < FRESH_PAIRS * ROUNDS_PER_PAIR) {
                    round = roundOnFreshPair();
                }
                int sent = round.run(rounds++);
                if (sent < 0) {
                    return NOT_POSSIBLE.formatted(limit.reason());
                }
                limit.loopbackWorks();
                messages += sent;
            }
            boolean idleBefore = idle;
            idle = compilers.idleSince(compilerTime) && rounds > FIRST_STRETCH;
            compiled = idle && idleBefore;
            compilers.awaitIdle(Duration.ofSeconds(5));
        }
        return String.format(
                Locale.ROOT,
                "%d messages on a local pair, %.1f s: %s",
                messages,
                (System.nanoTime() - begin) / 1e9,
                compiled ? "the figures are of compiled code" : "the compiler was still busy");
    }

    private Round roundOnFreshPair() {
        int depth = Math.max(DEPTH, 2 * parameters.queues().postList());
        Shape shape = Shape.localPair(parameters.connection(), SIZE, depth, sends() ? 2 * MESSAGES : 0);
        RunResources pair = new RunResources(device, parameters, shape, layout);
        pairs.add(pair);
        pair.connectWithItself(device.mtu());
        if (sends()) {
            return parameters.tool().isLatency()
                    ? SendLatencyRun.warmUp(parameters, pair, control, limit)
                    : SendBandwidthRun.warmUp(parameters, pair, control, limit);
        }
        if (parameters.isPingPong()) {
            return latencyRound(pair);
        }
        return parameters.tool().isLatency()
                ? RequestLatencyRun.warmUp(parameters, pair, control, limit)
                : BandwidthRun.warmUp(parameters, pair, control, limit);
    }

    private boolean sends() {
        return parameters.usesReceives();
    }

    private Round latencyRound(RunResources pair) {
        WriteLatencyLoop loop = LatencyRun.loop(pair, SIZE, null, control);
        List<LatencyRecorder> recorders = LatencyRecording.ofWarmUp(parameters, control, LatencyRun.PARTS, MESSAGES);
        LatencyRecorder stamps = recorders.getFirst();
        LatencyRecorder other = recorders.getLast();
        return number -> {
            control.enter(number % 2 == 0 ? RunControl.STARTING : RunControl.SAMPLING);
            if (number % SPIN_EVERY == 0) {
                limit.endSoon();
                loop.await(NEVER_SENT);
                loop.awaitCompletion();
                control.enter(RunControl.STARTING);
            }
            limit.endWhenStuck();
            boolean opens = number % 4 != 3;
            if (!opens) {
                // A side that does not send first waits for a message, so pretend that one has arrived.
                loop.pretend(1);
            }
            long sent = loop.run(opens, opens ? MESSAGES : 1, number % 3 == 0 ? other : stamps);
            return limit.outcome(sent, loop.failure());
        };
    }
}
