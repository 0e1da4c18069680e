// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A device without flow rules, actions and counters refuses every request with an exception and leaves nothing behind.
 */
@Tag("device")
class FlowSteeringDeviceTest {
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(16);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void flowRulesAreRefused() {
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        assertThatThrownBy(() -> FlowRule.create(
                        pair, rule -> rule.priority(3).specs(FlowSpec.ethernet().etherType(0x0800), FlowSpec.tag(1))))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_flow(")
                .hasMessageContaining("priority=3, port=1, 2 specs");
        assertThat(TestDevice.childCount(pair)).isZero();
    }

    @Test
    void ruleThatMakesNoSenseDoesNotReachTheDevice() {
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        assertThatThrownBy(() -> FlowRule.create(
                        pair, rule -> rule.type(FlowRuleType.SNIFFER).doNotTrap()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("doNotTrap() is for rules of type NORMAL, and this one is SNIFFER");
        assertThatThrownBy(() -> FlowRule.create(pair, rule -> rule.port(9)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 9");
        FlowSpec[] tooMany = new FlowSpec[11];
        Arrays.fill(tooMany, FlowSpec.drop());
        assertThatThrownBy(() -> FlowRule.create(pair, rule -> rule.specs(tooMany)))
                .hasMessageContaining("11 specs: the kernel takes at most 10 in a rule");
    }

    @Test
    void countersAreRefused() {
        assertThatThrownBy(() -> Counters.create(context))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_counters(" + context.device().name() + ")");
    }

    @Test
    void espActionsAreRefused() {
        assertThatThrownBy(() -> FlowAction.esp(context, esp -> esp.encrypt().aesGcm(new byte[16], 0, 0, 16)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_flow_action_esp")
                .hasMessageContaining("128 bits");
    }
}
