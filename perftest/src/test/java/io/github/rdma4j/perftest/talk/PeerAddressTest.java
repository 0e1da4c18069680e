// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {
    @Test
    void hostsMayHaveAPort() {
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "beta"))
                .isEqualTo(new PeerAddress("beta", Protocol.DOCTOR.port()));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "10.0.0.1:77")).isEqualTo(new PeerAddress("10.0.0.1", 77));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "[2001:db8::1]:77"))
                .isEqualTo(new PeerAddress("2001:db8::1", 77));
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "[2001:db8::1]").port()).isEqualTo(Protocol.DOCTOR.port());
        assertThat(PeerAddress.parse(Protocol.DOCTOR, "2001:db8::1"))
                .hasToString("[2001:db8::1]:" + Protocol.DOCTOR.port());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", ":77", "beta:", "beta:x", "beta:0", "beta:65536", "[::1", "[::1]x", "[::1]:", "[]:7"})
    void othersAreRefused(String text) {
        assertThatThrownBy(() -> PeerAddress.parse(Protocol.DOCTOR, text))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--peer: '" + text + "'");
    }
}
