// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.internal.CmCalls;
import java.lang.foreign.ValueLayout;

/**
 * The settings of a {@link ConnectionId} (rdma_set_option(3)). Each takes effect at once, and each setter returns this
 * object. What the kernel does not take is a {@link io.github.rdma4j.verbs.VerbsException}.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class ConnectionOptions {
    static final int OPTION_ID = 0;
    private static final int OPTION_IB = 1;
    private static final int TYPE_OF_SERVICE = 0;
    private static final int REUSE_ADDRESS = 1;
    static final int ADDRESS_FAMILY_ONLY = 2;
    private static final int ACK_TIMEOUT = 3;
    private static final int INFINIBAND_PATH = 1;
    private static final int MAX_ACK_TIMEOUT = 31;

    private final ConnectionId id;
    private volatile boolean familyChosen;

    ConnectionOptions(ConnectionId id) {
        this.id = id;
    }

    /**
     * The type of service of the connection's packets ({@code RDMA_OPTION_ID_TOS}): IP header bits, from which the
     * service level follows. Set it before the address is resolved or bound.
     *
     * @param value 0 to 255
     * @return this
     */
    public ConnectionOptions typeOfService(int value) {
        return setByte("TOS", TYPE_OF_SERVICE, value, 255);
    }

    /**
     * Whether an address in use may be bound again ({@code RDMA_OPTION_ID_REUSEADDR}), as SO_REUSEADDR has it.
     *
     * @param reuse true if it may
     * @return this
     */
    public ConnectionOptions reuseAddress(boolean reuse) {
        return setInt("REUSEADDR", REUSE_ADDRESS, reuse);
    }

    /**
     * Whether an id bound to an IPv6 address is for IPv6 only ({@code RDMA_OPTION_ID_AFONLY}), as IPV6_V6ONLY has it.
     *
     * @param only true if so
     * @return this
     */
    public ConnectionOptions addressFamilyOnly(boolean only) {
        ConnectionOptions result = setInt("AFONLY", ADDRESS_FAMILY_ONLY, only);
        familyChosen = true;
        return result;
    }

    /** Whether the program has said which families an id takes. */
    boolean isFamilyChosen() {
        return familyChosen;
    }

    /**
     * How long the queue pair of a reliable connection waits for an acknowledgement
     * ({@code RDMA_OPTION_ID_ACK_TIMEOUT}), in place of what the connection manager computes from the path. Set it
     * before connecting or accepting.
     *
     * @param exponent 0 to 31: 4.096 microseconds times two to this power; 0 waits for ever
     * @return this
     */
    public ConnectionOptions ackTimeout(int exponent) {
        return setByte("ACK_TIMEOUT", ACK_TIMEOUT, exponent, MAX_ACK_TIMEOUT);
    }

    private ConnectionOptions setByte(String name, int option, int value, int high) {
        if (value < 0 || value > high) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, high));
        }
        return set(name, OPTION_ID, option, value, new byte[] {(byte) value});
    }

    private ConnectionOptions setInt(String name, int option, boolean value) {
        // The host's byte order, which is little-endian wherever rdma4j runs.
        return set(name, OPTION_ID, option, value ? 1 : 0, new byte[] {(byte) (value ? 1 : 0), 0, 0, 0});
    }

    /**
     * The InfiniBand path to use, in place of {@link ConnectionId#resolveRoute} ({@code RDMA_OPTION_IB_PATH}).
     * {@link CmEventType#ROUTE_RESOLVED} follows.
     *
     * @param path one or more {@code struct ibv_path_data}, as {@link CmAddress#route()} gives them
     * @return this
     */
    public ConnectionOptions infiniBandPath(byte[] path) {
        return set("IB_PATH", OPTION_IB, INFINIBAND_PATH, path.length, path);
    }

    private ConnectionOptions set(String name, int level, int option, int shown, byte[] value) {
        id.call(
                "rdma_set_option(%s, %s=%d)".formatted(id, name, shown),
                "an id that this option is meant for, in an earlier state, or another value",
                arena -> CmCalls.setOption(
                        id.segment(), level, option, arena.allocateFrom(ValueLayout.JAVA_BYTE, value), value.length));
        return this;
    }
}
