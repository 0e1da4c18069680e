// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A recording of this library's events, however short, for tests. */
public final class Recorded implements AutoCloseable {
    private final Recording recording = new Recording();

    /** Begins. */
    public Recorded() {
        for (var event : EventsTest.events()) {
            recording.enable(event).withoutThreshold();
        }
        recording.start();
    }

    /** Ends it; the events in the order of their ends. */
    public List<RecordedEvent> end() throws IOException {
        recording.stop();
        Path file = Files.createTempFile("recorded", ".jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file);
        } finally {
            Files.delete(file);
        }
    }

    /** Those of one name. */
    public static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    @Override
    public void close() {
        recording.close();
    }
}
