// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests violations of the protocol by a peer, and their outcome. */
class SrdOrderingTest {
    private static final int MORE = 1 << 29;
    private static final int SEQUENCE = 1 << 14;
    private static final int FIRST = -8 * SEQUENCE & MORE - 1;
    private static final int RECEIVES = 6;
    private static final int LONGEST = 20;

    private final List<Integer> immediates = new ArrayList<>();
    private final List<String> reported = new ArrayList<>();
    private final SrdOrdering ordering = new SrdOrdering(
            new SrdOrdering.Datagrams() {
                @Override
                public boolean send(int post, int slot, long offset, int length, int immediate) {
                    immediates.add(immediate);
                    return true;
                }

                @Override
                public boolean transfer(int post, boolean writes) {
                    return true;
                }

                @Override
                public void copy(int receive, int length, int buffer, long offset) {}

                @Override
                public void giveBack(int receive) {}
            },
            8,
            8,
            10,
            3,
            RECEIVES,
            LONGEST);
    private final WireEvents events = new WireEvents() {
        @Override
        public Protocol.State state() {
            return Protocol.State.OPEN;
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            reported.add("%d bytes, kind %d, %d credits".formatted(length, Frame.kind(frame), Frame.credits(frame)));
        }

        @Override
        public void overrun() {
            throw new AssertionError();
        }

        @Override
        public void sent(long id) {
            reported.add("sent " + id);
        }

        @Override
        public void failed(long id, String reason, VerbsException cause) {
            reported.add("failed " + id + ": " + reason);
        }

        @Override
        public void linkLost(String reason) {
            reported.add(reason);
        }

        @Override
        public boolean interrupted(Error error) {
            throw new AssertionError(error);
        }
    };

    private void assertViolation(String how) {
        ordering.deliver(events);
        ordering.deliver(events);
        assertThat(reported).containsExactly("the peer does not keep to the endpoint protocol: " + how);
    }

    @Test
    void immediateDataHasKindCreditsAndNumber() {
        ordering.message(1, 0, Frame.of(Frame.CLOSE, 77), 15);
        assertThat(immediates)
                .containsExactly(FIRST | Frame.CLOSE << 30 | MORE | 77, FIRST + SEQUENCE | Frame.CLOSE << 30 | 77);
        immediates.forEach(immediate -> ordering.arrived(immediate == immediates.get(0) ? 0 : 1, true, immediate, 7));
        ordering.deliver(events);
        assertThat(reported).containsExactly("14 bytes, kind 2, 77 credits");
    }

    @Test
    void messageOutsideTheWindowIsRefused() {
        ordering.arrived(0, true, FIRST + RECEIVES * SEQUENCE, 1);
        assertViolation("message 32766 has come, which is not among the 6 that follow 32760");
    }

    @Test
    void lastMessageInTheWindowWaits() {
        ordering.arrived(0, true, FIRST + (RECEIVES - 1) * SEQUENCE, 1);
        ordering.deliver(events);
        assertThat(reported).isEmpty();
    }

    @Test
    void messageThatWasDeliveredIsRefused() {
        ordering.arrived(0, true, FIRST, 1);
        ordering.deliver(events);
        reported.clear();
        ordering.arrived(1, true, FIRST, 1);
        assertViolation("message 32760 has come, which is not among the 6 that follow 32761");
    }

    @Test
    void messageThatComesTwiceIsRefused() {
        ordering.arrived(0, true, FIRST + SEQUENCE, 1);
        ordering.arrived(1, true, FIRST + SEQUENCE, 1);
        assertViolation("message 32761 has come twice");
    }

    @Test
    void datagramWithoutImmediateDataIsRefused() {
        ordering.arrived(0, false, 0, 1);
        assertViolation("what has come is no message");
    }

    @Test
    void fragmentsThatAreTooLongTogetherAreRefused() {
        ordering.arrived(0, true, FIRST | MORE, 10);
        ordering.arrived(1, true, FIRST + SEQUENCE | MORE, 10);
        ordering.arrived(2, true, FIRST + 2 * SEQUENCE, 1);
        assertViolation("fragments that do not fit into a buffer");
    }

    @Test
    void emptyFragmentIsRefused() {
        ordering.arrived(0, true, FIRST | MORE, 0);
        assertViolation("fragments that do not fit into a buffer");
    }

    @Test
    void moreMessagesThanBuffersAreRefused() {
        for (int i = 0; i < 4; i++) {
            ordering.arrived(i, true, FIRST + i * SEQUENCE, 1);
        }
        ordering.deliver(events);
        assertThat(reported).hasSize(4).last().asString().endsWith("a message for which it had no credit");
    }

    @Test
    void refusedPostEndsTheConnection() {
        ordering.refused("for a test");
        ordering.report(events);
        ordering.report(events);
        assertThat(reported).containsExactly("posting failed: for a test");
    }
}
