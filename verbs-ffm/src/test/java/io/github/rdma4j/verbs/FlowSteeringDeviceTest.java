// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Flow rules, counters and receive hashing on a device that has none of them: every refusal is told, and nothing is left behind. */
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
        assertThatThrownBy(() -> pair.createFlowRule(
                        rule -> rule.priority(3).specs(FlowSpec.ethernet().etherType(0x0800), FlowSpec.tag(1))))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_flow(")
                .hasMessageContaining("priority=3, port=1, 2 specs");
        assertThat(pair.childCount()).isZero();
    }

    @Test
    void aRuleThatMakesNoSenseDoesNotReachTheDevice() {
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        assertThatThrownBy(() -> pair.createFlowRule(
                        rule -> rule.type(FlowRuleType.SNIFFER).doNotTrap()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("doNotTrap() is for rules of type NORMAL, and this one is SNIFFER");
        assertThatThrownBy(() -> pair.createFlowRule(rule -> rule.port(9)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 9");
        FlowSpec[] tooMany = new FlowSpec[256];
        Arrays.fill(tooMany, FlowSpec.drop());
        assertThatThrownBy(() -> pair.createFlowRule(rule -> rule.specs(tooMany)))
                .hasMessageContaining("256 specs: a rule has at most 255");
    }

    @Test
    void countersAreRefused() {
        assertThatThrownBy(() -> context.createCounters())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_counters(" + context.device().name() + ")");
    }

    @Test
    void espActionsAreRefused() {
        assertThatThrownBy(
                        () -> context.createEspFlowAction(esp -> esp.encrypt().aesGcm(new byte[16], 0, 0, 16)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_flow_action_esp")
                .hasMessageContaining("128 bits");
    }

    @Test
    void workQueuesAreRefused() {
        assertThatThrownBy(() -> domain.createWorkQueue(
                        queue, config -> config.maxWorkRequests(12).flags(WorkQueueFlag.SCATTER_FCS)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_wq(")
                .hasMessageContaining("max_wr=12, max_sge=1, flags=[SCATTER_FCS]");
        assertThat(domain.childCount()).isZero();
        int limit = context.attributes().maxQueuePairWorkRequests();
        assertThatThrownBy(() -> domain.createWorkQueue(queue, config -> config.maxWorkRequests(limit + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWorkRequests %d: device".formatted(limit + 1))
                .hasMessageContaining("allows 1.." + limit);
        assertThatThrownBy(() -> domain.createWorkQueue(queue, config -> config.maxScatterGather(0)))
                .hasMessageContaining("maxScatterGather 0");
        try (DeviceContext other = TestDevice.open()) {
            CompletionQueue foreign = other.createCompletionQueue(16);
            assertThatThrownBy(() -> domain.createWorkQueue(foreign, config -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not of the same device context");
        }
    }

    @Test
    void tablesNeedAPowerOfTwo() {
        assertThatThrownBy(() -> context.createReceiveWorkQueueTable(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a table of 0 queues: their number must be a power of two");
    }
}
