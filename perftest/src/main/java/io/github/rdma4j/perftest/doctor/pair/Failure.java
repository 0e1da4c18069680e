// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import java.util.Arrays;

/**
 * Why a test between the two ends did not succeed, as one end saw it. A plain value, which travels.
 *
 * @param kind how it showed
 * @param name of the completion's status, of rdma_cm's event or of a reject reason; empty for other kinds
 * @param text what the library said, in a sentence without its remedy
 * @param remedy what the library advises; empty if nothing
 */
public record Failure(Kind kind, String name, String text, String remedy) {
    /** How a failure shows. */
    public enum Kind {
        /** A work request completed with an error. */
        STATUS,
        /** No completion came in time. */
        SILENCE,
        /** What arrived was not what was sent. */
        CONTENT,
        /** The library or the device refused a call. */
        REFUSED,
        /** rdma_cm told of a failure, or of nothing in time. */
        CONNECTION
    }

    /** Nothing came within the time that a step has. */
    public static Failure silence(String what) {
        return new Failure(Kind.SILENCE, "", what, "");
    }

    /** Something else came than was sent. */
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
     * Of a message.
     *
     * @throws BadMessageException if it has none
     */
    public static Failure of(Fields fields) {
        String kind = fields.text("kind");
        return new Failure(
                Arrays.stream(Kind.values())
                        .filter(each -> each.name().equals(kind))
                        .findFirst()
                        .orElseThrow(
                                () -> new BadMessageException("the other end tells of a failure of no known kind")),
                fields.text("name"),
                fields.text("text"),
                fields.text("remedy"));
    }
}
