// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import io.github.rdma4j.verbs.EfaStandIn;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The resources of this process, as the kernel reports them, and the native objects that its calls have created.
 *
 * @param counts by kind
 */
record Holdings(Map<String, Integer> counts) {
    /**
     * The kernel frees some resources a little later. This limits the wait for them, which is long only if there is a
     * leak.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private static final Pattern RESOURCE = Pattern.compile("(pd|cq|qp|cm_id|mr|ctx|srq) (\\d+)");

    /** Whether a library stands in for the kernel. It counts its objects itself. */
    static final boolean STAND_IN = System.getenv("SYSFS_PATH") != null;

    static {
        // The JDK keeps what these open at their first use: two devices and a socket.
        new SecureRandom().nextLong();
        try {
            DatagramChannel.open().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Holdings now() {
        // First, because its process takes descriptors when it starts.
        String resources = STAND_IN ? "" : RdmaTool.resources();
        Map<String, Integer> counts = new TreeMap<>(NativeObjects.counts());
        for (File descriptor : new File("/proc/self/fd").listFiles()) {
            counts.merge("descriptor of " + target(descriptor), 1, Integer::sum);
        }
        counts.put("mappings of devices", mappings());
        threads()
                .filter(thread -> !thread.isDaemon() || thread.getName().startsWith("rdma4j"))
                .forEach(thread -> counts.merge("thread " + thread.getName(), 1, Integer::sum));
        Matcher matcher = RESOURCE.matcher(resources);
        while (matcher.find()) {
            counts.merge("kernel's " + matcher.group(1), Integer.parseInt(matcher.group(2)), Integer::sum);
        }
        if (STAND_IN) {
            counts.put("kernel's objects", EfaStandIn.objects());
        }
        return new Holdings(counts);
    }

    /** All platform threads. Without their stacks, which Thread.getAllStackTraces() collects. */
    private static Stream<Thread> threads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] found = new Thread[all.activeCount() + 64];
        return Arrays.stream(found, 0, all.enumerate(found));
    }

    /** What a descriptor refers to, without numbers, which differ for sockets, pipes and recordings. */
    private static String target(File descriptor) {
        try {
            return Files.readSymbolicLink(descriptor.toPath()).toString().replaceAll("\\d+", "");
        } catch (IOException e) {
            // The descriptor of this listing is closed.
            return "the listing";
        }
    }

    private static int mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return (int) lines.filter(line -> line.contains("/dev/infiniband/")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the difference between the resources before and now, or an empty string. */
    static String changeSince(Holdings before) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Holdings now = now();
            if (now.equals(before)) {
                return "";
            }
            if (System.nanoTime() > deadline) {
                return difference(before.counts, now.counts);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    private static String difference(Map<String, Integer> before, Map<String, Integer> now) {
        Map<String, String> changes = new TreeMap<>();
        Stream.of(before, now).flatMap(map -> map.keySet().stream()).forEach(kind -> {
            int had = before.getOrDefault(kind, 0);
            int has = now.getOrDefault(kind, 0);
            if (had != has) {
                changes.put(kind, had + " -> " + has);
            }
        });
        return changes.toString();
    }

    /** One {@code rdma} for many questions: to start a process costs more than all else. */
    private static final class RdmaTool {
        /** Each question costs it a descriptor, which it does not give back. */
        private static final int QUESTIONS_OF_ONE = 500;

        private static final int DEVICES = new File("/sys/class/infiniband").list().length;

        private static Process process;
        private static int questions;

        /** A line for each device. */
        static synchronized String resources() {
            try {
                if (process == null || ++questions == QUESTIONS_OF_ONE) {
                    restart();
                }
                process.outputWriter().write("resource show\n");
                process.outputWriter().flush();
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < DEVICES; i++) {
                    String line = process.inputReader().readLine();
                    if (line == null) {
                        throw new IOException("'rdma -b -' has ended");
                    }
                    lines.append(line).append('\n');
                }
                return lines.toString();
            } catch (IOException e) {
                throw new UncheckedIOException("rdma resource", e);
            }
        }

        private static void restart() throws IOException {
            if (process != null) {
                process.outputWriter().close();
                process.inputReader().close();
                awaitEnd();
            }
            process = new ProcessBuilder("stdbuf", "-oL", "rdma", "-b", "-")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            questions = 0;
        }

        /**
         * Does not use {@link Process#onExit()}, which needs the common pool, whose one thread may be running a case.
         */
        private static void awaitEnd() {
            try {
                if (!process.waitFor(30, TimeUnit.SECONDS)) {
                    throw new AssertionError("'rdma -b -' does not end though its input has");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }
}
