// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.VerbsException;

/**
 * Takes in the events of a {@link Wire}: the {@link Protocol}, or, between two wires and the protocol, the class that
 * chooses among them. A class and not an interface: in a program without failover, the protocol is the only subclass
 * that is loaded, and a call is direct.
 */
public abstract class WireEvents {
    /** What can still be done with the peer. */
    public abstract Protocol.State state();

    public final boolean isOpen() {
        return state() == Protocol.State.OPEN;
    }

    /** A message has come. */
    public abstract void received(int buffer, boolean framed, int frame, long length);

    /** The peer has sent more than there are buffers for, and the wire has kept some of it from this side. */
    public abstract void overrun();

    /** What was posted with an id has arrived. */
    public abstract void sent(long id);

    /**
     * What was posted with an id has failed, and the connection with it.
     *
     * @param cause of the failure; null if it is only a consequence of another one
     */
    public abstract void failed(long id, String reason, VerbsException cause);

    /** The connection has ended. What arrived before counts, above all the peer's close. */
    public abstract void linkLost(String reason);

    /**
     * An error has interrupted a method before its end, so nobody knows what was posted and what has come. Nothing is
     * sent or taken in any more.
     *
     * @return whether the connection is lost by it; false if it is known that nothing had happened
     */
    public abstract boolean interrupted(Error error);

    /** {@return what an error has done to a connection, in words} */
    public static String interruption(Error error) {
        return error.getClass().getSimpleName() + " in this program, while it used the connection";
    }
}
