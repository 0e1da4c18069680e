// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import java.util.Arrays;

/**
 * Why a test between the two ends failed, as one end saw it. It is a plain value that can be sent to the other end.
 *
 * @param kind the kind of failure
 * @param name the name of the completion's status, of rdma_cm's event or of a reject reason; empty for other kinds
 * @param text the library's message, without its remedy
 * @param remedy the library's remedy; empty if there is none
 */
public record Failure(Kind kind, String name, String text, String remedy) {
    /** The kind of failure. */
    public enum Kind {
        /** A work request completed with an error. */
        STATUS,
        /** A work request of an EFA completed with an error. */
        EFA,
        /** No completion came in time. */
        SILENCE,
        /** The received data differs from the sent data. */
        CONTENT,
        /** The library or the device refused a call. */
        REFUSED,
        /** rdma_cm reported a failure, or no event in time. */
        CONNECTION
    }

    /** Returns the failure of a step that timed out. */
    public static Failure silence(String what) {
        return new Failure(Kind.SILENCE, "", what, "");
    }

    /** Returns the failure of a step that received other data than was sent. */
    public static Failure content(String what) {
        return new Failure(Kind.CONTENT, "", what, "");
    }

    /** For a message. */
    public Fields fields() {
        return new Fields()
                .with("kind", kind.name())
                .with("name", name)
                .with("text", text)
                .with("remedy", remedy);
    }

    /**
     * Reads a failure from a message.
     *
     * @throws BadMessageException if it has none
     */
    public static Failure of(Fields fields) {
        String kind = fields.text("kind");
        return new Failure(
                Arrays.stream(Kind.values())
                        .filter(each -> each.name().equals(kind))
                        .findFirst()
                        .orElseThrow(() -> new BadMessageException("the other end reports a failure of no known kind")),
                fields.text("name"),
                fields.text("text"),
                fields.text("remedy"));
    }
}
