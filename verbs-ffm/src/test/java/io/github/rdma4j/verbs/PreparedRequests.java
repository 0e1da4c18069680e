// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Helpers of the tests of prepared requests and receives. */
final class PreparedRequests {
    private PreparedRequests() {}

    /** How the requests are posted. */
    enum Way {
        BASIC,
        EXTENDED
    }

    private static final Set<SendOperation> ALL = EnumSet.of(
            SendOperation.RDMA_WRITE,
            SendOperation.RDMA_WRITE_WITH_IMMEDIATE,
            SendOperation.RDMA_READ,
            SendOperation.SEND,
            SendOperation.SEND_WITH_IMMEDIATE,
            SendOperation.FETCH_AND_ADD,
            SendOperation.COMPARE_AND_SWAP);

    static PostingPair connected(Way way) {
        return new PostingPair(
                QueuePairType.RC, way == Way.BASIC ? new SendOperation[0] : ALL.toArray(SendOperation[]::new));
    }

    static PostingPair datagrams(Way way) {
        return new PostingPair(
                QueuePairType.UD,
                way == Way.BASIC
                        ? new SendOperation[0]
                        : new SendOperation[] {SendOperation.SEND, SendOperation.SEND_WITH_IMMEDIATE});
    }

    static MemorySegment memory(MemoryRegion region) {
        return region.segment();
    }

    static long word(MemoryRegion region, long index) {
        return memory(region).getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    static void word(MemoryRegion region, long index, long value) {
        memory(region).setAtIndex(ValueLayout.JAVA_LONG, index, value);
    }

    static void assertDone(WorkCompletion completion, long workRequestId) {
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        assertThat(completion.workRequestId()).isEqualTo(workRequestId);
    }

    static void assertClosed(ThrowingCallable post, String what) {
        assertThatThrownBy(post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(what)
                .hasMessageContaining("is closed");
    }

    static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }
}
