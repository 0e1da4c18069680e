// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.CorruptBlockException;
import io.github.rdma4j.verbs.endpoint.SealedBlock;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class FailureRecordingsTest {
    private static final int LENGTH = 64;

    /** Tests of a run inside a test, and of no other. */
    private static boolean inside;

    @TempDir
    private Path folder;

    /** One that passes and two that fail, since data were changed. */
    @EnabledIf("isInside")
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Inner {
        static boolean isInside() {
            return inside;
        }

        @Test
        @Order(1)
        void passes() {
            sealed(1).verify();
        }

        @Test
        @Order(2)
        void failsFirst() {
            spoilt(7).verify();
        }

        @Test
        @Order(3)
        void failsLater() {
            spoilt(8).verify();
        }
    }

    private static SealedBlock sealed(long version) {
        SealedBlock block = SealedBlock.of(Arena.ofAuto().allocate(LENGTH + SealedBlock.TRAILER));
        block.seal(version);
        return block;
    }

    private static SealedBlock spoilt(long version) {
        MemorySegment memory = Arena.ofAuto().allocate(LENGTH + SealedBlock.TRAILER);
        SealedBlock block = SealedBlock.of(memory);
        block.seal(version);
        memory.set(ValueLayout.JAVA_BYTE, 5, (byte) 1);
        return block;
    }

    private void runInner(FailureRecordings recordings) {
        inside = true;
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(Inner.class))
                                    .build(),
                            recordings);
        } finally {
            inside = false;
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void eachFailureHasARecordingOfWhatLedToIt() throws IOException {
        runInner(new FailureRecordings(folder));

        assertThat(files())
                .extracting(file -> file.getFileName().toString())
                .containsExactly(
                        "01-rdma4j.verbs.recordings.FailureRecordingsTest_Inner_failsFirst_.jfr",
                        "02-rdma4j.verbs.recordings.FailureRecordingsTest_Inner_failsLater_.jfr");
        List<RecordedEvent> first = RecordingFile.readAllEvents(files().getFirst());
        assertThat(versions(first)).containsExactly(7L);
        RecordedEvent failed = tests(first).getLast();
        assertThat(failed.getString("name")).isEqualTo("failsFirst()");
        assertThat(failed.getString("failure")).startsWith(CorruptBlockException.class.getName());
        RecordedEvent corrupt = first.stream()
                .filter(event -> event.getEventType().getName().equals("rdma4j.CorruptBlock"))
                .findFirst()
                .orElseThrow();
        assertThat(corrupt.getStackTrace().getFrames())
                .anyMatch(frame -> frame.getMethod().getName().equals("failsFirst"));
        assertThat(corrupt.getStartTime()).isBetween(failed.getStartTime(), failed.getEndTime());

        List<RecordedEvent> second = RecordingFile.readAllEvents(files().getLast());
        assertThat(versions(second)).endsWith(8L);
        assertThat(tests(second).getLast().getString("name")).isEqualTo("failsLater()");
    }

    private static List<Long> versions(List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("rdma4j.CorruptBlock"))
                .map(event -> event.getLong("version"))
                .toList();
    }

    private static List<RecordedEvent> tests(List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("rdma4j.tests.Test"))
                .toList();
    }

    /** As in a run of the unit tests. */
    @Test
    void withoutAFolderNothingIsRecorded() throws IOException {
        runInner(new FailureRecordings(null));

        assertThat(files()).isEmpty();
    }
}
