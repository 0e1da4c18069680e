// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A recording of this library's events, however short, for tests. */
public final class Recorded implements AutoCloseable {
    private final Recording recording = new Recording();
    private final long number = System.nanoTime();

    /** Another recording may be running, and what it holds of the time before comes with this one. */
    @StackTrace(false)
    private static final class Beginning extends Event {
        long number;
    }

    /** Begins. */
    public Recorded() {
        for (var event : EventsTest.events()) {
            recording.enable(event).withoutThreshold();
        }
        recording.enable(Beginning.class);
        recording.start();
        Beginning beginning = new Beginning();
        beginning.number = number;
        beginning.commit();
    }

    /** Ends it; the events in the order of their ends. */
    public List<RecordedEvent> end() throws IOException {
        recording.stop();
        Path file = Files.createTempFile("recorded", ".jfr");
        try {
            recording.dump(file);
            return sinceTheBeginning(RecordingFile.readAllEvents(file));
        } finally {
            Files.delete(file);
        }
    }

    private List<RecordedEvent> sinceTheBeginning(List<RecordedEvent> events) {
        Instant beginning = of(events, Beginning.class.getName()).stream()
                .filter(event -> event.getLong("number") == number)
                .findFirst()
                .orElseThrow()
                .getEndTime();
        // The file has the recorder's buffers in the order of their arrival, so even events of one thread are in any
        // order.
        return events.stream()
                .filter(event -> !event.getEndTime().isBefore(beginning))
                .filter(event -> !event.getEventType().getName().equals(Beginning.class.getName()))
                .sorted(Comparator.comparing(RecordedEvent::getEndTime))
                .toList();
    }

    /** Returns the events with a name. */
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
