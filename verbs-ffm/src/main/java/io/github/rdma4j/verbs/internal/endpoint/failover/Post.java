// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;

/** Something that was posted, as {@link Outbox} keeps it until nobody can ask for it again. */
final class Post {
    /** The kinds of posts. */
    enum Kind {
        MESSAGE,
        TRANSFER,
        CREDIT,
        CLOSE,
        PROBE
    }

    /** An id that stands for none: the protocol does not wait for the end of this post. */
    static final long NOBODY = -1;

    Kind kind;
    /** As the protocol has called it. */
    long id;

    int frame;
    /** Of a message: where its bytes are; -1 for nowhere. */
    int buffer = -1;

    long length;
    Operation operation;
    MemorySlice local;
    RemoteMemory remote;
    long operand;
    long newValue;
    /** Of the wire that has it; -1 for none. */
    int slot = -1;
    /** Of a message: which one it is of all that this side has sent; 0 before its first post. */
    long number;
    /** The wire has said that it is done. */
    boolean done;
    /** Of a message: it may have to be sent again. */
    boolean kept;

    Post of(Kind newKind, long newId, int newFrame) {
        kind = newKind;
        id = newId;
        frame = newFrame;
        return this;
    }

    /** Whether its answer could not be asked for again once something behind it has happened. */
    boolean isAsking() {
        return operation == Operation.READ || operation == Operation.GET || isAtomic();
    }

    boolean carriesCredits() {
        return kind == Kind.MESSAGE || kind == Kind.CREDIT || kind == Kind.CLOSE;
    }

    /** Whether it is not posted again if its wire fails: credits are counted, and granted again. */
    boolean isOverWithItsWire() {
        return kind == Kind.CREDIT || kind == Kind.PROBE;
    }

    boolean isAtomic() {
        return operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    }

    /** So that it can be another one. */
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
