// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** What Netty's leak detectors find, all of them, at their strictest: each buffer is followed. */
final class Leaks {
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final String DROPPED = "dropped on purpose, number ";
    private static final Leaks ALL = new Leaks();

    private final List<ResourceLeakDetector<Object>> detectors = new CopyOnWriteArrayList<>();
    private final Queue<String> reports = new ConcurrentLinkedQueue<>();
    private final AtomicLong number = new AtomicLong();

    private Leaks() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
            @Override
            @SuppressWarnings({"unchecked", "deprecation"}) // so it declares the method
            public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                    Class<T> resource, int samplingInterval, long maxActive) {
                Detector<T> detector = new Detector<>(resource, samplingInterval);
                detectors.add((ResourceLeakDetector<Object>) detector);
                return detector;
            }
        });
    }

    /** Reports here instead of in the log. */
    private final class Detector<T> extends ResourceLeakDetector<T> {
        Detector(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected void reportTracedLeak(String type, String records) {
            reports.add(type + " was not released: " + records);
        }

        @Override
        protected void reportUntracedLeak(String type) {
            reportTracedLeak(type, "nobody has touched it");
        }
    }

    /** Called before this process creates any buffer, except one with which Netty creates its detectors. */
    static Leaks begin() {
        Unpooled.buffer(1).release();
        ALL.reports.clear();
        return ALL;
    }

    /**
     * Checks for lost buffers. To be certain, each detector receives an object that is lost, twice: when it has found
     * the second one, it has found everything that was lost before the first.
     *
     * @return what was found, or nothing
     */
    String found() throws InterruptedException {
        if (detectors.isEmpty()) {
            return "Netty has made its leak detectors before anybody could watch them";
        }
        for (ResourceLeakDetector<Object> detector : detectors) {
            findDropped(detector);
            findDropped(detector);
        }
        return String.join("; ", reports);
    }

    private void findDropped(ResourceLeakDetector<Object> detector) throws InterruptedException {
        String mark = DROPPED + number.incrementAndGet() + ".";
        drop(detector, mark);
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!reports.removeIf(report -> report.contains(mark))) {
            if (System.nanoTime() > until) {
                reports.add("a leak detector does not find what is " + mark);
                return;
            }
            System.gc();
            Thread.sleep(10);
            // The reference chain includes the objects found before.
            Object kept = new Object();
            ResourceLeakTracker<Object> tracker = detector.track(kept);
            tracker.close(kept);
        }
    }

    private static void drop(ResourceLeakDetector<Object> detector, String mark) {
        detector.track(new Object()).record(mark);
    }
}
