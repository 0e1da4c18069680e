// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.Locale;

/** Whose tool it is. */
enum Implementation {
    /** This project's. */
    JAVA("Java"),

    /** The C perftest package's. */
    C("C");

    private final String title;

    Implementation(String title) {
        this.title = title;
    }

    /** As printed. */
    String title() {
        return title;
    }

    /** As a key in JSON. */
    String key() {
        return title.toLowerCase(Locale.ROOT);
    }

    /** Who comes first in a round, counted from 1: who comes second finds warmer caches, so they take turns. */
    static Implementation firstOf(int round) {
        return round % 2 == 1 ? JAVA : C;
    }

    /** The one that is not this. */
    Implementation other() {
        return this == JAVA ? C : JAVA;
    }
}
