// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EchoSettingTest {
    @Test
    void travelsAsALine() {
        EchoSetting setting = new EchoSetting(Transport.ENDPOINT, "10.99.0.1", 7471, 64, 8);

        assertThat(EchoSetting.decode(setting.encode())).isEqualTo(setting);
        assertThatThrownBy(() -> EchoSetting.decode("nonsense")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void manyConnectionsHaveFewerBuffersEach() {
        assertThat(new EchoSetting(Transport.ENDPOINT, "", 0, 64, 1).depth()).isEqualTo(64);
        assertThat(new EchoSetting(Transport.ENDPOINT, "", 0, 64, 16).depth()).isEqualTo(32);
        assertThat(new EchoSetting(Transport.ENDPOINT, "", 0, 64, 64).depth()).isEqualTo(16);
    }
}
