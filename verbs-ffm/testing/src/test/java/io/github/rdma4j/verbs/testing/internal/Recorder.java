// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests as a build tool or an IDE does, and records the results that these would show. */
final class Recorder implements TestExecutionListener {
    /** Results by legacy names, which tell the invocations of a method apart. */
    final Map<String, TestExecutionResult> results = new LinkedHashMap<>();

    final Map<String, String> skipped = new LinkedHashMap<>();
    final Map<String, String> entries = new LinkedHashMap<>();
    final Map<String, String> ids = new LinkedHashMap<>();
    String output;
    String error;

    static Recorder run(DiscoverySelector... selectors) {
        Recorder recorder = new Recorder();
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        PrintStream realOutput = System.out;
        PrintStream realError = System.err;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(error, true, StandardCharsets.UTF_8));
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectors)
                                    .build(),
                            recorder);
        } finally {
            System.setOut(realOutput);
            System.setErr(realError);
        }
        recorder.output = output.toString(StandardCharsets.UTF_8);
        recorder.error = error.toString(StandardCharsets.UTF_8);
        return recorder;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        results.put(test.getLegacyReportingName(), result);
        ids.put(test.getLegacyReportingName(), test.getUniqueId());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skipped.put(test.getLegacyReportingName(), reason);
    }

    @Override
    public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
        entries.putAll(entry.getKeyValuePairs());
    }

    Throwable failure(String name) {
        return result(name).getThrowable().orElseThrow();
    }

    TestExecutionResult.Status status(String name) {
        return result(name).getStatus();
    }

    private TestExecutionResult result(String name) {
        if (!results.containsKey(name)) {
            throw new AssertionError(name + " has not run; what has: " + results + ", printed: " + error);
        }
        return results.get(name);
    }
}
