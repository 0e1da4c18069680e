// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Consumer;

/**
 * Events in a stream of bytes to which the C library of a test, or a dying JVM, also writes. An event is a secret mark,
 * a serialised object in base 64, and a line feed. All other bytes are passed on unchanged.
 */
final class EventStream {
    private static final int KEPT = 1 << 16;

    private final byte[] mark;
    private final Consumer<Event> events;
    private final Consumer<byte[]> others;
    private byte[] pending = new byte[0];

    EventStream(String token, Consumer<Event> events, Consumer<byte[]> others) {
        this.mark = mark(token);
        this.events = events;
        this.others = others;
    }

    private static byte[] mark(String token) {
        return ("\u0002rdma4j:" + token + ":").getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] encode(String token, Event event) {
        byte[] text = Base64.getEncoder().encode(serialise(event));
        byte[] mark = mark(token);
        byte[] line = new byte[mark.length + text.length + 1];
        System.arraycopy(mark, 0, line, 0, mark.length);
        System.arraycopy(text, 0, line, mark.length, text.length);
        line[line.length - 1] = '\n';
        return line;
    }

    static byte[] serialise(Serializable object) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Object deserialise(byte[] bytes, ClassLoader loader) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
                try {
                    return Class.forName(description.getName(), false, loader);
                } catch (ClassNotFoundException e) {
                    return super.resolveClass(description);
                }
            }
        }) {
            return in.readObject();
        }
    }

    /** Takes the next bytes of the stream, however they are cut. */
    void accept(byte[] bytes) {
        byte[] all = new byte[pending.length + bytes.length];
        System.arraycopy(pending, 0, all, 0, pending.length);
        System.arraycopy(bytes, 0, all, pending.length, bytes.length);
        int from = 0;
        while (true) {
            int start = find(all, from);
            if (start < 0) {
                break;
            }
            int end = start + mark.length;
            while (end < all.length && all[end] != '\n') {
                end++;
            }
            if (end >= all.length) {
                handOn(all, from, start);
                pending = Arrays.copyOfRange(all, start, all.length);
                return;
            }
            handOn(all, from, start);
            decode(Arrays.copyOfRange(all, start + mark.length, end));
            from = end + 1;
        }
        // The end may be the beginning of a mark.
        int keep = Math.min(mark.length - 1, all.length - from);
        while (keep > 0 && !beginsMark(all, all.length - keep)) {
            keep--;
        }
        handOn(all, from, all.length - keep);
        pending = Arrays.copyOfRange(all, all.length - keep, all.length);
    }

    /** The stream has ended: what was kept back is no event. */
    void end() {
        handOn(pending, 0, Math.min(pending.length, KEPT));
        pending = new byte[0];
    }

    private void handOn(byte[] bytes, int from, int to) {
        if (to > from) {
            others.accept(Arrays.copyOfRange(bytes, from, to));
        }
    }

    private void decode(byte[] text) {
        Event event;
        try {
            event = (Event) deserialise(Base64.getDecoder().decode(text), EventStream.class.getClassLoader());
        } catch (IOException | ClassNotFoundException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "what the JVM in the container reported cannot be read: " + e
                            + ". See that it has the same JUnit as this one.",
                    e);
        }
        events.accept(event);
    }

    // Where the mark stands in the bytes from `from` on, or -1.
    private int find(byte[] bytes, int from) {
        for (int at = from; at <= bytes.length - mark.length; at++) {
            if (bytes[at] == mark[0] && beginsMark(bytes, at)) {
                return at;
            }
        }
        return -1;
    }

    // Whether the bytes from `at` on, as many as there are, are the mark's.
    private boolean beginsMark(byte[] bytes, int at) {
        int length = Math.min(mark.length, bytes.length - at);
        for (int i = 0; i < length; i++) {
            if (bytes[at + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
