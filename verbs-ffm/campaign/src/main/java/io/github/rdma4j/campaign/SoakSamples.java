// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * What this process holds early and at last: objects of the kernel, file handles, threads, and its memory (RSS, behind
 * a collection). What comes and goes is not counted: of several looks the least.
 */
final class SoakSamples {
    private static final String MEMORY = "RSS, KiB";
    private static final int LOOKS = 30;
    private static final long BETWEEN_MILLIS = 100;
    /** A heap and its collector breathe. */
    private static final double MOST_GROWTH = 1.10;

    private final long lengthMillis;
    private final long begun = System.nanoTime();
    private Map<String, Integer> first = Map.of();
    private Map<String, Integer> last = Map.of();

    SoakSamples(long lengthMillis) {
        this.lengthMillis = lengthMillis;
    }

    /** The second tenth: what is compiled and loaded is so by then. */
    boolean isEarly(long millis) {
        return millis >= lengthMillis / 10 && millis < lengthMillis / 5;
    }

    boolean isLate(long millis) {
        return millis >= lengthMillis * 9 / 10;
    }

    /** Looks at both times, until it is over. */
    void follow(BooleanSupplier isOver) throws InterruptedException {
        while (!isOver.getAsBoolean()) {
            long millis = (System.nanoTime() - begun) / 1_000_000;
            if (first.isEmpty() && isEarly(millis)) {
                first = quiet();
            } else if (last.isEmpty() && isLate(millis)) {
                last = quiet();
            }
            Thread.sleep(BETWEEN_MILLIS);
        }
    }

    private static Map<String, Integer> quiet() throws InterruptedException {
        Map<String, Integer> least = new TreeMap<>();
        for (int n = 0; n < LOOKS; n++) {
            if (n % 10 == 0) {
                System.gc();
            }
            Map<String, Integer> now = Leftovers.now(true);
            now.put(MEMORY, residentKib());
            now.forEach((kind, count) -> least.merge(kind, count, Math::min));
            Thread.sleep(BETWEEN_MILLIS);
        }
        return least;
    }

    private static int residentKib() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> Integer.parseInt(line.replaceAll("\\D+", "")))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return what has grown, or nothing} */
    String complaint() {
        return complaint(first, last);
    }

    static String complaint(Map<String, Integer> first, Map<String, Integer> last) {
        if (first.isEmpty() || last.isEmpty()) {
            return "nobody has looked early and late";
        }
        Map<String, Integer> more = Leftovers.more(first, last);
        if (last.get(MEMORY) <= MOST_GROWTH * first.get(MEMORY)) {
            more.remove(MEMORY);
        }
        return more.isEmpty() ? "" : "grown: " + more + " from " + first;
    }

    String summary() {
        return "early " + first + ", late " + last;
    }
}
