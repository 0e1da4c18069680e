// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory grows with the kept messages, and not with the number that the peer announces. */
class FailoverBuffersTest {
    private static final int SIZE = 64;
    private static final int DEPTH = 4;
    private static final int KEPT = 0xffff;

    private final FailoverBuffers rooms = new FailoverBuffers(SIZE, 0, DEPTH, KEPT, 3);

    @AfterEach
    void close() {
        rooms.close();
    }

    private Post keep(int number) {
        byte[] message = new byte[SIZE];
        MemorySegment.ofArray(message).set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        rooms.fill(number % DEPTH, MemorySegment.ofArray(message));
        Post post = new Post();
        rooms.take(number % DEPTH, post);
        return post;
    }

    @Test
    void noMemoryIsAllocatedForWhatThePeerAnnounces() {
        assertThat(rooms.buffers()).isEqualTo(DEPTH);
        keep(0);
        assertThat(rooms.buffers()).isEqualTo(DEPTH);
    }

    @Test
    void everyKeptMessageHasABufferOfItsOwn() {
        for (int round = 0; round < 2; round++) {
            List<Post> kept = new ArrayList<>();
            for (int i = 0; i < DEPTH + KEPT; i++) {
                kept.add(keep(i));
            }
            for (int i = 0; i < kept.size(); i++) {
                assertThat(rooms.bytes(kept.get(i)).get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                        .isEqualTo(i);
                rooms.giveBack(kept.get(i));
            }
            assertThat(rooms.buffers()).isEqualTo(DEPTH + KEPT);
        }
    }
}
