// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.VerbsException;

/**
 * The receiver of a {@link Wire}'s events: the {@link Protocol}, or with failover the class that chooses between two
 * wires. It is a class, not an interface: without failover the protocol is its only loaded subclass, so that calls are
 * direct.
 */
public abstract class WireEvents {
    /** {@return the state of the connection} */
    public abstract Protocol.State state();

    public final boolean isOpen() {
        return state() == Protocol.State.OPEN;
    }

    /** A message has arrived. */
    public abstract void received(int buffer, boolean framed, int frame, long length);

    /** The peer has sent more than it had credits for, and the wire has dropped some of it. */
    public abstract void overrun();

    /** The post with an id has completed. */
    public abstract void sent(long id);

    /**
     * The post with an id has failed, and with it the connection.
     *
     * @param cause the cause; null if the failure is only a consequence of another one
     */
    public abstract void failed(long id, String reason, VerbsException cause);

    /** The connection has ended. Earlier arrivals count, in particular the peer's close message. */
    public abstract void linkLost(String reason);

    /**
     * An error has interrupted a method, so the state is unknown. Nothing is sent or taken in any more.
     *
     * @return whether the connection is lost; false if it is known that the error has changed nothing
     */
    public abstract boolean interrupted(Error error);

    /** {@return the reason for the loss of a connection by an error} */
    public static String interruption(Error error) {
        return error.getClass().getSimpleName() + " in this program, while it used the connection";
    }
}
