// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;

/**
 * Makes RDMA connections between a pair of endpoints, repeatedly. The two sides exchange bytes over another connection.
 * No method waits for the peer.
 */
interface RdmaDialer {
    /**
     * Starts an attempt.
     *
     * @throws RuntimeException with cause and remedy, if RDMA is not possible now
     */
    Attempt prepare();

    /**
     * Checks that RDMA connections can use memory of the program, also while there is no connection.
     *
     * @param local the memory; null for none
     * @throws IllegalArgumentException if they cannot
     */
    void check(MemorySlice local);

    /** Frees what the attempts share. Idempotent; another call retries what could not be freed. */
    void free();

    /** One side of a connection that is not complete yet. */
    interface Attempt {
        /** {@return the bytes that the peer needs} */
        byte[] offer();

        /**
         * Completes the connection; packets can arrive from now on.
         *
         * @param peer the bytes that the peer has offered
         * @return the transport, which the caller closes
         * @throws RuntimeException with cause and remedy; close the attempt then
         */
        EndpointTransport connect(byte[] peer);

        /** Closes an attempt that was not completed. */
        void close();
    }
}
