// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.HexFormat;

/** Queue pairs and memory, as messages have them. */
final class WireValues {
    private static final String ENDPOINT = "endpoint";
    private static final String MEMORY = "memory";

    private WireValues() {}

    static Fields endpoint(QueuePairEndpoint endpoint) {
        return new Fields().with(ENDPOINT, HexFormat.of().formatHex(endpoint.toBytes()));
    }

    static Fields memory(Fields fields, RemoteMemory memory) {
        return fields.with(MEMORY, HexFormat.of().formatHex(memory.toBytes()));
    }

    /**
     * Reads an endpoint from a message.
     *
     * @throws BadMessageException if there is none, or an invalid one
     */
    static QueuePairEndpoint endpoint(Fields fields) {
        try {
            return QueuePairEndpoint.fromBytes(bytes(fields.text(ENDPOINT), QueuePairEndpoint.BYTES));
        } catch (IllegalArgumentException failure) {
            throw new BadMessageException("the other end's queue pair is invalid: " + failure.getMessage());
        }
    }

    /**
     * Reads a memory from a message.
     *
     * @throws BadMessageException if there is none, or an invalid one
     */
    static RemoteMemory memory(Fields fields) {
        try {
            RemoteMemory memory = RemoteMemory.fromBytes(bytes(fields.text(MEMORY), RemoteMemory.BYTES));
            if (memory.length() != WireEnd.ROOM) {
                throw new IllegalArgumentException(memory.length() + " bytes, not " + WireEnd.ROOM);
            }
            return memory;
        } catch (IllegalArgumentException failure) {
            throw new BadMessageException("the other end's memory is invalid: " + failure.getMessage());
        }
    }

    private static byte[] bytes(String text, int length) {
        if (text.length() != 2 * length) {
            throw new IllegalArgumentException(text.length() + " digits, not " + 2 * length);
        }
        return HexFormat.of().parseHex(text);
    }
}
