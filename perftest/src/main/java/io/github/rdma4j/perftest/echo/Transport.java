// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

/** Over what the messages go. */
public enum Transport {
    /** Endpoints of verbs-ffm. */
    ENDPOINT("endpoint", "endpoint"),

    /** TCP through java.nio. */
    TCP("tcp-java", "TCP");

    private final String key;
    private final String title;

    Transport(String key, String title) {
        this.key = key;
        this.title = title;
    }

    /** As results documents name it. */
    public String key() {
        return key;
    }

    /** As people read it. */
    public String title() {
        return title;
    }
}
