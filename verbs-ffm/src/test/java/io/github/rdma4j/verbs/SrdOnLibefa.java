// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.EfaInterconnects;
import io.github.rdma4j.verbs.device.NodeType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SRD queue pairs of two contexts, by libibverbs and libefa on an adapter that a thread plays. */
@Timeout(120)
class SrdOnLibefa {
    private static final int SIZE = 512;
    private static final int IMMEDIATE = 0x01020304;
    /** Behind the receives. */
    private static final int OFFSET = 1 << 17;

    private static final int ADDRESS_UNKNOWN = 0xffff;
    private static final int INLINE = 32;
    /** The adapter's, which libefa does not go below. */
    private static final int MIN_DEPTH = 16;

    private final SrdSide client = new SrdSide(config -> config.maxSendScatterGather(2)
            .maxReceiveScatterGather(2)
            .maxInlineData(INLINE)
            .rnrRetry(0));
    private final SrdSide server = new SrdSide(config -> config.maxReceiveScatterGather(2));

    private final MemorySlice source = client.memory.slice(OFFSET, SIZE);
    private final MemorySlice target = server.memory.slice(OFFSET, SIZE);

    @AfterEach
    void close() {
        set("STATUS", 0);
        set("SEED", 1);
        set("LOST_ANSWERS", 0);
        client.close();
        server.close();
        assertThat(StandInKernel.Control.objects())
                .as("objects that the kernel has left")
                .isZero();
    }

    private static void set(String setting, int value) {
        StandInKernel.Control.set("RDMA4J_EFA_" + setting, value);
    }

    private static void fill(MemorySlice slice, int value) {
        slice.segment().fill((byte) value);
    }

    private static void assertFilled(MemorySlice slice, int value) {
        assertThat(slice.segment().toArray(JAVA_BYTE)).containsOnly(value);
    }

    private Destination toServer() {
        return client.to(server);
    }

    @Test
    void attributesAreThoseOfTheAdapter() {
        EfaDeviceAttributes attributes = client.device.queryEfa();
        assertThat(client.device.device().nodeType()).isEqualTo(NodeType.UNSPECIFIED);
        assertThat(attributes.maxSendWorkRequests()).isEqualTo(4096);
        assertThat(attributes.maxReceiveWorkRequests()).isEqualTo(8192);
        assertThat(attributes.maxSendScatterGather()).isEqualTo(2);
        assertThat(attributes.maxReceiveScatterGather()).isEqualTo(3);
        assertThat(attributes.maxInlineData()).isIn(32, 80);
        assertThat(attributes.maxRdmaSize()).isEqualTo(1 << 16);
        assertThat(attributes.capabilities())
                .contains(EfaCapability.RDMA_READ, EfaCapability.RNR_RETRY, EfaCapability.SENDER_GID);
        assertThat(client.pair.deviceAttributes()).isEqualTo(attributes);
        assertThat(client.pair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(client.pair.maxInlineData()).isEqualTo(INLINE);
        assertThat(client.pair).hasToString("SRD queue pair 0x%06x of efa_0".formatted(client.pair.number()));
    }

    @Test
    void sendArrivesWithItsSender() {
        int number = server.here().queryEfaNumber();
        server.receive(1, SIZE);
        fill(source, 7);
        assertThat(client.pair.tryPostSend(11, source, toServer())).isTrue();
        client.awaitSuccess(11);
        WorkCompletion received = server.await();
        assertThat(received.isSuccess()).as(received.describe()).isTrue();
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
        assertThat(received.byteLength()).isEqualTo(SIZE);
        assertThat(received.sourceQueuePairNumber()).isEqualTo(client.pair.number());
        assertThat(received.sourceLid()).isEqualTo(number);
        assertThat(received.hasImmediateData()).isFalse();
        assertFilled(server.memory.slice(0, SIZE), 7);
    }

    @Test
    void sendNeedsNoAddressHandleOfTheTarget() {
        server.receive(1, SIZE);
        assertThat(client.pair.tryPostSend(1, source, toServer())).isTrue();
        assertThat(server.await().sourceLid()).isEqualTo(ADDRESS_UNKNOWN);
    }

    @Test
    void immediateNumberAccompaniesASend() {
        server.receive(2, SIZE);
        assertThat(client.pair.tryPostSendWithImmediate(1, source, IMMEDIATE, toServer()))
                .isTrue();
        assertThat(server.await().immediateData()).isEqualTo(IMMEDIATE);
        client.awaitSuccess(1);
        MemorySlice inline = client.memory.slice(OFFSET, INLINE);
        assertThat(client.pair.tryPostInlineSendWithImmediate(2, inline, -2, toServer()))
                .isTrue();
        assertThat(server.await().immediateData()).isEqualTo(-2);
        client.awaitSuccess(2);
    }

    @Test
    void inlineDataIsCopiedByThePost() {
        server.receive(1, SIZE);
        MemorySlice inline = client.memory.slice(OFFSET, INLINE);
        fill(inline, 3);
        assertThat(client.pair.tryPostInlineSend(1, inline, toServer())).isTrue();
        fill(inline, 4);
        client.awaitSuccess(1);
        assertThat(server.await().byteLength()).isEqualTo(INLINE);
        assertFilled(server.memory.slice(0, INLINE), 3);
    }

    @Test
    void slicesFormOneMessage() {
        SliceList buffers = SliceList.of(server.memory.slice(0, 100), server.memory.slice(1000, SIZE));
        assertThat(server.pair.tryPostReceive(5, buffers)).isTrue();
        assertThat(server.pair.tryPostReceive(6, server.memory.slice(4096, SIZE)))
                .isTrue();
        fill(client.memory.slice(OFFSET, 80), 1);
        fill(client.memory.slice(OFFSET + 4096, 40), 2);
        SliceList message = SliceList.of(client.memory.slice(OFFSET, 80), client.memory.slice(OFFSET + 4096, 40));
        assertThat(client.pair.tryPostSend(1, message, toServer())).isTrue();
        client.awaitSuccess(1);
        WorkCompletion received = server.await();
        assertThat(received.workRequestId()).isEqualTo(5);
        assertThat(received.byteLength()).isEqualTo(120);
        assertFilled(server.memory.slice(0, 80), 1);
        assertFilled(server.memory.slice(80, 20), 2);
        assertFilled(server.memory.slice(1000, 20), 2);
        assertThat(client.pair.tryPostSendWithImmediate(2, message, IMMEDIATE, toServer()))
                .isTrue();
        client.awaitSuccess(2);
        assertThat(server.await().immediateData()).isEqualTo(IMMEDIATE);
    }

    /** The kernel reports the lower limit of both directions as the device's. */
    @Test
    void receiveTakesMoreSlicesThanASend() {
        assertThat(server.device.limits().maxScatterGather()).isEqualTo(2);
        SrdQueuePair receiver = server.domain.createSrdQueuePair(config ->
                config.completionQueue(server.queue).queueKey(SrdSide.QUEUE_KEY).maxReceiveScatterGather(3));
        SliceList buffers = SliceList.of(
                server.memory.slice(0, 100), server.memory.slice(1000, 100), server.memory.slice(2000, SIZE));
        assertThat(receiver.tryPostReceive(1, buffers)).isTrue();
        fill(source, 7);
        Destination destination = Destination.of(client.here(), receiver.number(), SrdSide.QUEUE_KEY);
        assertThat(client.pair.tryPostSend(2, source, destination)).isTrue();
        client.awaitSuccess(2);
        assertThat(server.await().byteLength()).isEqualTo(SIZE);
        assertFilled(server.memory.slice(1000, 100), 7);
        assertFilled(server.memory.slice(2000, SIZE - 200), 7);
    }

    @Test
    void messageMayBeEmpty() {
        server.receive(1, SIZE);
        assertThat(client.pair.tryPostSend(1, client.memory.slice(0, 0), toServer()))
                .isTrue();
        client.awaitSuccess(1);
        assertThat(server.await().byteLength()).isZero();
    }

    @Test
    void readCopiesThePeersMemory() {
        server.here();
        fill(target, 9);
        assertThat(client.pair.tryPostRead(21, source, target.remoteMemory(), toServer()))
                .isTrue();
        WorkCompletion completion = client.await();
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        assertThat(completion.workRequestId()).isEqualTo(21);
        assertThat(completion.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
        assertFilled(source, 9);
    }

    @Test
    void writeCopiesIntoThePeersMemory() {
        assumeTrue(client.canWrite(), "needs rdma-core 46");
        server.here();
        fill(source, 5);
        assertThat(client.pair.tryPostWrite(31, source, target.remoteMemory(), toServer()))
                .isTrue();
        client.awaitSuccess(31);
        assertFilled(target, 5);
    }

    @Test
    void writeWithImmediateNotifiesThePeer() {
        assumeTrue(client.canWrite(), "needs rdma-core 46");
        server.here();
        server.receive(1, SIZE);
        fill(source, 6);
        assertThat(client.pair.tryPostWriteWithImmediate(32, source, target.remoteMemory(), IMMEDIATE, toServer()))
                .isTrue();
        client.awaitSuccess(32);
        WorkCompletion received = server.await();
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
        assertThat(received.immediateData()).isEqualTo(IMMEDIATE);
        assertThat(received.byteLength()).isEqualTo(SIZE);
        assertFilled(target, 6);
    }

    @Test
    void writesAreRefusedBeforeRdmaCore46() {
        assumeFalse(client.canWrite(), "has them");
        assertThatThrownBy(() -> client.pair.tryPostWrite(1, source, target.remoteMemory(), toServer()))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("RDMA_WRITE, which needs rdma-core 46 or later");
    }

    @Test
    void unsolicitedWriteUsesNoReceive() {
        assumeTrue(
                client.device.queryEfa().capabilities().contains(EfaCapability.UNSOLICITED_WRITE_RECEIVE),
                "needs rdma-core 52");
        ExtendedCompletionQueue queue = server.device.createExtendedCompletionQueue(
                64,
                config -> config.fields(
                        WorkCompletionField.BYTE_LENGTH,
                        WorkCompletionField.IMMEDIATE_DATA,
                        WorkCompletionField.UNSOLICITED));
        SrdQueuePair receiver = server.domain.createSrdQueuePair(config ->
                config.completionQueue(queue).queueKey(SrdSide.QUEUE_KEY).unsolicitedWrites(true));
        ExtendedCompletionQueue own = client.device.createExtendedCompletionQueue(
                64, config -> config.fields(WorkCompletionField.UNSOLICITED));
        SrdQueuePair sender = client.domain.createSrdQueuePair(config -> config.sendCompletionQueue(client.queue)
                .receiveCompletionQueue(own)
                .maxReceiveWorkRequests(1)
                .unsolicitedWrites(true));
        server.here();
        Destination peer = Destination.of(client.here(), receiver.number(), SrdSide.QUEUE_KEY);
        assertThat(sender.tryPostWriteWithImmediate(1, source, target.remoteMemory(), IMMEDIATE, peer))
                .isTrue();
        client.awaitSuccess(1);
        CompletionCursor cursor = queue.cursor();
        while (!cursor.start()) {
            Thread.onSpinWait();
        }
        assertThat(cursor.isUnsolicited()).isTrue();
        assertThat(cursor.workRequestId()).isZero();
        assertThat(cursor.immediateData()).isEqualTo(IMMEDIATE);
        assertThat(cursor.byteLength()).isEqualTo(SIZE);
        cursor.end();
        assertThat(client.pair.tryPostWriteWithImmediate(2, source, target.remoteMemory(), IMMEDIATE, peer))
                .isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_FEATURE_MISMATCH);
    }

    /** As the C tools do it: the completion has the id 0. */
    @Test
    void unsolicitedWriteCompletesInAnyQueue() {
        assumeTrue(
                client.device.queryEfa().capabilities().contains(EfaCapability.UNSOLICITED_WRITE_RECEIVE),
                "needs rdma-core 52");
        SrdQueuePair receiver = server.domain.createSrdQueuePair(config ->
                config.completionQueue(server.queue).queueKey(SrdSide.QUEUE_KEY).unsolicitedWrites(true));
        SrdQueuePair sender = client.domain.createSrdQueuePair(
                config -> config.completionQueue(client.queue).unsolicitedWrites(true));
        server.here();
        Destination peer = Destination.of(client.here(), receiver.number(), SrdSide.QUEUE_KEY);
        assertThat(sender.tryPostWriteWithImmediate(1, source, target.remoteMemory(), IMMEDIATE, peer))
                .isTrue();
        client.awaitSuccess(1);
        WorkCompletion received = server.await();
        assertThat(received.workRequestId()).isZero();
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
        assertThat(received.immediateData()).isEqualTo(IMMEDIATE);
    }

    @Test
    void inlineWritesNeedRdmaCore63() {
        MemorySlice inline = client.memory.slice(OFFSET, INLINE);
        if (!client.device.queryEfa().capabilities().contains(EfaCapability.INLINE_WRITE)) {
            assertThatThrownBy(() -> client.domain.createSrdQueuePair(config -> config.completionQueue(client.queue)
                            .maxInlineData(INLINE)
                            .inlineWrites(true)))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("INLINE_WRITE, which needs rdma-core 63 or later");
            return;
        }
        SrdQueuePair sender = client.domain.createSrdQueuePair(config ->
                config.completionQueue(client.queue).maxInlineData(INLINE).inlineWrites(true));
        server.here();
        fill(inline, 9);
        PreparedRequest write = sender.prepare()
                .to(toServer())
                .write(inline, target.remoteMemory(), SendFlags.INLINE | SendFlags.SIGNALED);
        assertThat(write.tryPost(1)).isTrue();
        fill(inline, 0);
        client.awaitSuccess(1);
        assertFilled(server.memory.slice(OFFSET, INLINE), 9);
        assertThatThrownBy(() -> sender.prepare()
                        .to(toServer())
                        .read(inline, target.remoteMemory(), SendFlags.INLINE | SendFlags.SIGNALED)
                        .tryPost(1))
                .hasMessageContaining("cannot be inline");
    }

    @Test
    void senderWithoutAddressHandleIsKnownByItsGid() {
        ExtendedCompletionQueue queue = server.device.createExtendedCompletionQueue(
                64,
                config -> config.fields(
                        WorkCompletionField.SOURCE_LID,
                        WorkCompletionField.SOURCE_QUEUE_PAIR_NUMBER,
                        WorkCompletionField.SENDER_GID));
        SrdQueuePair receiver = server.domain.createSrdQueuePair(
                config -> config.completionQueue(queue).queueKey(SrdSide.QUEUE_KEY));
        Destination destination = Destination.of(client.here(), receiver.number(), SrdSide.QUEUE_KEY);
        CompletionCursor cursor = queue.cursor();
        MemorySegment gid = Arena.ofAuto().allocate(16);
        for (int round = 0; round < 2; round++) {
            assertThat(receiver.tryPostReceive(round, server.memory.slice(0, SIZE)))
                    .isTrue();
            assertThat(client.pair.tryPostSend(round, source, destination)).isTrue();
            while (!cursor.start()) {
                Thread.onSpinWait();
            }
            assertThat(cursor.sourceQueuePairNumber()).isEqualTo(client.pair.number());
            if (round == 0) {
                assertThat(cursor.sourceLid()).isEqualTo(ADDRESS_UNKNOWN);
                assertThat(cursor.readSenderGid(gid)).isTrue();
                assertThat(gid.toArray(JAVA_BYTE)).isEqualTo(client.gid.bytes());
                assertThatThrownBy(cursor::isUnsolicited)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("without WorkCompletionField.UNSOLICITED");
                server.here();
            } else {
                assertThat(cursor.sourceLid()).isEqualTo(server.here().queryEfaNumber());
                assertThat(cursor.readSenderGid(gid)).isFalse();
            }
            cursor.end();
            client.awaitSuccess(round);
        }
    }

    @Test
    void messagesArriveInAnotherOrderAndOnce() {
        List<Integer> arrived = exchange(100);
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(numbers(100)).isNotEqualTo(numbers(100));
    }

    @Test
    void seedZeroKeepsTheOrder() {
        set("SEED", 0);
        assertThat(exchange(100)).isEqualTo(numbers(100));
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Sends numbers, and returns them as they arrive. */
    private List<Integer> exchange(int count) {
        server.receive(count, SIZE);
        List<Integer> arrived = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySlice message = client.memory.slice(OFFSET + i * (long) SIZE, 4);
            message.segment().set(JAVA_INT, 0, i);
            assertThat(client.pair.tryPostSend(i, message, toServer())).isTrue();
        }
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = server.await();
            arrived.add(server.memory.segment().get(JAVA_INT, completion.workRequestId() * SIZE));
        }
        for (int i = 0; i < count; i++) {
            assertThat(client.await().isSuccess()).isTrue();
        }
        return arrived;
    }

    /** Random operations, of which each has memory of its own at both sides. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8, 13, 21, 34, 55})
    void randomSequencesKeepTheirData(int seed) {
        set("SEED", seed);
        server.here();
        Random random = new Random(seed);
        int count = 64;
        int[] kinds = random.ints(count, 0, client.canWrite() ? 3 : 2).toArray();
        server.receive((int) Arrays.stream(kinds).filter(kind -> kind == 0).count(), SIZE);
        for (int i = 0; i < count; i++) {
            MemorySlice mine = client.memory.slice(OFFSET + i * (long) SIZE, SIZE);
            MemorySlice theirs = server.memory.slice(OFFSET + i * (long) SIZE, SIZE);
            fill(mine, kinds[i] == 1 ? -1 : i);
            fill(theirs, kinds[i] == 1 ? i : -1);
            boolean posted = switch (kinds[i]) {
                case 0 -> client.pair.tryPostSend(i, mine, toServer());
                case 1 -> client.pair.tryPostRead(i, mine, theirs.remoteMemory(), toServer());
                default -> client.pair.tryPostWrite(i, mine, theirs.remoteMemory(), toServer());
            };
            assertThat(posted).isTrue();
        }
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = client.await();
            assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
        }
        List<Integer> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (kinds[i] == 0) {
                sent.add(i);
                continue;
            }
            assertFilled(client.memory.slice(OFFSET + i * (long) SIZE, SIZE), i);
            assertFilled(server.memory.slice(OFFSET + i * (long) SIZE, SIZE), i);
        }
        List<Integer> arrived = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            MemorySlice receive = server.memory.slice(server.await().workRequestId() * SIZE, SIZE);
            int value = receive.segment().get(JAVA_BYTE, 0);
            assertFilled(receive, value);
            arrived.add(value);
        }
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void fullQueuesReturnFalse() {
        SrdSide small =
                new SrdSide(config -> config.maxSendWorkRequests(MIN_DEPTH).maxReceiveWorkRequests(MIN_DEPTH));
        server.receive(MIN_DEPTH, SIZE);
        for (int i = 0; i < MIN_DEPTH; i++) {
            assertThat(small.pair.tryPostSend(i, small.memory.slice(0, 8), small.to(server)))
                    .isTrue();
        }
        assertThat(small.pair.tryPostSend(0, small.memory.slice(0, 8), small.to(server)))
                .isFalse();
        small.await();
        assertThat(small.pair.tryPostSend(0, small.memory.slice(0, 8), small.to(server)))
                .isTrue();
        small.receive(MIN_DEPTH, SIZE);
        assertThat(small.pair.tryPostReceive(0, small.memory.slice(0, SIZE))).isFalse();
        small.close();
    }

    @Test
    void completionsAreWaitedFor() {
        CompletionChannel channel = server.device.createCompletionChannel();
        CompletionQueue queue = server.device.createCompletionQueue(64, config -> config.channel(channel));
        SrdQueuePair receiver = server.domain.createSrdQueuePair(
                config -> config.completionQueue(queue).queueKey(SrdSide.QUEUE_KEY));
        Destination destination = Destination.of(client.here(), receiver.number(), SrdSide.QUEUE_KEY);
        WorkCompletions completions = WorkCompletions.allocate(4);
        for (int i = 0; i < 50; i++) {
            assertThat(receiver.tryPostReceive(i, server.memory.slice(0, SIZE))).isTrue();
            assertThat(client.pair.tryPostSend(i, source, destination)).isTrue();
            assertThat(queue.awaitCompletions(completions, Duration.ofSeconds(30)))
                    .isEqualTo(1);
            assertThat(completions.get(0).workRequestId()).isEqualTo(i);
            client.awaitSuccess(i);
        }
        assertThatThrownBy(() -> queue.requestNotification(true))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_req_notify_cq");
    }

    @Test
    void targetWithoutAddressHandleRefusesARead() {
        assertThat(client.pair.tryPostRead(1, source, target.remoteMemory(), toServer()))
                .isTrue();
        EfaCompletionStatus status = client.awaitStatus();
        assertThat(status).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_UNKNOWN_PEER);
        assertThat(status.code()).isEqualTo(14);
        assertThat(status.describe())
                .contains("the target of a read or write has no address handle for this side")
                .contains("ProtectionDomain.createAddressHandle");
        server.here();
        assertThat(client.pair.tryPostRead(2, source, target.remoteMemory(), toServer()))
                .isTrue();
        client.awaitSuccess(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = EfaCompletionStatus.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OK", "UNKNOWN"})
    void statusesOfTheAdapterAreReported(EfaCompletionStatus status) {
        set("STATUS", status.code());
        server.receive(1, SIZE);
        assertThat(client.pair.tryPostSend(1, source, toServer())).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(status);
        assertThat(status.describe()).isNotEmpty();
    }

    @Test
    void unknownStatusIsReported() {
        assertThat(EfaCompletionStatus.ofVendorError(99)).isEqualTo(EfaCompletionStatus.UNKNOWN);
        assertThat(EfaCompletionStatus.ofVendorError(0).describe()).isEqualTo("success");
    }

    @Test
    void preparedRequestsArePostedAgainAndAgain() {
        server.here();
        server.receive(3, SIZE);
        RequestPreparation preparation = client.pair.prepare().to(toServer());
        PreparedRequest send = preparation.sendWithImmediate(source, IMMEDIATE, SendFlags.SIGNALED);
        for (int i = 0; i < 2; i++) {
            assertThat(send.immediate(IMMEDIATE + i).tryPost(i)).isTrue();
            client.awaitSuccess(i);
            assertThat(server.await().immediateData()).isEqualTo(IMMEDIATE + i);
        }
        PreparedRequest inline =
                preparation.send(client.memory.slice(OFFSET, INLINE), SendFlags.INLINE | SendFlags.SIGNALED);
        assertThat(inline.tryPost(5)).isTrue();
        client.awaitSuccess(5);
        assertThat(server.await().byteLength()).isEqualTo(INLINE);
        fill(target, 6);
        PreparedRequest read = preparation.length(8).read(source, target.remoteMemory(), SendFlags.SIGNALED);
        assertThat(read.local(SIZE - 8).remote(8).tryPost(7)).isTrue();
        client.awaitSuccess(7);
        assertFilled(client.memory.slice(OFFSET + SIZE - 8, 8), 6);
    }

    @Test
    void preparedReadMayBeLongerThanASend() {
        server.here();
        MemorySlice longest = client.memory.slice(0, 1 << 16);
        RemoteMemory remote = server.memory.slice(0, 1 << 16).remoteMemory();
        RequestPreparation preparation = client.pair.prepare().to(toServer());
        assertThat(preparation.read(longest, remote, SendFlags.SIGNALED).tryPost(1))
                .isTrue();
        client.awaitSuccess(1);
        assertThatThrownBy(() -> preparation.send(longest, SendFlags.SIGNALED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a message of 65536 bytes: the port carries at most 8192");
    }

    @Test
    void batchIsPostedTogether() {
        server.here();
        server.receive(2, SIZE);
        fill(target, 9);
        SendBatch batch = client.pair.startBatch().to(toServer());
        batch.send(1, client.memory.slice(0, 8), SendFlags.SIGNALED)
                .sendWithImmediate(2, client.memory.slice(8, 8), IMMEDIATE, SendFlags.SIGNALED)
                .read(3, source, target.remoteMemory(), SendFlags.SIGNALED);
        if (client.canWrite()) {
            RemoteMemory behind = server.memory.slice(OFFSET + SIZE, 8).remoteMemory();
            batch.write(4, client.memory.slice(16, 8), behind, SendFlags.SIGNALED);
        }
        int count = batch.size();
        assertThat(batch.tryPost()).isTrue();
        Set<Long> done = new HashSet<>();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = client.await();
            assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
            done.add(completion.workRequestId());
        }
        assertThat(done).hasSize(count);
        assertFilled(source, 9);
    }

    @Test
    void preparedRequestsAndBatchesRefuseWhatEfaCannotDo() {
        Destination destination = toServer();
        RemoteMemory remote = target.remoteMemory();
        RequestPreparation preparation = client.pair.prepare();
        assertPostRefused(() -> preparation.send(source, SendFlags.SIGNALED), "needs a destination");
        preparation.to(destination);
        assertPostRefused(() -> preparation.fetchAndAdd(source, remote, 1, SendFlags.SIGNALED), "has no fetch-and-add");
        PreparedRequest send = preparation.send(source, 0);
        assertPostRefused(send::tryPost, "EFA has no requests without a completion");
        assertPostRefused(
                preparation.send(source, SendFlags.SIGNALED | SendFlags.FENCE)::tryPost, "SIGNALED and INLINE only");
        assertPostRefused(() -> client.pair.startBatch().send(1, source, SendFlags.SIGNALED), "needs a destination");
        SendBatch batch = client.pair.startBatch().to(destination);
        assertPostRefused(() -> batch.send(1, source, 0), "EFA has no requests without a completion");
        assertPostRefused(
                () -> batch.compareAndSwap(1, client.memory.slice(0, 8), remote, 0, 1, SendFlags.SIGNALED),
                "has no compare-and-swap");
        if (!client.canWrite()) {
            assertThatThrownBy(() -> preparation.write(source, remote, SendFlags.SIGNALED))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("does not report RDMA_WRITE, which needs rdma-core 46 or later");
            assertThatThrownBy(() -> batch.write(1, source, remote, SendFlags.SIGNALED))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("posting an RDMA write on efa_0");
        }
        QueuePair hidden = client.domain.children(QueuePair.class).getFirst();
        assertPostRefused(() -> hidden.tryPostSend(1, source, SendFlags.SIGNALED), "needs a destination");
    }

    private static void assertPostRefused(ThrowingCallable post, String message) {
        assertThatThrownBy(post).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void wrongPeerIsReported() {
        Destination wrongKey = Destination.of(client.here(), server.pair.number(), SrdSide.QUEUE_KEY + 1);
        assertThat(client.pair.tryPostSend(1, source, wrongKey)).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_BAD_DEST_QPN);
        Destination wrongNumber = Destination.of(client.here(), 0x77, SrdSide.QUEUE_KEY);
        assertThat(client.pair.tryPostSend(1, source, wrongNumber)).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_BAD_DEST_QPN);
    }

    @Test
    void missingOrShortReceiveIsReported() {
        assertThat(client.pair.tryPostSend(1, source, toServer())).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_RNR);
        server.receive(1, SIZE - 1);
        assertThat(client.pair.tryPostSend(1, source, toServer())).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_BAD_LENGTH);
    }

    @Test
    void wrongRemoteMemoryIsReported() {
        server.here();
        RemoteMemory right = target.remoteMemory();
        RemoteMemory wrong = new RemoteMemory(right.address(), SIZE, right.remoteKey() + 1);
        assertThat(client.pair.tryPostRead(1, source, wrong, toServer())).isTrue();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.REMOTE_ERROR_BAD_ADDRESS);
    }

    @Test
    void closingAnAddressHandleFailsItsRequests() {
        AddressHandle handle = client.domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, client.gid));
        Destination destination = Destination.of(handle, server.pair.number(), SrdSide.QUEUE_KEY);
        SrdQueuePair patient = client.domain.createSrdQueuePair(
                config -> config.completionQueue(client.queue).rnrRetry(7));
        assertThat(patient.tryPostSend(1, source, destination)).isTrue();
        handle.close();
        assertThat(client.awaitStatus()).isEqualTo(EfaCompletionStatus.LOCAL_ERROR_INVALID_AH);
        assertThatThrownBy(() -> patient.tryPostSend(2, source, destination))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void errorStateFlushesAndRefuses() {
        server.receive(2, SIZE);
        server.pair.toError();
        for (int i = 0; i < 2; i++) {
            WorkCompletion completion = server.await();
            assertThat(completion.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(EfaCompletionStatus.ofVendorError(completion.vendorError()))
                    .isEqualTo(EfaCompletionStatus.FLUSHED);
        }
        assertThat(server.pair.state()).isEqualTo(QueuePairState.ERR);
        assertThatThrownBy(() -> server.pair.tryPostReceive(1, target))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("posting a receive on queue pair")
                .hasMessageContaining("its state is ERR");
        assertThatThrownBy(() -> server.pair.tryPostSend(1, target, server.to(client)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("its state is ERR");
    }

    @Test
    void closedQueuePairRefusesPosts() {
        client.pair.close();
        assertThatThrownBy(() -> client.pair.tryPostSend(1, source, toServer()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> client.pair.tryPostReceive(1, source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    /** libefa of rdma-core 44 frees memory of both before it calls the kernel, and would free it again. */
    @Test
    void failedCloseIsNotRepeated() {
        set("LOST_ANSWERS", 1);
        assertThatThrownBy(client.pair::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_destroy_qp")
                .hasMessageContaining("EIO")
                .hasMessageContaining("the resource is closed");
        assertThat(client.pair.isOpen()).isFalse();
        client.pair.close();
        assertThatThrownBy(() -> client.pair.tryPostSend(1, source, toServer()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(client.queue::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_destroy_cq");
        assertThatThrownBy(client::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        client.queue.close();
        // The failure of a child ends the close of its parent, as on other devices.
        assertThatThrownBy(server.queue::close).hasMessageContaining("ibv_destroy_qp");
        assertThatThrownBy(server.queue::close).hasMessageContaining("ibv_destroy_cq");
        server.queue.close();
    }

    /**
     * libefa leaves them in the queue, and a poll that meets one ends with EINVAL. A cursor skips them where it starts:
     * after an EINVAL of ibv_next_poll, libefa would free the previous completion's request twice.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void completionsOfAClosedQueuePairAreSkipped(boolean extended) {
        CompletionQueue queue = extended
                ? client.device.createExtendedCompletionQueue(64, config -> {})
                : client.device.createCompletionQueue(64);
        Consumer<SrdQueuePairConfig> shared = config ->
                config.completionQueue(queue).maxSendWorkRequests(MIN_DEPTH).maxReceiveWorkRequests(MIN_DEPTH);
        SrdQueuePair closed = client.domain.createSrdQueuePair(shared);
        SrdQueuePair open = client.domain.createSrdQueuePair(shared);
        server.receive(8, SIZE);
        for (int i = 0; i < (extended ? 3 : 6); i++) {
            SrdQueuePair sender = i % 3 == 2 ? open : closed;
            assertThat(sender.tryPostSend(i, source, toServer())).isTrue();
            server.await();
        }
        // When this request has completed, the adapter has also written the completions before it.
        assertThat(client.pair.tryPostSend(6, source, toServer())).isTrue();
        client.awaitSuccess(6);
        closed.close();
        assertThat(poll(queue)).isEqualTo(extended ? List.of(2L) : List.of(2L, 5L));
        assertThat(poll(queue)).isEmpty();
    }

    private static List<Long> poll(CompletionQueue queue) {
        List<Long> ids = new ArrayList<>();
        if (queue instanceof ExtendedCompletionQueue extended) {
            CompletionCursor cursor = extended.cursor();
            if (cursor.start()) {
                do {
                    ids.add(cursor.workRequestId());
                } while (cursor.next());
                cursor.end();
            }
            return ids;
        }
        WorkCompletions completions = WorkCompletions.allocate(4);
        while (queue.poll(completions) > 0) {
            for (int i = 0; i < completions.size(); i++) {
                ids.add(completions.get(i).workRequestId());
            }
        }
        return ids;
    }

    @Test
    void requestsThatEfaCannotDoAreRefused() {
        Destination destination = toServer();
        long longest = client.device.port(1).maxMessageSize();
        assertThatThrownBy(() -> client.pair.tryPostSend(1, client.memory.slice(0, longest + 1), destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a message of 8193 bytes: the port carries at most 8192");
        assertThatThrownBy(() -> client.pair.tryPostInlineSend(1, client.memory.slice(0, INLINE + 1), destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("33 bytes inline: this queue pair carries at most 32");
        SliceList three =
                SliceList.of(client.memory.slice(0, 8), client.memory.slice(8, 8), client.memory.slice(16, 8));
        assertThatThrownBy(() -> client.pair.tryPostSend(1, three, destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 slices: a request of this queue takes at most 2");
        assertThatThrownBy(() -> client.pair.tryPostReceive(1, three))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 slices: a request of this queue takes at most 2"
                        + " (SrdQueuePairConfig.maxReceiveScatterGather)");
        MemorySlice tooLong = client.memory.slice(0, (1 << 16) + 1);
        RemoteMemory remote = server.memory.slice(0, (1 << 16) + 1).remoteMemory();
        assertThatThrownBy(() -> client.pair.tryPostRead(1, tooLong, remote, destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an RDMA read of 65537 bytes: efa_0 moves at most 65536");
        assertThatThrownBy(() -> client.pair.tryPostRead(
                        1, source, server.memory.slice(0, 8).remoteMemory(), destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("512 bytes do not fit");
        Destination others = Destination.of(server.here(), server.pair.number(), SrdSide.QUEUE_KEY);
        assertThatThrownBy(() -> client.pair.tryPostSend(1, source, others))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is of another protection domain");
        assertThatThrownBy(() -> client.pair.tryPostSend(1, target, destination))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is registered in another protection domain");
    }

    @Test
    void settingsOutOfRangeAreRefusedWithBothNumbers() {
        assertRefused(
                config -> config.maxSendWorkRequests(4097),
                "maxSendWorkRequests 4097: SRD queue pairs of efa_0 allow 1..4096");
        assertRefused(config -> config.maxReceiveWorkRequests(8193), "maxReceiveWorkRequests 8193");
        assertRefused(
                config -> config.maxSendScatterGather(3),
                "maxSendScatterGather 3: SRD queue pairs of efa_0 allow 1..2");
        assertRefused(config -> config.maxReceiveScatterGather(4), "maxReceiveScatterGather 4");
        assertRefused(config -> config.maxInlineData(1000), "maxInlineData 1000");
        assertRefused(config -> config.rnrRetry(8), "rnrRetry 8: 0..7 are possible");
        assertRefused(config -> config.serviceLevel(256), "serviceLevel 256: 0..255 are possible");
        assertThatThrownBy(() -> client.domain.createSrdQueuePair(config -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a queue pair needs a completion queue");
    }

    private void assertRefused(Consumer<SrdQueuePairConfig> setting, String message) {
        assertThatThrownBy(() -> client.domain.createSrdQueuePair(config -> {
                    config.completionQueue(client.queue);
                    setting.accept(config);
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void serviceLevelNeedsRdmaCore55() {
        if (client.device.queryEfa().capabilities().contains(EfaCapability.UNSOLICITED_WRITE_RECEIVE)) {
            client.domain.createSrdQueuePair(
                    config -> config.completionQueue(client.queue).serviceLevel(3));
        } else {
            assertThatThrownBy(() -> client.domain.createSrdQueuePair(
                            config -> config.completionQueue(client.queue).serviceLevel(3)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("efadv_create_qp_ex")
                    .hasMessageContaining("the service level 3 needs rdma-core 55 or later");
        }
    }

    @Test
    void longRequestsCarryMoreInlineData() {
        int most = client.device.queryEfa().maxInlineData();
        assumeTrue(most > INLINE, "needs rdma-core 63");
        SrdQueuePair sender = client.domain.createSrdQueuePair(
                config -> config.completionQueue(client.queue).maxInlineData(most));
        server.receive(1, SIZE);
        MemorySlice message = client.memory.slice(OFFSET, most);
        fill(message, 8);
        assertThat(sender.tryPostInlineSend(1, message, toServer())).isTrue();
        fill(message, 0);
        client.awaitSuccess(1);
        assertThat(server.await().byteLength()).isEqualTo(most);
        assertFilled(server.memory.slice(0, most), 8);
    }

    @Test
    void otherTypesOfQueuePairsAreRefused() {
        for (QueuePairType type : List.of(QueuePairType.RC, QueuePairType.UC, QueuePairType.DRIVER)) {
            assertThatThrownBy(
                            () -> client.domain.createQueuePair(type, config -> config.completionQueue(client.queue)))
                    .isInstanceOf(UnsupportedVerbException.class);
        }
        assertThatThrownBy(() -> client.domain.createSharedReceiveQueue(config -> config.maxWorkRequests(4)))
                .isInstanceOfAny(IllegalArgumentException.class, UnsupportedVerbException.class);
        assertThatThrownBy(() -> client.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2))
                .isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    void statesTakeTheAttributesOfTheAdapterAndNoOthers() {
        QueuePair reset = client.domain.children(QueuePair.class).getLast();
        assertThatThrownBy(() -> reset.modify(attributes -> attributes.timeout(14)))
                .isInstanceOf(VerbsException.class);
        reset.modify(attributes -> attributes.state(QueuePairState.RESET));
        assertThatThrownBy(() -> reset.tryPostReceive(1, source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("its state is RESET");
        assertThatThrownBy(() -> reset.modify(attributes -> attributes.state(QueuePairState.RTS)))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void adapterHasAsManyQueuePairsAsItReports() {
        int most = client.device.attributes().maxQueuePairs();
        Consumer<SrdQueuePairConfig> small = config -> config.completionQueue(client.queue)
                .maxSendWorkRequests(MIN_DEPTH)
                .maxReceiveWorkRequests(MIN_DEPTH)
                .oversubscribeCompletionQueue(true);
        // Both sides have one.
        Set<Integer> places = new HashSet<>(List.of(client.pair.number() % most, server.pair.number() % most));
        for (int i = 2; i < most; i++) {
            places.add(client.domain.createSrdQueuePair(small).number() % most);
        }
        assertThat(places).hasSize(most);
        assertThatThrownBy(() -> client.domain.createSrdQueuePair(small))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOMEM");
    }

    @Test
    void interconnectsAreReportedSinceRdmaCore50() {
        if (client.device.queryEfa().capabilities().contains(EfaCapability.UNSOLICITED_WRITE_RECEIVE)) {
            assertThat(client.memory.queryEfaInterconnects())
                    .isEqualTo(new EfaInterconnects(OptionalInt.of(11), OptionalInt.empty(), OptionalInt.of(13)));
        } else {
            assertThatThrownBy(client.memory::queryEfaInterconnects)
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("efadv_query_mr")
                    .hasMessageContaining("needs rdma-core 50 or later");
        }
    }
}
