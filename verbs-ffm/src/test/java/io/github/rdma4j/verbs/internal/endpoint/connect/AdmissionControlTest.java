// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.TestSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import org.junit.jupiter.api.Test;

/** Incomplete handshakes are limited in number, and in the bytes that they hold together. */
class AdmissionControlTest {
    private static final long LIMIT = 512L << 20;

    private static int most(EndpointSettings config) {
        return AdmissionControl.mostHandshakes(config.memoryOfOne());
    }

    @Test
    void handshakesOfOneTransportHoldAtMostHalfAGibibyte() {
        EndpointSettings large =
                TestSettings.of(config -> config.receiveBuffers(256).maxMessageSize(1 << 14));
        assertThat(most(large)).isBetween(64, 128);
        assertThat(most(large) * large.memoryOfOne()).isLessThanOrEqualTo(LIMIT);
        EndpointSettings ofDefaults = TestSettings.of(config -> {});
        assertThat(most(ofDefaults)).isBetween(900, AdmissionControl.MOST_HANDSHAKES);
        assertThat(most(ofDefaults) * ofDefaults.memoryOfOne()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void someClientsCanAlwaysConnectAtATime() {
        EndpointSettings huge =
                TestSettings.of(config -> config.receiveBuffers(0xffff).maxMessageSize(1 << 26));
        assertThat(most(huge)).isEqualTo(2 * AdmissionControl.MOST_AT_A_TIME);
        assertThat(AdmissionControl.mostHandshakes(0)).isEqualTo(AdmissionControl.MOST_HANDSHAKES);
        assertThat(AdmissionControl.tooMany(64, 64)).isEqualTo(AdmissionControl.MOST_AT_A_TIME);
        assertThat(AdmissionControl.tooMany(10, 64)).isZero();
    }
}
