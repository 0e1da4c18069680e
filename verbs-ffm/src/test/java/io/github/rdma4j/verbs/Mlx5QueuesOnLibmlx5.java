// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.github.rdma4j.verbs.internal.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Queues of a seeming mlx5 adapter: which way they take, and that what libmlx5 does by itself on one way is done on the
 * other one, too.
 */
@Timeout(600)
class Mlx5QueuesOnLibmlx5 {
    private static final DataPathChoice RINGS = new DataPathChoice(DataPath.RINGS, "");
    private static final int SEND_CODE = 0x0a;
    private static final int READ_CODE = 0x10;
    private static final int ROUNDS = 300;
    /** {@code MLX5_QP_FLAG_SCATTER_CQE}. */
    private static final int SCATTER_FLAG = 1 << 1;

    /** ENOTTY: how a file refuses an ioctl that it does not know. */
    private static final int NOT_A_TERMINAL = 25;

    private static final SendOperation[] OPERATIONS = {
        SendOperation.RDMA_WRITE,
        SendOperation.SEND,
        SendOperation.SEND_WITH_IMMEDIATE,
        SendOperation.RDMA_READ,
        SendOperation.FETCH_AND_ADD
    };

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 14, 64);
    private final Random random = new Random(4711);
    private final Mlx5Entries entries = new Mlx5Entries(random, 64);

    @AfterEach
    void free() {
        arena.close();
        assertThat(Mlx5StandIn.objects()).as("objects that the kernel has left").isZero();
    }

    private Mlx5Side open(DataPath path) {
        return new Mlx5Side(path, memory);
    }

    private static byte[] bytes(MemorySegment segment) {
        return segment.toArray(JAVA_BYTE);
    }

    private static void assertFunctions(DataPathChoice choice, String reason) {
        assertThat(choice.path()).isEqualTo(DataPath.FUNCTIONS);
        assertThat(choice.reason()).contains(reason);
    }

    /** The ids that are found until nothing is. */
    private static List<Long> poll(CompletionQueue queue, int most) {
        WorkCompletions completions = WorkCompletions.allocate(1);
        List<Long> ids = new ArrayList<>();
        while (ids.size() < most && queue.poll(completions) == 1) {
            ids.add(completions.get(0).workRequestId());
        }
        return ids;
    }

    private void completeSend(Mlx5Side side, QueuePair pair, int counter) {
        Mlx5StandIn.complete(
                side.sendQueue, entries.entry(Mlx5StandIn.of(pair), Mlx5Entries.REQUEST, SEND_CODE, counter, 0, 0));
    }

    @Test
    void connectedQueuePairsHaveRings() {
        try (Mlx5Side side = open(DataPath.RINGS)) {
            assertThat(side.device.dataPath()).isEqualTo(RINGS);
            assertThat(side.sendQueue.dataPath()).isEqualTo(RINGS);
            assertThat(side.pair.sendPath()).isEqualTo(RINGS);
            assertThat(side.pair.receivePath()).isEqualTo(RINGS);
        }
    }

    @Test
    void nobodyWhoDoesNotAskGetsRings() {
        try (DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE)) {
            assertThat(device.dataPath()).isEqualTo(new DataPathChoice(DataPath.FUNCTIONS, ""));
        }
    }

    @Test
    void whatHasNoRingTakesFunctionsAndSaysWhy() {
        try (DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE, DataPath.RINGS)) {
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(1000);
            assertThat(queue.dataPath()).isEqualTo(RINGS);
            QueuePair datagrams = datagrams(domain, queue);
            assertFunctions(datagrams.sendPath(), "connected queue pairs (RC) alone");
            assertFunctions(datagrams.receivePath(), "connected queue pairs (RC) alone");
            assertFunctions(queue.dataPath(), "connected queue pairs (RC) alone");
            assertFunctions(pair(domain, queue, c -> {}).sendPath(), "other things that complete there");

            SharedReceiveQueue shared = domain.createSharedReceiveQueue(config -> {});
            assertFunctions(shared.dataPath(), "shared receive queue of mlx5");
            CompletionQueue another = device.createCompletionQueue(1000);
            assertFunctions(
                    pair(domain, another, c -> c.sharedReceiveQueue(shared)).sendPath(), "shared receive queue");
            ExtendedCompletionQueue inPlace = device.createExtendedCompletionQueue(16, config -> {});
            assertFunctions(inPlace.dataPath(), "in place");
        }
    }

    private static QueuePair datagrams(ProtectionDomain domain, CompletionQueue queue) {
        return domain.prepareQueuePair(
                        QueuePairType.UD,
                        config -> config.completionQueue(queue)
                                .maxSendWorkRequests(4)
                                .maxReceiveWorkRequests(4)
                                .oversubscribeCompletionQueue(true))
                .activate();
    }

    private static QueuePair pair(
            ProtectionDomain domain, CompletionQueue queue, Consumer<QueuePairConfig> configuration) {
        PreparedQueuePair prepared = domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(queue).maxSendWorkRequests(8).maxReceiveWorkRequests(8);
            configuration.accept(config);
        });
        return prepared.connect(prepared.endpoint());
    }

    @Test
    void functionsDoNotComeToAQueueOfRings() {
        try (Mlx5Side side = open(DataPath.RINGS)) {
            int before = Mlx5StandIn.objects();
            assertThatThrownBy(() -> datagrams(side.domain, side.sendQueue))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("this one cannot have any: this library knows the rings of connected")
                    .hasMessageContaining("Remedy: give it a completion queue of its own");
            assertThat(Mlx5StandIn.objects()).isEqualTo(before);
            assertThat(side.connect(config -> {}).sendPath()).isEqualTo(RINGS);
        }
    }

    @Test
    void whatWouldNotGoWithRingsIsRefused() {
        try (Mlx5Side side = open(DataPath.RINGS)) {
            assertThatThrownBy(() -> side.sendQueue.resize(1000)).isInstanceOf(UnsupportedVerbException.class);
            MemoryWindow window = side.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
            assertThatThrownBy(() -> window.postBind(
                            side.pair, 1, side.region.slice(0, 64), SendFlags.NONE, AccessFlag.REMOTE_READ))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("would write to the ring of");
            assertThatThrownBy(side.domain::allocateNullMemoryRegion).isInstanceOf(UnsupportedVerbException.class);
        }
    }

    /** Two queue pairs complete into a queue, and the one is destroyed or reset while completions wait. */
    @Test
    void completionsOfADestroyedQueuePairGoAndOthersStay() {
        try (Mlx5Side library = open(DataPath.FUNCTIONS);
                Mlx5Side rings = open(DataPath.RINGS)) {
            int counter = 0;
            int otherCounter;
            int blocks = (int) (library.rings.sends().byteSize() / 64);
            for (int round = 0; round < ROUNDS; round++) {
                List<Mlx5Side> sides = List.of(library, rings);
                List<QueuePair> others =
                        sides.stream().map(side -> side.connect(config -> {})).toList();
                otherCounter = 0;
                for (int i = random.nextInt(10); i > 0; i--) {
                    boolean other = random.nextBoolean();
                    long seed = random.nextLong();
                    for (int s = 0; s < sides.size(); s++) {
                        Mlx5Side side = sides.get(s);
                        QueuePair pair = other ? others.get(s) : side.pair;
                        assertThat(pair.postSend(seed, side.region.slice(0, 8), SendFlags.SIGNALED))
                                .isZero();
                        random.setSeed(seed);
                        completeSend(side, pair, other ? otherCounter : counter);
                    }
                    if (other) {
                        otherCounter++;
                    } else {
                        counter++;
                    }
                }
                int some = random.nextInt(4);
                assertThat(poll(rings.sendQueue, some)).isEqualTo(poll(library.sendQueue, some));
                if (round % 2 == 0) {
                    others.forEach(pair -> pair.modify(attributes -> attributes.state(QueuePairState.RESET)));
                }
                others.forEach(QueuePair::close);
                assertThat(bytes(Mlx5StandIn.of(rings.sendQueue).doorbell()))
                        .isEqualTo(bytes(Mlx5StandIn.of(library.sendQueue).doorbell()));
                assertThat(poll(rings.sendQueue, 100)).isEqualTo(poll(library.sendQueue, 100));
            }
            assertThat(counter).isGreaterThan(5 * blocks);
        }
    }

    @Test
    void aResetQueuePairBeginsAgain() {
        for (DataPath path : DataPath.values()) {
            try (Mlx5Side side = open(path)) {
                QueuePair pair = side.pair;
                for (int i = 0; i < 5; i++) {
                    assertThat(pair.postSend(i, side.region.slice(0, 8), SendFlags.SIGNALED))
                            .isZero();
                    assertThat(pair.postReceive(i, side.region.slice(0, 8))).isZero();
                }
                completeSend(side, pair, 1);
                pair.modify(attributes -> attributes.state(QueuePairState.RESET));
                assertThat(poll(side.sendQueue, 10)).isEmpty();
                assertThat(side.rings.doorbell().get(JAVA_LONG, 0)).isZero();
                assertThatThrownBy(() -> pair.postSend(1, side.region.slice(0, 8), SendFlags.NONE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("its state is RESET");
                assertThatThrownBy(() -> pair.postReceive(1, side.region.slice(0, 8)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("its state is RESET");
                pair.modify(attributes -> attributes
                        .state(QueuePairState.INIT)
                        .partitionKeyIndex(0)
                        .port(1)
                        .remoteAccess(AccessFlag.REMOTE_WRITE));
                assertThat(pair.postReceive(7, side.region.slice(0, 8))).isZero();
                pair.modify(attributes -> attributes.state(QueuePairState.RTR));
                pair.modify(attributes -> attributes.state(QueuePairState.RTS));
                assertThat(pair.postSend(7, side.region.slice(0, 8), SendFlags.SIGNALED))
                        .isZero();
                completeSend(side, pair, 0);
                assertThat(poll(side.sendQueue, 10)).containsExactly(7L);
            }
        }
    }

    /** What it posts would count on from where the queue was before the reset. */
    @Test
    void aResetWaitsForAThreadThatPosts() throws Exception {
        for (DataPath path : DataPath.values()) {
            try (Mlx5Side side = open(path)) {
                QueuePair pair = side.pair;
                assertThat(pair.postSend(1, side.region.slice(0, 8), SendFlags.SIGNALED))
                        .isZero();
                Thread reset = Thread.ofPlatform()
                        .unstarted(() -> pair.modify(attributes -> attributes.state(QueuePairState.RESET)));
                pair.enterSend();
                try {
                    reset.start();
                    assertThat(reset.join(Duration.ofMillis(100))).isFalse();
                    assertThat(side.rings.doorbell().get(JAVA_LONG, 0)).isNotZero();
                } finally {
                    pair.exitSend();
                }
                assertThat(reset.join(Duration.ofSeconds(30))).isTrue();
                assertThat(side.rings.doorbell().get(JAVA_LONG, 0)).isZero();
            }
        }
    }

    /** Queue pairs share registers when there are more of them: then the adapter gets eight bytes of a request. */
    @Test
    void aSharedRegisterGetsNoWholeRequests() {
        try (Mlx5Side side = open(DataPath.RINGS)) {
            MemorySegment register = side.rings.register();
            List<QueuePair> others = new ArrayList<>();
            do {
                others.add(side.connect(config -> {}));
            } while (Mlx5StandIn.of(others.getLast()).register().address() != register.address());
            register.fill((byte) 0);
            side.pair.postWrite(1, side.region.slice(0, 40), side.region.remoteMemory(), SendFlags.INLINE);
            assertThat(register.get(JAVA_LONG, 0)).isNotZero();
            assertThat(register.get(JAVA_LONG, 16)).isZero();
            others.getLast().close();
            register.fill((byte) 0);
            side.pair.postWrite(1, side.region.slice(0, 40), side.region.remoteMemory(), SendFlags.INLINE);
            // The other half, and after the first eight bytes the rest of the head and the peer's address.
            assertThat(register.get(JAVA_LONG, 256)).isNotZero();
            assertThat(register.get(JAVA_LONG, 256 + 16)).isNotZero();
        }
    }

    @Test
    void armingIsThatOfTheLibrary() {
        try (DeviceContext library = DeviceContext.open(Mlx5StandIn.DEVICE, DataPath.FUNCTIONS);
                DeviceContext rings = DeviceContext.open(Mlx5StandIn.DEVICE, DataPath.RINGS)) {
            List<CompletionChannel> channels =
                    List.of(library.createCompletionChannel(), rings.createCompletionChannel());
            List<CompletionQueue> queues = channels.stream()
                    .map(channel -> channel.context().createCompletionQueue(16, c -> c.channel(channel)))
                    .toList();
            List<QueuePair> pairs = queues.stream()
                    .map(queue -> pair(queue.context().allocateProtectionDomain(), queue, c -> {}))
                    .toList();
            assertThat(pairs.getLast().sendPath()).isEqualTo(RINGS);
            for (int round = 0; round < 12; round++) {
                boolean solicited = round % 3 == 0;
                byte[] entry =
                        entries.entry(Mlx5StandIn.of(pairs.getFirst()), Mlx5Entries.REQUEST, SEND_CODE, round, 0, 0);
                for (int s = 0; s < 2; s++) {
                    CompletionQueue queue = queues.get(s);
                    queue.requestNotification(solicited);
                    Mlx5StandIn.complete(queue, entry);
                    assertThat(poll(queue, 2)).hasSize(1);
                    queue.requestNotification(solicited);
                    if (round % 2 == 0) {
                        Mlx5StandIn.event(queue);
                        assertThat(channels.get(s).nextEvent(Duration.ofSeconds(30)))
                                .contains(queue);
                        queue.requestNotification(solicited);
                    }
                }
                Mlx5StandIn.Queue theirs = Mlx5StandIn.of(queues.getFirst());
                Mlx5StandIn.Queue ours = Mlx5StandIn.of(queues.getLast());
                assertThat(bytes(ours.doorbell())).as("round %d", round).isEqualTo(bytes(theirs.doorbell()));
                assertThat(bytes(ours.arming())).as("round %d", round).isEqualTo(bytes(theirs.arming()));
            }
        }
    }

    /** A request that begins in the last block, and data that come with its completion. */
    @Test
    void dataOfARequestThatGoesOnAtTheStartArriveInAllItsPlaces() {
        SliceList places = SliceList.allocate(3);
        for (DataPath path : DataPath.values()) {
            try (Mlx5Side side = open(path)) {
                int last = (int) (side.rings.sends().byteSize() / 64) - 1;
                for (int counter = 0; counter < last; counter++) {
                    assertThat(side.pair.postSend(counter, side.region.slice(0, 8), SendFlags.SIGNALED))
                            .isZero();
                    completeSend(side, side.pair, counter);
                    assertThat(poll(side.sendQueue, 1)).containsExactly((long) counter);
                }
                memory.fill((byte) 0);
                places.clear();
                for (int i = 1; i <= 3; i++) {
                    places.add(side.region.slice(100 * i, 8));
                }
                RemoteMemory remote = side.region.remoteMemory().slice(0, 24);
                SendBatch batch = side.pair.startBatch().read(7, places, remote, SendFlags.SIGNALED);
                assertThat(batch.post()).isEqualTo(1);
                byte[] entry =
                        entries.entry(side.rings, Mlx5Entries.REQUEST, READ_CODE, last, Mlx5Entries.SCATTER_32, 24);
                Mlx5StandIn.complete(side.sendQueue, entry);
                assertThat(poll(side.sendQueue, 1)).containsExactly(7L);
                for (int i = 1; i <= 3; i++) {
                    assertThat(bytes(memory.asSlice(100L * i, 8)))
                            .as("%s, entry %d", path, i)
                            .isEqualTo(Arrays.copyOfRange(entry, 8 * (i - 1), 8 * i));
                }
            }
        }
    }

    @Test
    void nothingIsAllocatedForAnOperation() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        WorkCompletions completions = WorkCompletions.allocate(8);
        try (Mlx5Side side = open(DataPath.RINGS)) {
            MemorySlice local = side.region.slice(0, 64);
            RemoteMemory remote = side.region.remoteMemory().slice(0, 64);
            long allocated = 0;
            for (int round = 0, counter = 0; round < 200; round++, counter += 4) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 4; i++) {
                    side.pair.postWrite(i, local, remote, SendFlags.SIGNALED);
                    side.pair.postReceive(i, local);
                }
                long after = threads.getCurrentThreadAllocatedBytes();
                Mlx5StandIn.complete(
                        side.sendQueue, entries.entry(side.rings, Mlx5Entries.REQUEST, 8, counter + 3, 0, 0));
                for (int i = 0; i < 4; i++) {
                    Mlx5StandIn.complete(
                            side.receiveQueue,
                            entries.entry(side.rings, Mlx5Entries.RESPONSE_SEND, 0, counter + i, 4, 32));
                }
                long beforePoll = threads.getCurrentThreadAllocatedBytes();
                int found = side.sendQueue.poll(completions) + side.receiveQueue.poll(completions);
                long afterPoll = threads.getCurrentThreadAllocatedBytes();
                assertThat(found).isEqualTo(5);
                // The first rounds load classes.
                allocated = round < 20 ? 0 : allocated + after - before + afterPoll - beforePoll;
            }
            assertThat(allocated).isZero();
        }
    }

    @Test
    void receivedDataStayOutOfCompletionsWhereThatWasAsked() {
        try (Mlx5Side side = open(DataPath.FUNCTIONS);
                Mlx5Side without = new Mlx5Side(DataPath.RINGS, memory, 40, c -> c.scatterToCompletion(false))) {
            assertThat(side.rings.flags() & SCATTER_FLAG).isNotZero();
            assertThat(without.rings.flags() & SCATTER_FLAG).isZero();
            assertThat(without.pair.sendPath()).isEqualTo(RINGS);
        }
    }

    /**
     * With {@code sendOperations}, too, requests go by ibv_post_send(3): by ibv_wr_*, libmlx5 would write one that
     * finds the queue full over the last one that was posted.
     */
    @Test
    void aFullQueueSpoilsNothing() {
        for (DataPath path : DataPath.values()) {
            try (Mlx5Side side = new Mlx5Side(path, memory, 40, config -> config.sendOperations(OPERATIONS))) {
                RemoteMemory remote = side.region.remoteMemory().slice(0, 64);
                int posted = 0;
                while (side.pair.postWrite(posted, side.region.slice(64, 40), remote, SendFlags.SIGNALED) == 0) {
                    posted++;
                }
                assertThat(posted).isGreaterThanOrEqualTo(Mlx5Side.SENDS - 1);
                byte[] before = bytes(side.rings.sends());
                assertThat(side.pair.postRead(1, side.region.slice(0, 8), remote, SendFlags.NONE))
                        .isEqualTo(QueuePair.QUEUE_FULL);
                assertThat(bytes(side.rings.sends())).isEqualTo(before);
                // What nobody asked for may need more room than the queue was made with.
                assertThatThrownBy(() -> side.pair.postCompareAndSwap(
                                1, side.region.slice(0, 8), remote.slice(0, 8), 1, 2, SendFlags.NONE))
                        .isInstanceOf(UnsupportedVerbException.class)
                        .hasMessageContaining("sendOperations did not name it");
            }
        }
    }

    /** Of both libmlx5's. */
    @Test
    void requestsOfSendOperationsAreTheSame() {
        try (Mlx5Side basic = open(DataPath.FUNCTIONS);
                Mlx5Side extended =
                        new Mlx5Side(DataPath.FUNCTIONS, memory, 40, config -> config.sendOperations(OPERATIONS))) {
            for (int i = 0; i < 10; i++) {
                for (Mlx5Side side : List.of(basic, extended)) {
                    RemoteMemory remote = side.region.remoteMemory().slice(0, 64);
                    MemorySlice local = side.region.slice(64, 40);
                    SendBatch batch = side.pair.startBatch();
                    switch (i % 5) {
                        case 0 -> batch.write(i, local, remote, SendFlags.SIGNALED);
                        case 1 -> batch.sendWithImmediate(i, local, 7, SendFlags.INLINE);
                        case 2 -> batch.fetchAndAdd(i, side.region.slice(0, 8), remote.slice(0, 8), i, SendFlags.FENCE);
                        case 3 -> batch.read(i, local, remote, SendFlags.NONE);
                        default -> batch.send(i, local, SendFlags.SOLICITED);
                    }
                    assertThat(batch.post())
                            .as(
                                    "request %d by %s: errno %d",
                                    i, side == basic ? "functions" : "ibv_wr_*", batch.error())
                            .isEqualTo(1);
                }
            }
            assertThat(bytes(extended.rings.sends().asSlice(0, 10 * 64)))
                    .isEqualTo(bytes(basic.rings.sends().asSlice(0, 10 * 64)));
            assertThat(bytes(extended.rings.doorbell())).isEqualTo(bytes(basic.rings.doorbell()));
        }
    }

    /** libmlx5 closes the descriptor when it fails; a second close would be that of somebody else's file. */
    @Test
    void aDescriptorThatLibmlx5HasClosedIsNotClosedAgain() {
        for (int errno : new int[] {Errno.EINVAL, Errno.ENODEV, Errno.EOPNOTSUPP, Errno.EIO}) {
            try (DeviceContext device = DeviceContext.open(Mlx5StandIn.DEVICE);
                    FileDescriptorCopy copy = FileDescriptorCopy.of(device.commandDescriptor())) {
                int number = copy.number();
                Mlx5StandIn.refuseIoctls(errno);
                assertThatThrownBy(() -> DeviceContext.importFrom(copy))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("ibv_import_device(cmd_fd=%d)".formatted(number));
                assertThat(Path.of("/proc/self/fd/" + number))
                        .as("after errno %d", errno)
                        .doesNotExist();
                assertThatThrownBy(copy::number).as("errno %d", errno).isInstanceOf(IllegalStateException.class);
            } finally {
                Mlx5StandIn.refuseIoctls(NOT_A_TERMINAL);
            }
        }
    }
}
