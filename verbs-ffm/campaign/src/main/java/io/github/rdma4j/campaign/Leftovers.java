// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The resources of this process in this machine's kernel: RDMA objects and file descriptors. */
final class Leftovers {
    private static final Pattern OBJECT = Pattern.compile("(pd|cq|qp|cm_id|mr|ctx|srq) (\\d+)");
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private Leftovers() {}

    /** Opens all jars, which then stay open, by searching for a class that does not exist. */
    static void openJars() {
        try {
            Class.forName(Leftovers.class.getName() + "There");
        } catch (ClassNotFoundException e) {
            return;
        }
        throw new AssertionError("that class must not exist");
    }

    /** @param machine whether to count the RDMA objects of all processes, if no other program has any */
    static Map<String, Integer> now(boolean machine) {
        Map<String, Integer> counts = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            counts.put("file handles", (int) files.count());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (machine) {
            counts.putAll(objects(Shell.run("rdma resource", 0)));
        }
        counts.put("threads", Thread.activeCount());
        return counts;
    }

    /** {@return the objects of all devices, by kind} */
    static Map<String, Integer> objects(String resources) {
        Map<String, Integer> counts = new TreeMap<>();
        Matcher matcher = OBJECT.matcher(resources);
        while (matcher.find()) {
            counts.merge(matcher.group(1), Integer.parseInt(matcher.group(2)), Integer::sum);
        }
        return counts;
    }

    /** {@return the additional resources since then; waits until there are none} */
    static Map<String, Integer> since(Map<String, Integer> before, boolean machine) throws InterruptedException {
        return since(before, () -> now(machine));
    }

    /** @param now counts the present resources */
    static Map<String, Integer> since(Map<String, Integer> before, Supplier<Map<String, Integer>> now)
            throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        Map<String, Integer> more = more(before, now.get());
        while (!more.isEmpty() && System.nanoTime() < until) {
            Thread.sleep(100);
            more = more(before, now.get());
        }
        return more;
    }

    static Map<String, Integer> more(Map<String, Integer> before, Map<String, Integer> after) {
        Map<String, Integer> more = new TreeMap<>();
        after.forEach((kind, count) -> {
            if (count > before.getOrDefault(kind, 0)) {
                more.put(kind, count - before.getOrDefault(kind, 0));
            }
        });
        return more;
    }
}
