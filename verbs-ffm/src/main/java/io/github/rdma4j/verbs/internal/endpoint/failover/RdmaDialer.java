// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.internal.endpoint.engine.Carrier;

/**
 * How a pair of endpoints can get a connection over RDMA, again and again, by words that travel over another one. None
 * of it waits for the peer.
 */
interface RdmaDialer {
    /**
     * One try.
     *
     * @throws RuntimeException with cause and remedy, if there is no way now
     */
    Attempt prepare();

    /**
     * Whether it could use memory of the program's, which may be asked while there is no connection.
     *
     * @param local null for none
     * @throws IllegalArgumentException if it could not
     */
    void check(MemorySlice local);

    /** Frees what the tries share. Idempotent; what cannot be freed is tried again by another call. */
    void free();

    /** One side of a connection that is not made yet. */
    interface Attempt {
        /** The bytes that the peer needs. */
        byte[] offer();

        /**
         * Makes the connection; packets can come from now on.
         *
         * @param peer what the peer has offered
         * @return the wire, which the caller closes
         * @throws RuntimeException with cause and remedy; close the attempt then
         */
        Carrier connect(byte[] peer);

        /** Gives it up before it is connected. */
        void close();
    }
}
