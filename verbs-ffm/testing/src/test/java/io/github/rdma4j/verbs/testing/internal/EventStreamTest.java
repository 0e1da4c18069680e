// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventStreamTest {
    private final List<Event> events = new ArrayList<>();
    private final ByteArrayOutputStream others = new ByteArrayOutputStream();
    private final EventStream stream = new EventStream("t0", events::add, others::writeBytes);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50, 100_000})
    void separatesEventsFromOtherBytesHoweverTheyAreCut(int size) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(ascii("a line of the C library without an end"));
        all.writeBytes(EventStream.encode("t0", new Event.Started("one")));
        all.writeBytes(ascii("\u0002rdma4j:other:not one of ours\n"));
        all.writeBytes(EventStream.encode("t0", new Event.Output(true, new byte[] {0, 2, 10, -1})));
        all.writeBytes(EventStream.encode("t0", new Event.Done()));
        all.writeBytes(ascii("\u0002rdma4j:t"));
        byte[] bytes = all.toByteArray();
        for (int at = 0; at < bytes.length; at += size) {
            stream.accept(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
        }
        stream.end();

        assertThat(events).hasSize(3);
        assertThat(events.getFirst()).isEqualTo(new Event.Started("one"));
        assertThat(((Event.Output) events.get(1)).bytes()).containsExactly(0, 2, 10, -1);
        assertThat(others.toString(StandardCharsets.US_ASCII))
                .isEqualTo("a line of the C library without an end\u0002rdma4j:other:not one of ours\n\u0002rdma4j:t");
    }

    @Test
    void saysWhatItCannotRead() {
        assertThatThrownBy(() -> stream.accept(ascii("\u0002rdma4j:t0:AAAA\n")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be read")
                .hasMessageContaining("the same JUnit");
    }

    @Test
    void writerKeepsTheOrderOfOutputAndEvents() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EventWriter writer = new EventWriter(out, "t0");
        writer.output(false).write(ascii("before"));
        writer.send(new Event.Started("one"));
        writer.output(true).write(ascii("during"));
        writer.output(true).flush();
        writer.send(new Event.Done());
        stream.accept(out.toByteArray());

        assertThat(events)
                .map(event -> event instanceof Event.Output output
                        ? new String(output.bytes(), StandardCharsets.US_ASCII)
                        : event)
                .containsExactly("before", new Event.Started("one"), "during", new Event.Done());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
