// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;

class MirrorTest {
    private static final String ENGINE = UniqueId.forEngine(Ids.JUPITER).toString();
    private static final UniqueId CLASS = UniqueId.forEngine(Ids.JUPITER).append("class", "C");
    private static final String ONE = CLASS.append("method", "one").toString();
    private static final String TWO = CLASS.append("method", "two").toString();

    private final List<String> events = new ArrayList<>();
    private final Mirror mirror = new Mirror(new RemoteDescriptor(tree()), new EngineExecutionListener() {
        @Override
        public void executionStarted(TestDescriptor test) {
            events.add("started " + test.getDisplayName());
        }

        @Override
        public void executionSkipped(TestDescriptor test, String reason) {
            events.add("skipped " + test.getDisplayName());
        }

        @Override
        public void executionFinished(TestDescriptor test, TestExecutionResult result) {
            events.add(result.getStatus() + " " + test.getDisplayName()
                    + result.getThrowable().map(e -> ": " + e.getMessage()).orElse(""));
        }

        @Override
        public void dynamicTestRegistered(TestDescriptor test) {
            events.add("registered " + test.getDisplayName() + " "
                    + test.getUniqueId().getEngineId().orElseThrow());
        }
    });

    @Test
    void jvmThatDiesInATestFailsThatTestAndSkipsTheOthers() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Started(ONE));
        mirror.broken(new IllegalStateException("died"));

        assertThat(events)
                .containsExactly("started C", "started one", "FAILED one: died", "skipped two", "SUCCESSFUL C");
    }

    @Test
    void jvmThatDiesBetweenTestsFailsTheClass() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Started(ONE));
        mirror.take(new Event.Finished(ONE, TestExecutionResult.Status.SUCCESSFUL, null));
        mirror.broken(new IllegalStateException("died"));

        assertThat(events)
                .containsExactly("started C", "started one", "SUCCESSFUL one", "skipped two", "FAILED C: died");
    }

    @Test
    void containerThatDoesNotStartFailsTheClass() {
        mirror.broken(new IllegalStateException("no Docker"));

        assertThat(events).containsExactly("started C", "FAILED C: no Docker");
    }

    @Test
    void jvmThatDiesAfterAllResultsFailsNothing() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Finished(CLASS.toString(), TestExecutionResult.Status.SUCCESSFUL, null));
        mirror.broken(new IllegalStateException("late"));

        assertThat(events).containsExactly("started C", "SUCCESSFUL C");
    }

    @Test
    void testWhoseEndIsLostFails() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Started(ONE));
        mirror.take(new Event.Started(TWO));
        mirror.take(new Event.Finished(TWO, TestExecutionResult.Status.SUCCESSFUL, null));
        mirror.take(new Event.Finished(CLASS.toString(), TestExecutionResult.Status.SUCCESSFUL, null));

        assertThat(events)
                .containsExactly(
                        "started C",
                        "started one",
                        "started two",
                        "SUCCESSFUL two",
                        "FAILED one: its result did not arrive from the container",
                        "SUCCESSFUL C");
    }

    @Test
    void classWhoseEndIsLostFails() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Finished(ENGINE, TestExecutionResult.Status.SUCCESSFUL, null));

        assertThat(events).containsExactly("started C", "FAILED C: its result did not arrive from the container");
    }

    /** For example, because the JVM in the container cannot load it. */
    @Test
    void classThatDoesNotStartThereFails() {
        mirror.take(new Event.Started(ENGINE));
        mirror.take(new Event.Finished(
                ENGINE, TestExecutionResult.Status.FAILED, Failure.of(new IllegalStateException("no class"))));

        assertThat(events).containsExactly("started C", "FAILED C: no class");
        assertThat(mirror.engine().getStatus()).isEqualTo(TestExecutionResult.Status.SUCCESSFUL);
    }

    /** For example, because an extension's resource cannot be closed. */
    @Test
    void engineThatFailsAfterTheClassIsReported() {
        mirror.take(new Event.Started(CLASS.toString()));
        mirror.take(new Event.Finished(CLASS.toString(), TestExecutionResult.Status.SUCCESSFUL, null));
        mirror.take(new Event.Finished(
                ENGINE, TestExecutionResult.Status.FAILED, Failure.of(new IllegalStateException("not closed"))));

        assertThat(events).containsExactly("started C", "SUCCESSFUL C");
        assertThat(mirror.engine().getThrowable().orElseThrow()).hasMessage("not closed");
    }

    @Test
    void remoteDescriptorsAreRegisteredHere() {
        String invocation =
                UniqueId.parse(ONE).append("test-template-invocation", "#1").toString();
        mirror.take(new Event.Registered(
                ONE, invocation, "[1]", "one()[1]", TestDescriptor.Type.TEST, null, Set.of("fast"), false));
        mirror.take(new Event.Started(invocation));

        assertThat(events).containsExactly("registered [1] " + SoftRoceTestEngine.ID, "started [1]");
    }

    @Test
    void testThatIsNotKnownIsRefusedInWords() {
        assertThatThrownBy(() -> mirror.take(
                        new Event.Started(CLASS.append("method", "three").toString())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not known here")
                .hasMessageContaining("method:three");
    }

    private static TestDescriptor tree() {
        Node testClass = new Node(CLASS, "C", TestDescriptor.Type.CONTAINER);
        testClass.addChild(new Node(UniqueId.parse(ONE), "one", TestDescriptor.Type.TEST));
        testClass.addChild(new Node(UniqueId.parse(TWO), "two", TestDescriptor.Type.TEST));
        return testClass;
    }

    private static final class Node extends AbstractTestDescriptor {
        private final Type type;

        Node(UniqueId id, String name, Type type) {
            super(id, name);
            this.type = type;
        }

        @Override
        public Type getType() {
            return type;
        }
    }
}
