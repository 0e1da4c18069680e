// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The RDMA connection of an endpoint with failover, and failed connections that could not be closed yet. Used with the
 * endpoint's lock held.
 */
public final class RdmaConnection {
    /** The first slot of the trial messages. */
    private final int depth;

    private final FailoverEvents sleepEnds;
    private final List<EndpointTransport> leftovers = new ArrayList<>();
    private EndpointTransport wire;
    /** How many trial messages, which precede the program's messages, are under way. */
    private int trialsUnderWay;

    RdmaConnection(int depth, FailoverEvents sleepEnds) {
        this.depth = depth;
        this.sleepEnds = sleepEnds;
    }

    /** {@return the current connection; null if there is none} */
    public EndpointTransport wire() {
        return wire;
    }

    boolean isThere() {
        return wire != null;
    }

    /** Runs an action on the connection, if there is one, and reports its exception to {@code failure}. */
    void ask(Consumer<EndpointTransport> question, Consumer<String> failure) {
        if (wire != null) {
            try {
                question.accept(wire);
            } catch (VerbsException | IllegalStateException e) {
                failure.accept(e.getMessage());
            }
        }
    }

    void connected(EndpointTransport made) {
        wire = made;
        trialsUnderWay = 0;
        sleepEnds.add(made);
    }

    /** Posts a trial message. Returns false if it was refused. */
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
     * Breaks the connection.
     *
     * @param last receives what has arrived before; null to drop it
     */
    void breakOff(WireEvents last) {
        EndpointTransport gone = wire;
        try {
            gone.toError();
            if (last != null) {
                gone.poll(last);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // The peer sends again what was not taken in.
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

    /** Closes failed connections: a removed device may refuse at first. */
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
