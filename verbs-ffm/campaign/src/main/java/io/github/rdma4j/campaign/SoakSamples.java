// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The resources of this process at each tenth of a soak: objects of the kernel, file descriptors, threads, its heap
 * after a collection and its RSS, of which the heap is always the same part ({@link #FLAGS}). The lowest of several
 * samples counts, to exclude temporary objects. In the second half nothing may grow: until then, classes are loaded,
 * methods are compiled and each thread's part of malloc's memory is allocated.
 */
final class SoakSamples {
    /** A heap whose pages are all touched at the start, and a JVM that reports its native memory. */
    static final List<String> FLAGS =
            List.of("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:NativeMemoryTracking=summary");

    private static final String RESIDENT = "RSS, KiB";
    /** The part of it that the kernel can read again: programs, libraries, the archive of the JDK's classes. */
    private static final String OF_FILES = "RSS of files, KiB";

    private static final String HEAP = "heap, KiB";
    private static final int TENTHS = 10;
    private static final int LOOKS = 20;
    private static final long BETWEEN_MILLIS = 100;
    /**
     * The permitted growth. KiB: a method that is compiled late, a table that is enlarged. Threads: a pool keeps the
     * threads that served the last minute's clients.
     */
    private static final Map<String, Integer> TOLERANCE =
            Map.of(RESIDENT, 2_048, OF_FILES, 1_024, HEAP, 1_024, "threads", 2);

    private static final Pattern CATEGORY =
            Pattern.compile("-\\s+([A-Z][\\w ]+) \\(reserved=\\d+KB, committed=(\\d+)KB");

    private final long lengthMillis;
    private final long begun = System.nanoTime();
    private final List<Map<String, Integer>> looks = new ArrayList<>();
    private Map<String, Integer> early = Map.of();
    private Map<String, Integer> halfway = Map.of();
    private Map<String, Integer> atLast = Map.of();

    SoakSamples(long lengthMillis) {
        this.lengthMillis = lengthMillis;
    }

    /** {@return whether this is in the first tenth of the second half} */
    boolean isHalfway(long millis) {
        return millis >= lengthMillis / 2 && millis < lengthMillis / 2 + lengthMillis / TENTHS;
    }

    /** {@return whether this is in the last tenth} */
    boolean isLate(long millis) {
        return millis >= lengthMillis - lengthMillis / TENTHS;
    }

    /** Takes a sample at each tenth, until the run is over. */
    void follow(BooleanSupplier isOver) throws InterruptedException {
        while (!isOver.getAsBoolean()) {
            long millis = (System.nanoTime() - begun) / 1_000_000;
            if (looks.size() < TENTHS && millis >= looks.size() * lengthMillis / TENTHS) {
                looks.add(quiet());
                if (looks.size() == 1) {
                    early = nativeMemory(); // which also loads classes
                } else if (looks.size() == TENTHS / 2 + 1) {
                    halfway = nativeMemory();
                } else if (looks.size() == TENTHS) {
                    atLast = nativeMemory();
                }
            }
            Thread.sleep(BETWEEN_MILLIS);
        }
    }

    private static Map<String, Integer> quiet() throws InterruptedException {
        Map<String, Integer> least = new TreeMap<>();
        for (int n = 0; n < LOOKS; n++) {
            System.gc();
            trim();
            Map<String, Integer> now = Leftovers.now(true);
            now.put(RESIDENT, kib("VmRSS"));
            now.put(OF_FILES, kib("RssFile"));
            now.put(HEAP, (int)
                    (ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10));
            now.forEach((kind, count) -> least.merge(kind, count, Math::min));
            Thread.sleep(BETWEEN_MILLIS);
        }
        return least;
    }

    /** Freed memory that malloc keeps is not a leak. */
    static void trim() {
        diagnose("systemTrimNativeHeap", new Object[0], new String[0]);
    }

    /** @param line of this process's status */
    static int kib(String line) {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(one -> one.startsWith(line + ":"))
                    .map(one -> Integer.parseInt(one.replaceAll("\\D+", "")))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return the native memory of the JVM by purpose, in KiB} */
    private static Map<String, Integer> nativeMemory() {
        return categories(diagnose(
                "vmNativeMemory", new Object[] {new String[] {"summary"}}, new String[] {String[].class.getName()}));
    }

    /** As jcmd does it. */
    private static String diagnose(String command, Object[] arguments, String[] signature) {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), command, arguments, signature);
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<String, Integer> categories(String summary) {
        Map<String, Integer> categories = new TreeMap<>();
        Matcher matcher = CATEGORY.matcher(summary);
        while (matcher.find()) {
            categories.put(matcher.group(1), Integer.parseInt(matcher.group(2)));
        }
        return categories;
    }

    /** {@return what has grown in the second half, or nothing} */
    String complaint() {
        if (looks.size() < TENTHS) {
            return "nobody has looked " + TENTHS + " times";
        }
        String grown = complaint(looks.get(TENTHS / 2), looks.getLast());
        return grown.isEmpty() ? "" : grown + ", and of the JVM " + Leftovers.more(halfway, atLast) + " KiB";
    }

    static String complaint(Map<String, Integer> halfway, Map<String, Integer> last) {
        Map<String, Integer> more = Leftovers.more(halfway, last);
        more.entrySet().removeIf(kind -> kind.getValue() <= TOLERANCE.getOrDefault(kind.getKey(), 0));
        return more.isEmpty() ? "" : "grown in the second half: " + more + " from " + halfway;
    }

    String summary() {
        return "RSS, RSS of files, heap, MiB, at each tenth: "
                + looks.stream()
                        .map(look -> "%.1f %.1f %.1f"
                                .formatted(
                                        look.get(RESIDENT) / 1024.0,
                                        look.get(OF_FILES) / 1024.0,
                                        look.get(HEAP) / 1024.0))
                        .collect(Collectors.joining(", "))
                + "; of the JVM in the first half " + Leftovers.more(early, halfway) + " KiB, in the second "
                + Leftovers.more(halfway, atLast) + " KiB";
    }
}
