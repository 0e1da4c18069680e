// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Objects;

/**
 * Who may connect to an {@link EndpointServer}: {@link EndpointConfig#admission}. It is asked before a client gets
 * anything: no queue pair, no memory, no bytes of the server but its refusal.
 *
 * <p>What a client shows travels in clear, over RDMA as over TCP: who can read the network can show it, too.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Admission {
    /**
     * Whether a client may connect. It is called in a thread that accepts, once for each client, and other clients wait
     * until it returns: it does not wait itself, and does not call the server. What it throws, an {@link Error}, too,
     * is a no; {@link EndpointServer#counters()} and the recording of JDK Flight Recorder tell of it.
     *
     * @param client who asks
     * @return whether it may
     */
    boolean admits(Client client);

    /**
     * A client that asks to be let in.
     *
     * @param address its address and port, which an attacker in the same network may have made up; null if the
     *     connection manager does not know it
     * @param token what it has shown ({@link EndpointConfig#token}); empty for nothing
     * @param privateData the program's own bytes ({@link EndpointConfig#privateData})
     */
    record Client(InetSocketAddress address, byte[] token, byte[] privateData) {
        /** {@return the address, and how much there is else; never the token} */
        @Override
        public String toString() {
            return "client at %s with a token of %d bytes".formatted(address, token.length);
        }
    }

    /**
     * Lets in who shows one of these tokens. Each is compared in a time that does not tell how much of it was right
     * ({@link MessageDigest#isEqual}), and all are compared, whichever it is. Several, so that tokens can be changed
     * while clients with the last one still come.
     *
     * @param tokens each of 1 to {@value EndpointConfig#MAX_PRIVATE_DATA} bytes; 16 random ones cannot be guessed
     * @return the rule
     * @throws IllegalArgumentException if there is no token, or one that nobody could send
     */
    static Admission token(byte[]... tokens) {
        if (tokens.length == 0) {
            throw new IllegalArgumentException("without a token nobody could connect");
        }
        byte[][] accepted = new byte[tokens.length][];
        for (int i = 0; i < tokens.length; i++) {
            int length = Objects.requireNonNull(tokens[i], "token").length;
            if (length == 0 || length > EndpointConfig.MAX_PRIVATE_DATA) {
                throw new IllegalArgumentException(
                        "a token of %d bytes: 1 to %d travel".formatted(length, EndpointConfig.MAX_PRIVATE_DATA));
            }
            accepted[i] = Arrays.copyOf(tokens[i], length);
        }
        return client -> {
            boolean equal = false;
            for (byte[] token : accepted) {
                equal |= MessageDigest.isEqual(token, client.token());
            }
            return equal;
        };
    }
}
