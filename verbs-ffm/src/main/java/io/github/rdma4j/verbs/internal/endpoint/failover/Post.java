// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;

/** A post, which {@link Outbox} keeps until it cannot be needed again. */
final class Post {
    /** The kinds of posts. */
    enum Kind {
        MESSAGE,
        TRANSFER,
        CREDIT,
        CLOSE,
        PROBE
    }

    /** The id of a post for whose end the protocol does not wait. */
    static final long NOBODY = -1;

    Kind kind;
    /** The protocol's id. */
    long id;

    int frame;
    /** The buffer of a message; -1 for none. */
    int buffer = -1;

    long length;
    Operation operation;
    MemorySlice local;
    RemoteMemory remote;
    long operand;
    long newValue;
    /** The slot of the transport; -1 for none. */
    int slot = -1;
    /** The number of a message among all messages of this side; 0 before its first post. */
    long number;
    /** Whether the transport has reported it done. */
    boolean done;
    /** Whether a message may have to be sent again. */
    boolean kept;

    Post of(Kind newKind, long newId, int newFrame) {
        kind = newKind;
        id = newId;
        frame = newFrame;
        return this;
    }

    /** Whether it cannot be repeated once a later post has taken effect. */
    boolean isAsking() {
        return operation == Operation.READ || operation == Operation.GET || isAtomic();
    }

    boolean carriesCredits() {
        return kind == Kind.MESSAGE || kind == Kind.CREDIT || kind == Kind.CLOSE;
    }

    /** Whether it is not repeated if its transport fails: credits are counted, and granted again. */
    boolean isOverWithItsWire() {
        return kind == Kind.CREDIT || kind == Kind.PROBE;
    }

    boolean isAtomic() {
        return operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    }

    /** Resets it for reuse. */
    void clear() {
        operation = null;
        local = null;
        remote = null;
        slot = -1;
        number = 0;
        done = false;
        kept = false;
        buffer = -1;
    }
}
