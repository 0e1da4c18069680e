// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

/** The program and the transport of a measurement; each has one colour in all charts. */
enum Party {
    /** This project's tools. */
    JAVA("java", "Java"),

    /** The C perftest package's. */
    C("c", "C"),

    /** A Java program over plain TCP. */
    TCP_JAVA("tcp-java", "TCP Java"),

    /** A C program over plain TCP. */
    TCP_C("tcp-c", "TCP C"),

    /** An implementation that this version does not have. */
    OTHER("other", "");

    private final String key;
    private final String title;

    Party(String key, String title) {
        this.key = key;
        this.title = title;
    }

    /** Returns the key in results documents and in the page's style sheet. */
    String key() {
        return key;
    }

    /** Returns the shown name. */
    String title() {
        return title;
    }

    /** Returns whether it is over plain TCP. */
    boolean isTcp() {
        return this == TCP_JAVA || this == TCP_C;
    }

    /**
     * Returns the party for the "implementation" of a test.
     *
     * @param implementation null, in a document of C's own tools, means C
     */
    static Party of(String implementation) {
        if (implementation == null) {
            return C;
        }
        for (Party party : values()) {
            if (party.key.equals(implementation)) {
                return party;
            }
        }
        return implementation.startsWith("rdma4j") ? JAVA : OTHER;
    }
}
