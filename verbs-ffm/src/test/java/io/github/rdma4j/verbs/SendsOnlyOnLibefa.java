// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An adapter of the first generation, which only sends. */
@Timeout(120)
class SendsOnlyOnLibefa {
    private final SrdSide side = new SrdSide(config -> {});

    @AfterEach
    void close() {
        side.close();
    }

    @Test
    void operationsThatTheAdapterLacksAreRefused() {
        assertThat(side.device.queryEfa().capabilities()).isEmpty();
        RemoteMemory memory = side.memory.slice(0, 8).remoteMemory();
        assertThatThrownBy(() -> side.pair.tryPostRead(1, side.memory.slice(8, 8), memory, side.to(side)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("posting an RDMA read on efa_0")
                .hasMessageContaining("does not report RDMA_READ, which needs rdma-core 27 or later");
        assertThatThrownBy(() -> side.pair.tryPostWrite(1, side.memory.slice(8, 8), memory, side.to(side)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not report RDMA_WRITE, which needs rdma-core 46 or later");
        assertThatThrownBy(
                        () -> side.pair.tryPostWriteWithImmediate(1, side.memory.slice(8, 8), memory, 7, side.to(side)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not report RDMA_WRITE");
    }

    @Test
    void settingsThatTheAdapterLacksAreRefused() {
        assertThatThrownBy(() -> side.domain.createSrdQueuePair(
                        config -> config.completionQueue(side.queue).rnrRetry(7)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not report RNR_RETRY, which needs rdma-core 32 or later");
        assertThatThrownBy(() -> side.domain.createSrdQueuePair(
                        config -> config.completionQueue(side.queue).unsolicitedWrites(true)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not report UNSOLICITED_WRITE_RECEIVE, which needs rdma-core 52 or later");
        assertThatThrownBy(() -> side.device.createExtendedCompletionQueue(
                        16, config -> config.fields(WorkCompletionField.SENDER_GID)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("efadv_create_cq(efa_0");
        assertThatThrownBy(() -> side.device.createCompletionQueue(
                        16, config -> config.channel(side.device.createCompletionChannel())))
                .isInstanceOf(UnsupportedVerbException.class);
    }
}
