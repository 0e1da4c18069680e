// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Writes events to a stream, from any thread, and makes what a test prints to events in their order. */
final class EventWriter {
    private static final int LARGEST_OUTPUT = 8192;

    private final OutputStream out;
    private final String token;
    private final ByteArrayOutputStream[] buffers = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
    // Nothing counts before the tests begin.
    private boolean begun;
    private long lastProgress;

    EventWriter(OutputStream out, String token) {
        this.out = out;
        this.token = token;
    }

    synchronized void send(Event event) {
        flush(false);
        flush(true);
        begun = true;
        lastProgress = System.nanoTime();
        write(event);
    }

    /** Nanoseconds since the last event that was no output; 0 before the first. */
    synchronized long nanosSinceProgress() {
        return begun ? System.nanoTime() - lastProgress : 0;
    }

    OutputStream output(boolean error) {
        return new OutputStream() {
            @Override
            public void write(int value) {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                synchronized (EventWriter.this) {
                    ByteArrayOutputStream buffer = buffers[error ? 1 : 0];
                    buffer.write(bytes, offset, length);
                    if (buffer.size() >= LARGEST_OUTPUT) {
                        EventWriter.this.flush(error);
                    }
                }
            }

            @Override
            public void flush() {
                EventWriter.this.flush(error);
            }
        };
    }

    private synchronized void flush(boolean error) {
        ByteArrayOutputStream buffer = buffers[error ? 1 : 0];
        if (buffer.size() > 0) {
            byte[] bytes = buffer.toByteArray();
            buffer.reset();
            write(new Event.Output(error, bytes));
        }
    }

    private void write(Event event) {
        try {
            out.write(EventStream.encode(token, event));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("nobody reads the events of the tests", e);
        }
    }
}
