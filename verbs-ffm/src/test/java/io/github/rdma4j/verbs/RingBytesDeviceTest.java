// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.datapath.ReceivePath;
import io.github.rdma4j.verbs.internal.datapath.RingBytes;
import io.github.rdma4j.verbs.internal.datapath.RingRefusal;
import io.github.rdma4j.verbs.internal.datapath.RxeRings;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What Java writes into a ring is what librxe writes there, byte by byte: the same requests are posted on two queue
 * pairs, on one of them through the functions. Both are in a state in which the driver takes nothing.
 */
@Tag("device")
@ExtendWith(OverRings.class)
class RingBytesDeviceTest {
    private static final int REQUESTS = 100;
    private static final int SEED = 4711;
    /** {@code ssn} of {@code struct rxe_send_wqe}, which librxe counts up to rdma-core 44, and nobody reads. */
    private static final int COUNTER = 176;

    /** What queue pairs of a type can do, of the kinds of {@link #add}. */
    private static final int[] UNRELIABLE = {0, 1, 2, 4, 5, 10};

    private static final int[] DATAGRAMS = {4, 5, 10};

    private static final int FLAGS = SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.FENCE;

    private static final int HANDLES = 4;

    private final Random random = new Random(SEED);

    private static String text(byte[] element) {
        Arrays.fill(element, COUNTER, COUNTER + 4, (byte) 0);
        return HexFormat.ofDelimiter(" ").formatHex(element);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    void requestsForSendingAreTheSame(QueuePairType type) {
        try (PostingPair pair = new PostingPair(type)) {
            DeviceContext device = pair.device;
            SendPath mine = pair.pair.path();
            SendPath theirs = pair.peer.path();
            pair.peer.nativeQueue(new SendFunctions(device.functions().postSend(), false, pair.peer.handle()), null);
            for (QueuePair queue : List.of(pair.pair, pair.peer)) {
                queue.toError();
                queue.modify(attributes -> attributes.state(QueuePairState.RESET));
            }
            for (int i = 0; i < 1024; i++) {
                pair.buffer.segment().setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
            }
            MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
            SliceList list = SliceList.allocate(PostingPair.MAX_ENTRIES);
            List<Destination> destinations = type == QueuePairType.UD ? destinations(pair) : List.of();
            for (int i = 0; i < REQUESTS; i++) {
                long seed = random.nextLong();
                for (QueuePair queue : List.of(pair.pair, pair.peer)) {
                    Random same = new Random(seed);
                    SendBatch batch = queue.startBatch();
                    fill(list, pair, same);
                    switch (type) {
                        case RC -> add(batch, pair, window, list, same.nextInt(10), same);
                        case UC -> add(batch, pair, window, list, UNRELIABLE[same.nextInt(UNRELIABLE.length)], same);
                        default -> {
                            batch.to(destinations.get(same.nextInt(HANDLES)));
                            add(batch, pair, window, list, DATAGRAMS[same.nextInt(DATAGRAMS.length)], same);
                        }
                    }
                    // The doorbell refuses it, and it stays in the ring.
                    assertThatThrownBy(batch::post).isInstanceOf(IllegalStateException.class);
                }
            }
            List<byte[]> written = RingBytes.waiting(mine);
            List<byte[]> expected = RingBytes.waiting(theirs);
            assertThat(written).hasSize(REQUESTS);
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(text(written.get(i))).as("request %d", i).isEqualTo(text(expected.get(i)));
            }
        }
    }

    private static List<Destination> destinations(PostingPair pair) {
        AddressHandleAttributes way = pair.toPeer.addressHandle().attributes();
        return IntStream.range(0, HANDLES)
                .mapToObj(i -> Destination.of(pair.domain.createAddressHandle(way), 100 + i, 0x11111111 * i))
                .toList();
    }

    private static void add(
            SendBatch batch, PostingPair pair, MemoryWindow window, SliceList list, int kind, Random random) {
        long id = random.nextLong();
        int flags = random.nextInt() & FLAGS;
        int length = random.nextInt(PostingPair.MAX_INLINE + 1);
        MemorySlice local = pair.buffer.slice(random.nextInt(4096), length);
        RemoteMemory remote = pair.peerBuffer.remoteMemory().slice(8L * random.nextInt(500), 4096);
        MemorySlice eight = pair.buffer.slice(8, 8);
        switch (kind) {
            case 0 -> batch.write(id, local, remote, flags);
            case 1 -> batch.write(id, local, remote, flags | SendFlags.INLINE);
            case 2 -> batch.writeWithImmediate(id, list, remote, random.nextInt(), flags);
            case 3 -> batch.read(id, list, remote, flags & ~SendFlags.SOLICITED);
            case 4 -> batch.send(id, list, flags);
            case 5 -> batch.sendWithImmediate(id, local, random.nextInt(), flags | SendFlags.INLINE);
            case 6 -> batch.compareAndSwap(id, eight, remote.slice(0, 8), random.nextLong(), random.nextLong(), flags);
            case 7 -> batch.fetchAndAdd(id, eight, remote.slice(0, 8), random.nextLong(), flags);
            case 8 -> batch.localInvalidate(id, random.nextInt(), flags);
            case 9 ->
                batch.bindMemoryWindow(
                        id, window, window.remoteKey(), pair.buffer.slice(0, 64), flags, AccessFlag.REMOTE_READ);
            default -> batch.sendWithImmediate(id, list, random.nextInt(), flags);
        }
    }

    @Test
    void receivesAreTheSame() throws RingRefusal {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            ProviderFunctions functions = pair.device.functions();
            RxeRings rings = new RxeRings(pair.device.segment(), functions);
            assertSame(
                    pair,
                    rings.receives(pair.pair.segment(), PostingPair.MAX_ENTRIES),
                    rings.receives(pair.peer.segment(), PostingPair.MAX_ENTRIES),
                    new ReceiveFunctions(functions.postReceive(), false, pair.peer.handle()));
        }
    }

    /** Also of the longer ring that a queue has when it got another length. */
    @Test
    void receivesOfSharedQueuesAreTheSame() throws RingRefusal {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            ProviderFunctions functions = pair.device.functions();
            RxeRings rings = new RxeRings(pair.device.segment(), functions);
            SharedReceiveQueue queue = sharedQueue(pair);
            SharedReceiveQueue other = sharedQueue(pair);
            for (int length : new int[] {2 * REQUESTS, 8 * REQUESTS}) {
                queue.resize(length);
                other.resize(length);
                assertSame(
                        pair,
                        rings.sharedReceives(queue.segment(), PostingPair.MAX_ENTRIES),
                        rings.sharedReceives(other.segment(), PostingPair.MAX_ENTRIES),
                        new ReceiveFunctions(functions.postSharedReceive(), false, other.handle()));
            }
        }
    }

    private static SharedReceiveQueue sharedQueue(PostingPair pair) {
        return pair.domain.createSharedReceiveQueue(config -> config.maxScatterGather(PostingPair.MAX_ENTRIES));
    }

    /** Posts the same receives by both until the queues are full. */
    private void assertSame(PostingPair pair, ReceivePath mine, ReceivePath theirs, ReceivePath functions) {
        SliceList list = SliceList.allocate(PostingPair.MAX_ENTRIES);
        ReceiveRequests request = new ReceiveRequests(Arena.ofAuto(), 1, PostingPair.MAX_ENTRIES);
        for (int i = 0; i < REQUESTS; i++) {
            fill(list, pair, random);
            request.fill(0, random.nextLong(), list.entries(), list.size());
            assertThat(mine.post(request)).isZero();
            assertThat(functions.post(request)).isZero();
        }
        assertThat(RingBytes.waiting(mine))
                .hasSizeGreaterThanOrEqualTo(REQUESTS)
                .containsExactlyElementsOf(RingBytes.waiting(theirs));
        assertThat(postUntilFull(mine, request))
                .isEqualTo(postUntilFull(functions, request))
                .isPositive();
    }

    private static int postUntilFull(ReceivePath path, ReceiveRequests request) {
        for (int posted = 0; ; posted++) {
            int result = path.post(request);
            if (result != 0) {
                assertThat(result).isEqualTo(QueuePair.QUEUE_FULL);
                return posted;
            }
        }
    }

    private static void fill(SliceList list, PostingPair pair, Random random) {
        list.clear();
        for (int entries = random.nextInt(PostingPair.MAX_ENTRIES + 1); entries > 0; entries--) {
            list.add(pair.buffer.slice(random.nextInt(4096), random.nextInt(1000)));
        }
    }
}
