// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OrdersTest {
    @Test
    void otherMachineReadsWhatThisOneWrites() {
        for (Scenario scenario : Scenarios.all()) {
            Peer.Orders orders = new Peer.Orders(
                    scenario.load(),
                    7,
                    scenario.lengthMillis(),
                    9,
                    scenario.silenceMillis(),
                    scenario.fault().wire());
            assertThat(Peer.Orders.of(orders.words())).isEqualTo(orders);
        }
    }

    @Test
    void allowedDatagramLossFollowsFromTheFault() {
        assertThat(Fault.none().wire()).isEqualTo(new Fault.Wire(false, false, false));
        assertThat(Fault.wire("", "delay 50ms").wire()).isEqualTo(new Fault.Wire(false, false, false));
        assertThat(Fault.wire("", "loss 5%").wire()).isEqualTo(new Fault.Wire(true, false, false));
        assertThat(Fault.wire("", "duplicate 5%").wire()).isEqualTo(new Fault.Wire(true, true, false));
        assertThat(Fault.wire("", "delay 1ms reorder 25%").wire()).isEqualTo(new Fault.Wire(true, false, true));
        assertThat(Fault.smallerMtu("", Step.Place.BOTH, 3_000).wire()).isEqualTo(new Fault.Wire(true, false, true));
    }

    @Test
    void requestHasItsKindAndNumber() {
        for (CmAnswer answer : CmAnswer.values()) {
            byte[] asked = answer.ask(77);
            assertThat(CmAnswer.of(asked)).isEqualTo(answer);
            assertThat(CmAnswer.number(asked)).isEqualTo(77);
            assertThat(CmAnswer.is(Arrays.copyOf(asked, 56), asked)).isTrue();
            assertThat(CmAnswer.is(answer.ask(78), asked)).isFalse();
            assertThat(CmAnswer.is(new byte[3], asked)).isFalse();
        }
    }
}
