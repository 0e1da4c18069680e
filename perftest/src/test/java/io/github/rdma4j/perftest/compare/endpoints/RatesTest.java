// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.echo.Transport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatesTest {
    @Test
    void theyArePartsOfWhatTheSlowerTransportAnswers() {
        assertThat(Rates.of(List.of(4321.0, 9000.0))).containsExactly(1000.0, 2100.0, 3200.0);
        assertThat(Rates.of(List.of(2.0))).containsExactly(1.0, 1.5);
    }

    @Test
    void warmingUpEndsWhenNeitherGetsFaster() {
        WarmUp warmUp = new WarmUp();
        for (double perSecond : new double[] {1000, 2000, 4000, 4100}) {
            assertThat(warmUp.isEnough()).isFalse();
            warmUp.add(Map.of(Transport.TCP, perSecond, Transport.ENDPOINT, 5000.0));
        }
        assertThat(warmUp.isEnough()).isFalse();
        warmUp.add(Map.of(Transport.TCP, 4050.0, Transport.ENDPOINT, 5100.0));
        assertThat(warmUp.isEnough()).isTrue();
        assertThat(warmUp.last()).containsEntry(Transport.TCP, 4050.0);
    }

    @Test
    void warmingUpEndsInAnyCase() {
        WarmUp warmUp = new WarmUp();
        int parts = 0;
        while (!warmUp.isEnough()) {
            warmUp.add(Map.of(Transport.TCP, Math.pow(2, parts++)));
        }
        assertThat(parts).isEqualTo(20);
    }
}
