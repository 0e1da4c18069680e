// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.engine.Carrier;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The connection over RDMA of an endpoint that moves: the one that there is, and those that failed and could not be
 * closed yet. Used with the endpoint's lock held.
 */
public final class RdmaConnection {
    /** Where trial messages begin among the slots. */
    private final int depth;

    private final FailoverEvents sleepEnds;
    private final List<Carrier> leftovers = new ArrayList<>();
    private Carrier wire;
    /** Trial messages, questions and answers: what was posted before the program's messages. */
    private int trialsUnderWay;

    RdmaConnection(int depth, FailoverEvents sleepEnds) {
        this.depth = depth;
        this.sleepEnds = sleepEnds;
    }

    /** Null if there is none. */
    public Carrier wire() {
        return wire;
    }

    boolean isThere() {
        return wire != null;
    }

    /** Does something with the connection, if there is one; reports an exception to {@code failure}. */
    void ask(Consumer<Carrier> question, Consumer<String> failure) {
        if (wire != null) {
            try {
                question.accept(wire);
            } catch (VerbsException | IllegalStateException e) {
                failure.accept(e.getMessage());
            }
        }
    }

    void connected(Carrier made) {
        wire = made;
        trialsUnderWay = 0;
        sleepEnds.add(made);
    }

    /** False if it cannot be posted. */
    boolean sendTrial(int number, byte[] bytes) {
        int slot = depth + number;
        wire.fill(slot, MemorySegment.ofArray(bytes));
        boolean posted = wire.postMessage(slot, Frame.of(Frame.TRIAL, 0), true) == 0;
        trialsUnderWay += posted ? 1 : 0;
        return posted;
    }

    boolean hasTrialsUnderWay() {
        return trialsUnderWay > 0;
    }

    void trialSent() {
        trialsUnderWay--;
    }

    /**
     * Gives the connection up.
     *
     * @param last takes in what has come over it until then; null for nobody
     */
    void breakOff(WireEvents last) {
        Carrier gone = wire;
        try {
            gone.toError();
            if (last != null) {
                gone.poll(last);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // What was not taken in, the peer sends again.
        }
        wire = null;
        leftovers.add(gone);
        closeLeftovers();
    }

    void toError() {
        if (wire != null) {
            wire.toError();
        }
    }

    /** A device that was removed may not let go at once. */
    void closeLeftovers() {
        leftovers.removeIf(gone -> {
            try {
                sleepEnds.remove(gone);
                CloseAll.of(gone::close, gone::free);
                return true;
            } catch (RuntimeException e) {
                return false;
            }
        });
    }

    void close() {
        if (wire != null) {
            leftovers.add(wire);
            wire = null;
        }
        closeLeftovers();
    }
}
