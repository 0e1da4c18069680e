// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Incomplete handshakes are limited in number, and in the bytes that they hold together. */
class DoorkeeperTest {
    private static final long LIMIT = 512L << 20;

    private static int most(EndpointConfig config) {
        return Doorkeeper.mostHandshakes(config.memoryOfOne());
    }

    @Test
    void handshakesOfOneTransportHoldAtMostHalfAGibibyte() {
        EndpointConfig large = new EndpointConfig().receiveBuffers(256).maxMessageSize(1 << 14);
        assertThat(most(large)).isBetween(64, 128);
        assertThat(most(large) * large.memoryOfOne()).isLessThanOrEqualTo(LIMIT);
        EndpointConfig ofDefaults = new EndpointConfig();
        assertThat(most(ofDefaults)).isBetween(900, Doorkeeper.MOST_HANDSHAKES);
        assertThat(most(ofDefaults) * ofDefaults.memoryOfOne()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void someClientsCanAlwaysConnectAtATime() {
        EndpointConfig huge = new EndpointConfig().receiveBuffers(0xffff).maxMessageSize(1 << 26);
        assertThat(most(huge)).isEqualTo(2 * Doorkeeper.MOST_AT_A_TIME);
        assertThat(Doorkeeper.mostHandshakes(0)).isEqualTo(Doorkeeper.MOST_HANDSHAKES);
        assertThat(Doorkeeper.tooMany(64, 64)).isEqualTo(Doorkeeper.MOST_AT_A_TIME);
        assertThat(Doorkeeper.tooMany(10, 64)).isZero();
    }
}
