// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Feeds a parser with spoilt input: {@value #INPUTS_BY_DEFAULT} inputs, or {@code -Drdma4j.fuzz.inputs=N}. Each must be
 * accepted or refused with the documented exception, and allocate no more than the stated bound.
 *
 * <p>Each run plays the same inputs, so that a change is not blamed for what it did not do;
 * {@code -Drdma4j.fuzz.seed=N} plays others, as the nightly run does. A failure names its seed; with that and
 * {@code -Drdma4j.fuzz.inputs=1} the input is played again.
 */
public final class Fuzzer {
    private static final int INPUTS_BY_DEFAULT = 10_000;

    private static final int INPUTS = Integer.getInteger("rdma4j.fuzz.inputs", INPUTS_BY_DEFAULT);
    private static final long SEED = Long.getLong("rdma4j.fuzz.seed", 1);

    /** A busy machine included. */
    private static final int MOST_SECONDS = 120;

    /** From so many on, both outcomes must have been seen. */
    private static final int MANY = 1000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Spoiler spoiler;
    private final Class<? extends Exception> documented;
    private final long mostBytes;
    private final long mostBytesPerByte;
    private int inputs = INPUTS;

    /** The parser to test. */
    public interface Parser {
        /** Reads an input; what it accepts it checks, with an {@link AssertionError} for what must not be. */
        void read(byte[] input) throws Exception;
    }

    /** The same for text. */
    public interface TextParser {
        /** As {@link Parser#read}. */
        void read(String input) throws Exception;
    }

    /**
     * A fuzzer of one parser.
     *
     * @param spoiler of honest inputs
     * @param documented the exception that its Javadoc names for what it does not take; null if it takes everything
     * @param mostBytes what one input may allocate, however short it is
     * @param mostBytesPerByte and for each of its bytes
     */
    public Fuzzer(Spoiler spoiler, Class<? extends Exception> documented, long mostBytes, long mostBytesPerByte) {
        this.spoiler = spoiler;
        this.documented = documented;
        this.mostBytes = mostBytes;
        this.mostBytesPerByte = mostBytesPerByte;
    }

    /** The same with fewer inputs, for a parser that takes long: one in so many. */
    public Fuzzer oneIn(int divisor) {
        inputs = Math.max(1, INPUTS / divisor);
        return this;
    }

    /** Feeds text. */
    public void feedText(TextParser parser) throws Exception {
        feed(input -> parser.read(new String(input, StandardCharsets.UTF_8)));
    }

    /** Feeds bytes. */
    public void feed(Parser parser) throws Exception {
        for (byte[] honest : spoiler.honest()) {
            parser.read(honest);
        }
        int accepted = 0;
        for (int i = 0; i < inputs; i++) {
            byte[] input = spoiler.spoilt(new SplittableRandom(SEED + i));
            try (Watch _ = new Watch(SEED + i, input)) {
                long bytes = THREADS.getCurrentThreadAllocatedBytes();
                boolean taken = taken(parser, input);
                bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
                if (bytes > bound(input)) {
                    // Perhaps it was the first to load some classes.
                    bytes = THREADS.getCurrentThreadAllocatedBytes();
                    taken = taken(parser, input);
                    bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
                }
                assertThat(bytes)
                        .as("bytes allocated for %d bytes", input.length)
                        .isLessThanOrEqualTo(bound(input));
                accepted += taken ? 1 : 0;
            } catch (Throwable failure) {
                throw new AssertionError(of(SEED + i, input), failure);
            }
        }
        if (inputs >= MANY && documented != null) {
            assertThat(accepted).as("accepted of %d", inputs).isBetween(inputs / MANY, inputs - inputs / MANY);
        }
        System.out.printf("%d inputs from seed %d, %d accepted%n", inputs, SEED, accepted);
    }

    /** A parser that does not end cannot be interrupted, so this prints the seed and ends the JVM. */
    private static final class Watch implements AutoCloseable {
        private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("watch").factory());

        static {
            TIMER.setRemoveOnCancelPolicy(true);
        }

        private final ScheduledFuture<?> end;

        Watch(long seed, byte[] input) {
            end = TIMER.schedule(
                    () -> {
                        System.err.println(of(seed, input) + " takes longer than " + MOST_SECONDS + " s");
                        Runtime.getRuntime().halt(1);
                    },
                    MOST_SECONDS,
                    TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            end.cancel(false);
        }
    }

    private static String of(long seed, byte[] input) {
        return "rdma4j.fuzz.seed=%d, input in base 64: %s"
                .formatted(seed, Base64.getEncoder().encodeToString(input));
    }

    private long bound(byte[] input) {
        return mostBytes + mostBytesPerByte * input.length;
    }

    private boolean taken(Parser parser, byte[] input) throws Exception {
        try {
            parser.read(input);
            return true;
        } catch (Exception failure) {
            if (documented == null || !documented.isInstance(failure)) {
                throw failure;
            }
            assertThat(failure.getMessage()).isNotBlank();
            return false;
        }
    }

    /** Inputs as bytes. */
    public static List<byte[]> bytes(String... texts) {
        return List.of(texts).stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
