// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.recordings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.Recording;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes a recording of this library's events next to the report of each failed test. The recording goes back to the
 * start of the JVM, or as far as the recorder's memory reaches. While tests pass, it records only into memory. JUnit
 * finds it by its name in META-INF/services; without its system property it does nothing.
 */
public final class FailureRecordings implements TestExecutionListener {
    /** Has the folder. */
    static final String FOLDER = "rdma4j.recordings";

    /** If everything fails, the first recordings show as much as all of them. */
    private static final int MOST_RECORDINGS = 10;

    private static final long MOST_BYTES = 32 << 20;

    private final Path folder;
    private final Map<String, TestEvent> running = new ConcurrentHashMap<>();
    private Recording recording;
    private int written;

    /** By JUnit. */
    public FailureRecordings() {
        this(System.getProperty(FOLDER) == null ? null : Path.of(System.getProperty(FOLDER)));
    }

    /**
     * @param folder is made when it is needed; null for no recordings
     */
    FailureRecordings(Path folder) {
        this.folder = folder;
    }

    /** Events keep their own thresholds, which tests of this library's events rely on. */
    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        if (folder != null) {
            recording = new Recording();
            recording.setName("rdma4j tests");
            // On disk, because a recording in memory grows with each registration of memory.
            recording.setMaxSize(MOST_BYTES);
            recording.enable(TestEvent.class);
            recording.start();
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (recording != null && test.isTest()) {
            TestEvent event = new TestEvent();
            event.begin();
            running.put(test.getUniqueId(), event);
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        TestEvent event = running.remove(test.getUniqueId());
        if (event != null) {
            event.name = test.getLegacyReportingName();
            event.test = test.getUniqueId();
            event.failure = result.getThrowable().map(Throwable::toString).orElse(null);
            event.commit();
        }
        // A class or a factory of tests can also fail.
        if (recording != null && result.getStatus() == Status.FAILED) {
            write(test);
        }
    }

    private synchronized void write(TestIdentifier test) {
        if (written == MOST_RECORDINGS) {
            return;
        }
        written++;
        Path file = folder.resolve(fileName(test));
        try {
            Files.createDirectories(folder);
            recording.dump(file);
            System.out.println("Recording of this failure: " + file + " (jfr print --categories rdma4j FILE)");
        } catch (IOException failure) {
            System.out.println("No recording of this failure: " + failure);
        }
    }

    /** Class and method as far as a file's name may have them, and a number that tells invocations apart. */
    private String fileName(TestIdentifier test) {
        String id =
                test.getUniqueId().replaceAll("\\[(engine|class|nested-class|method|test-template|test-factory):", "[");
        String name = id.replaceAll("\\([^)]*\\)", "").replaceAll("[^A-Za-z0-9.#-]+", "_");
        String end = name.substring(name.lastIndexOf("rdma4j") < 0 ? 0 : name.lastIndexOf("rdma4j"));
        return String.format("%02d-%s.jfr", written, end.length() > 150 ? end.substring(0, 150) : end);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (recording != null) {
            recording.close();
        }
    }
}
