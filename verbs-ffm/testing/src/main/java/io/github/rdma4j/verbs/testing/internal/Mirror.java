// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.reporting.ReportEntry;

/** Reports the events of a class that runs in the container to JUnit's listener in this JVM. */
final class Mirror {
    private final TestDescriptor testClass;
    private final EngineExecutionListener listener;
    private final Map<UniqueId, TestDescriptor> known = new HashMap<>();
    private final List<TestDescriptor> running = new ArrayList<>();
    private final Set<TestDescriptor> seen = new HashSet<>();
    private TestExecutionResult engine = TestExecutionResult.successful();

    Mirror(TestDescriptor testClass, EngineExecutionListener listener) {
        this.testClass = testClass;
        this.listener = listener;
        testClass.accept(node -> known.put(node.getUniqueId(), node));
    }

    void take(Event event) {
        switch (event) {
            case Event.Registered registered -> {
                TestDescriptor test = new RemoteDescriptor(registered);
                TestDescriptor parent = find(registered.parent());
                parent.addChild(test);
                known.put(test.getUniqueId(), test);
                listener.dynamicTestRegistered(test);
            }
            case Event.Started started when !isEngine(started.id()) -> start(find(started.id()));
            case Event.Skipped skipped -> skip(find(skipped.id()), skipped.reason());
            case Event.Finished finished -> {
                failLost(Ids.ours(UniqueId.parse(finished.id())));
                TestExecutionResult result = result(finished);
                if (!isEngine(finished.id())) {
                    finish(find(finished.id()), result);
                } else if (seen.contains(testClass)) {
                    engine = result;
                } else {
                    broken(result.getThrowable()
                            .orElseGet(() -> new IllegalStateException("JUnit in the container did not run it")));
                }
            }
            case Event.Reported reported
            when !isEngine(reported.id()) ->
                listener.reportingEntryPublished(find(reported.id()), ReportEntry.from(reported.entries()));
            default -> {
                // The engine there starts for each class.
            }
        }
    }

    /** The result of JUnit Jupiter itself, of which the class's result says nothing. */
    TestExecutionResult engine() {
        return engine;
    }

    /** The JVM there has gone before its tests had ended: those that ran have failed, the others are not run. */
    void broken(Throwable reason) {
        if (running.isEmpty()) {
            // All results are reported: no test failed because the JVM did not end well.
            if (!seen.contains(testClass)) {
                start(testClass);
                finish(testClass, TestExecutionResult.failed(reason));
            }
            return;
        }
        List<TestDescriptor> inner =
                running.stream().filter(TestDescriptor::isTest).toList();
        Set<TestDescriptor> failed = new HashSet<>(inner.isEmpty() ? List.of(running.getLast()) : inner);
        for (TestDescriptor test : running.reversed().toArray(TestDescriptor[]::new)) {
            for (TestDescriptor child : test.getChildren()) {
                if (!seen.contains(child)) {
                    skip(child, "not run: the JVM of the tests had ended");
                }
            }
            finish(test, failed.contains(test) ? TestExecutionResult.failed(reason) : TestExecutionResult.successful());
        }
    }

    private void start(TestDescriptor test) {
        seen.add(test);
        running.add(test);
        listener.executionStarted(test);
    }

    private void skip(TestDescriptor test, String reason) {
        seen.add(test);
        listener.executionSkipped(test, reason);
    }

    // JUnit ends the parts of a container before it: what still runs has ended there, but its result was lost.
    private void failLost(UniqueId container) {
        for (TestDescriptor test : running.reversed().toArray(TestDescriptor[]::new)) {
            if (test.getUniqueId().hasPrefix(container) && !test.getUniqueId().equals(container)) {
                finish(
                        test,
                        TestExecutionResult.failed(
                                new IllegalStateException("its result did not arrive from the container")));
            }
        }
    }

    private void finish(TestDescriptor test, TestExecutionResult result) {
        running.remove(test);
        listener.executionFinished(test, result);
    }

    private static TestExecutionResult result(Event.Finished finished) {
        Throwable failure = finished.failure() == null
                ? null
                : finished.failure().exception(Thread.currentThread().getContextClassLoader());
        return switch (finished.status()) {
            case SUCCESSFUL -> TestExecutionResult.successful();
            case ABORTED -> TestExecutionResult.aborted(failure);
            case FAILED -> TestExecutionResult.failed(failure);
        };
    }

    private static boolean isEngine(String id) {
        return UniqueId.parse(id).getSegments().size() == 1;
    }

    private TestDescriptor find(String id) {
        TestDescriptor test = known.get(Ids.ours(UniqueId.parse(id)));
        if (test == null) {
            throw new IllegalStateException("the JVM in the container reports a test that is not known here: " + id
                    + ". Give both JVMs the same classes.");
        }
        return test;
    }
}
