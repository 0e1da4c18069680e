// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Sends the notifications of JUnit as events. */
final class WorkerListener implements TestExecutionListener {
    private final EventWriter events;

    WorkerListener(EventWriter events) {
        this.events = events;
    }

    @Override
    public void dynamicTestRegistered(TestIdentifier test) {
        events.send(new Event.Registered(
                test.getParentId().orElseThrow(),
                test.getUniqueId(),
                test.getDisplayName(),
                test.getLegacyReportingName(),
                test.getType(),
                test.getSource().orElse(null),
                test.getTags().stream().map(TestTag::getName).collect(Collectors.toSet()),
                test.isContainer()));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        events.send(new Event.Skipped(test.getUniqueId(), reason));
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        events.send(new Event.Started(test.getUniqueId()));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        events.send(new Event.Finished(
                test.getUniqueId(),
                result.getStatus(),
                result.getThrowable().map(Failure::of).orElse(null)));
    }

    @Override
    public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
        events.send(new Event.Reported(test.getUniqueId(), Map.copyOf(entry.getKeyValuePairs())));
    }
}
