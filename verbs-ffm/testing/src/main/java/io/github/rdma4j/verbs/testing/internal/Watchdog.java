// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.concurrent.TimeUnit;

/** Ends the guest's JVM if no test has started or ended for too long, and reports the stacks of its threads. */
final class Watchdog {
    private static final String NAME = "rdma4j-softroce-watchdog";

    private Watchdog() {}

    static void start(EventWriter events, long seconds) {
        Thread.ofPlatform().daemon().name(NAME).start(() -> {
            while (events.nanosSinceProgress() < TimeUnit.SECONDS.toNanos(seconds)) {
                try {
                    Thread.sleep(200);
                } catch (InterruptedException e) {
                    return;
                }
            }
            events.send(new Event.Stuck(seconds, threads()));
            Runtime.getRuntime().halt(1);
        });
    }

    // Not ThreadInfo.toString, which prints only eight frames.
    private static String threads() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(false, false)) {
            if (thread == null || thread.getThreadName().equals(NAME) || thread.getStackTrace().length == 0) {
                continue;
            }
            text.append('"')
                    .append(thread.getThreadName())
                    .append("\" ")
                    .append(thread.getThreadState())
                    .append('\n');
            for (StackTraceElement frame : thread.getStackTrace()) {
                text.append("    at ").append(frame).append('\n');
            }
        }
        return text.toString();
    }
}
