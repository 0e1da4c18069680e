// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.TransferException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests to a peer over TCP complete once and in order, and no response is accepted for another request. */
class TcpRequestsTest {
    private static final byte[] KINDS = {
        TcpFrame.MESSAGE,
        TcpFrame.PROBE,
        TcpFrame.WRITE,
        TcpFrame.READ,
        TcpFrame.COMPARE_AND_SWAP,
        TcpFrame.FETCH_AND_ADD
    };

    /** Records the events. */
    private static final class Received extends WireEvents {
        final List<String> all = new ArrayList<>();
        VerbsException cause;
        /** Whether there is no memory for the next event. */
        boolean outOfMemory;

        List<String> all() {
            List<String> copy = List.copyOf(all);
            all.clear();
            return copy;
        }

        @Override
        public Protocol.State state() {
            return Protocol.State.OPEN;
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            throw new AssertionError("a message");
        }

        @Override
        public void overrun() {
            throw new AssertionError("an overrun");
        }

        @Override
        public void sent(long id) {
            if (outOfMemory) {
                outOfMemory = false;
                throw new OutOfMemoryError("of the test");
            }
            all.add("sent " + id);
        }

        @Override
        public void failed(long id, String reason, VerbsException why) {
            all.add("failed " + id + ": " + reason);
            cause = why;
        }

        @Override
        public boolean interrupted(Error error) {
            return false;
        }

        @Override
        public void linkLost(String reason) {
            throw new AssertionError("a loss");
        }

        @Override
        public String toString() {
            return "the peer";
        }
    }

    private final TcpRequests requests = new TcpRequests(3);
    private final Received events = new Received();

    private void add(long id, byte kind) {
        requests.add(id, kind, null, 0, 8);
    }

    @Test
    void countedRequestsCompleteOnceAndInOrder() {
        int counted = 0;
        for (int i = 0; i < 20; i += 2) {
            add(i, TcpFrame.MESSAGE);
            add(i + 1, TcpFrame.WRITE);
            assertThat(requests.finishUpTo(counted, 0, events)).isTrue();
            assertThat(events.all()).isEmpty();
            assertThat(requests.finishUpTo(++counted, 0, events)).isTrue();
            assertThat(events.all()).containsExactly("sent " + i);
            add(100, TcpFrame.PROBE);
            add(200, TcpFrame.PROBE);
            counted += 3;
            assertThat(requests.finishUpTo(counted, 0, events)).isTrue();
            assertThat(events.all()).containsExactly("sent " + (i + 1), "sent 100", "sent 200");
        }
    }

    @Test
    void peerCannotCountWhatWasNotAskedOrNeedsAnAnswer() {
        add(1, TcpFrame.MESSAGE);
        assertThat(requests.finishUpTo(2, 0, events)).isFalse();
        assertThat(requests.finishUpTo(1, 0, events)).isTrue();
        assertThat(events.all()).containsExactly("sent 1");
        for (byte kind : new byte[] {TcpFrame.READ, TcpFrame.COMPARE_AND_SWAP, TcpFrame.FETCH_AND_ADD}) {
            TcpRequests asked = new TcpRequests(3);
            asked.add(7, kind, null, 0, 8);
            assertThat(asked.finishUpTo(1, 0, events)).as("kind " + kind).isFalse();
            assertThat(events.all()).isEmpty();
        }
    }

    @Test
    void peerCannotCountOrAnswerWhatWasNotSent() {
        for (byte kind : KINDS) {
            TcpRequests sent = new TcpRequests(2);
            sent.add(1, kind, null, 0, 8);
            sent.add(2, kind, null, 0, 8);
            byte answer = kind == TcpFrame.READ ? TcpFrame.DATA : TcpFrame.VALUE;
            assertThat(sent.awaits(answer, 8, 2)).as("kind " + kind).isFalse();
            assertThat(sent.awaits(TcpFrame.REFUSED, 0, 2)).as("kind " + kind).isFalse();
            if (TcpFrame.asksForAnswer(kind)) {
                assertThat(sent.awaits(answer, 8, 1)).as("kind " + kind).isTrue();
            } else {
                assertThat(sent.finishUpTo(1, 2, events)).as("kind " + kind).isFalse();
                assertThat(events.all()).isEmpty();
                assertThat(sent.finishUpTo(2, 1, events)).as("kind " + kind).isFalse();
                assertThat(events.all()).containsExactly("sent 1");
            }
        }
    }

    /** Its machine has acknowledged it, and its program counts it later. */
    @Test
    void requestDoneBeforeItsCountIsNotRepeated() {
        add(1, TcpFrame.MESSAGE);
        add(2, TcpFrame.MESSAGE);
        requests.finishOldest(events);
        assertThat(requests.finishUpTo(1, 0, events)).isTrue();
        assertThat(requests.finishUpTo(2, 0, events)).isTrue();
        assertThat(events.all()).containsExactly("sent 1", "sent 2");
    }

    @Test
    void completionLostToMissingMemoryIsReportedAgain() {
        add(1, TcpFrame.MESSAGE);
        add(2, TcpFrame.MESSAGE);
        events.outOfMemory = true;
        assertThatThrownBy(() -> requests.finishUpTo(2, 0, events)).isInstanceOf(OutOfMemoryError.class);
        assertThat(requests.oldest()).isEqualTo(1);
        assertThat(requests.finishUpTo(2, 0, events)).isTrue();
        assertThat(events.all()).containsExactly("sent 1", "sent 2");
    }

    @Test
    void onlyWhatChangesNoMemoryIsDoneWhenThePeersMachineHasIt() {
        assertThat(requests.isOldestAMessage()).isFalse();
        for (byte kind : KINDS) {
            TcpRequests asked = new TcpRequests(1);
            asked.add(1, kind, null, 0, 8);
            assertThat(asked.isOldestAMessage())
                    .as("kind " + kind)
                    .isEqualTo(kind == TcpFrame.MESSAGE || kind == TcpFrame.PROBE);
            asked.finishOldest(events);
            assertThat(asked.isOldestAMessage()).isFalse();
        }
    }

    @Test
    void answerMustFitTheOldestQuestion() {
        for (byte answer : new byte[] {TcpFrame.DATA, TcpFrame.VALUE, TcpFrame.REFUSED}) {
            assertThat(requests.awaits(answer, 8, 0)).isFalse();
        }
        for (byte kind : KINDS) {
            TcpRequests asked = new TcpRequests(1);
            asked.add(1, kind, null, 0, 8);
            boolean atomic = kind == TcpFrame.COMPARE_AND_SWAP || kind == TcpFrame.FETCH_AND_ADD;
            boolean ofMemory = atomic || kind == TcpFrame.READ || kind == TcpFrame.WRITE;
            assertThat(asked.awaits(TcpFrame.DATA, 8, 0)).isEqualTo(kind == TcpFrame.READ);
            assertThat(asked.awaits(TcpFrame.DATA, 9, 0)).isFalse();
            assertThat(asked.awaits(TcpFrame.VALUE, 0, 0)).isEqualTo(atomic);
            assertThat(asked.awaits(TcpFrame.REFUSED, 0, 0)).isEqualTo(ofMemory);
        }
    }

    @Test
    void answerGoesToTheAddressOfItsRequest() {
        MemoryRegion first = MemoryRegion.withoutAdapter(64, AccessFlag.LOCAL_WRITE);
        MemoryRegion second = MemoryRegion.withoutAdapter(64, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < 10; i++) {
            requests.add(1, TcpFrame.READ, first, 16, 8);
            requests.add(2, TcpFrame.FETCH_AND_ADD, second, 24, 0);
            assertThat(requests.region()).isSameAs(first);
            assertThat(requests.target()).isSameAs(first.segment());
            assertThat(requests.offset()).isEqualTo(16);
            requests.finishOldest(events);
            assertThat(requests.region()).isSameAs(second);
            assertThat(requests.offset()).isEqualTo(24);
            requests.finishOldest(events);
            assertThat(events.all()).containsExactly("sent 1", "sent 2");
        }
        first.close();
        second.close();
    }

    @Test
    void refusalCompletesTheOldestWithItsStatus() {
        add(4, TcpFrame.WRITE);
        add(5, TcpFrame.MESSAGE);
        requests.failOldest(events, WorkCompletionStatus.REM_ACCESS_ERR);
        String description = WorkCompletionStatus.REM_ACCESS_ERR.describe() + " (REM_ACCESS_ERR)";
        assertThat(events.all()).containsExactly("failed 4: " + description);
        assertThat(events.cause).isInstanceOfSatisfying(TransferException.class, e -> {
            assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(e).hasMessageContaining("a transfer of the peer");
        });
        assertThat(requests.failAll(events)).isEqualTo(1);
        assertThat(events.all()).containsExactly("failed 5: the connection has ended");
        assertThat(events.cause).isNull();
        assertThat(requests.failAll(events)).isZero();
    }
}
