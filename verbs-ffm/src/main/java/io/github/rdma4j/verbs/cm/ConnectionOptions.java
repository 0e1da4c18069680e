// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.internal.CmCalls;
import java.lang.foreign.ValueLayout;

/**
 * The settings of a {@link ConnectionId} (rdma_set_option(3)). Each takes effect at once, and each setter returns this
 * object. If the kernel refuses a setting, the setter throws a {@link io.github.rdma4j.verbs.VerbsException}.
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
     * Sets the type of service of the connection's packets ({@code RDMA_OPTION_ID_TOS}): IP header bits that determine
     * the service level. Set it before the address is resolved or bound.
     *
     * @param value 0 to 255
     * @return this
     */
    public ConnectionOptions typeOfService(int value) {
        return setByte("TOS", TYPE_OF_SERVICE, value, 255);
    }

    /**
     * Sets whether an address in use may be bound again ({@code RDMA_OPTION_ID_REUSEADDR}), like SO_REUSEADDR.
     *
     * @param reuse true if it may
     * @return this
     */
    public ConnectionOptions reuseAddress(boolean reuse) {
        return setInt("REUSEADDR", REUSE_ADDRESS, reuse);
    }

    /**
     * Sets whether an id bound to an IPv6 address is for IPv6 only ({@code RDMA_OPTION_ID_AFONLY}), like IPV6_V6ONLY.
     *
     * @param only true if so
     * @return this
     */
    public ConnectionOptions addressFamilyOnly(boolean only) {
        ConnectionOptions result = setInt("AFONLY", ADDRESS_FAMILY_ONLY, only);
        familyChosen = true;
        return result;
    }

    /** Returns whether the program has chosen the address families of the id. */
    boolean isFamilyChosen() {
        return familyChosen;
    }

    /**
     * Sets how long the queue pair of a reliable connection waits for an acknowledgement
     * ({@code RDMA_OPTION_ID_ACK_TIMEOUT}), instead of the value that the connection manager computes from the path.
     * Set it before connecting or accepting.
     *
     * @param exponent 0 to 31: 4.096 microseconds times two to this power; 0 waits forever
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
        // The host's byte order, which is little-endian on all supported platforms.
        return set(name, OPTION_ID, option, value ? 1 : 0, new byte[] {(byte) (value ? 1 : 0), 0, 0, 0});
    }

    /**
     * Sets the InfiniBand path, instead of {@link ConnectionId#resolveRoute} ({@code RDMA_OPTION_IB_PATH}).
     * {@link CmEventType#ROUTE_RESOLVED} follows.
     *
     * @param path one or more {@code struct ibv_path_data}, as returned by {@link CmAddress#route()}
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
