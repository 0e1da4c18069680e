// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Objects;

/**
 * Decides which clients may connect to an {@link EndpointServer}; see {@link EndpointConfig#admission}. The server
 * calls it before it allocates a queue pair or memory for the client.
 *
 * <p>A token travels in clear, over RDMA and over TCP. Anyone who can read the network can copy it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Admission {
    /**
     * Returns whether a client may connect. An accepting thread calls this method once for each client, and other
     * clients wait until it returns. It must not block or call the server. If it throws an exception or {@link Error},
     * the client is refused; {@link EndpointServer#counters()} counts it and JDK Flight Recorder records the failure.
     *
     * @param client the client
     * @return whether to admit it
     */
    boolean admits(Client client);

    /**
     * A client that asks to be admitted.
     *
     * @param address its address and port, which an attacker in the same network may have forged; null if the
     *     connection manager does not know it
     * @param token the client's {@link EndpointConfig#token}; empty if there is none
     * @param privateData the client's {@link EndpointConfig#privateData}
     */
    record Client(InetSocketAddress address, byte[] token, byte[] privateData) {
        /** {@return the address and the length of the token, not the token itself} */
        @Override
        public String toString() {
            return "client at %s with a token of %d bytes".formatted(address, token.length);
        }
    }

    /**
     * Admits clients that show one of these tokens. Each comparison takes a time that does not depend on how much of
     * the token is right ({@link MessageDigest#isEqual}), and all tokens are compared. With several tokens you can
     * change the token while clients still use the previous one.
     *
     * @param tokens each of 1 to {@value EndpointConfig#MAX_PRIVATE_DATA} bytes; use 16 random bytes
     * @return the rule
     * @throws IllegalArgumentException if there is no token, or one that is empty or too long
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
                        "a token of %d bytes: 1 to %d fit".formatted(length, EndpointConfig.MAX_PRIVATE_DATA));
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
