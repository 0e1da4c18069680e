// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random requests, receives and completions on two queue pairs that are alike, one through libmlx5 and one through the
 * rings written in Java: after each step all bytes are the same. Nothing is masked; the stand-in gives both the same
 * numbers and keys. {@code -Drdma4j.mlx5.seeds=N} plays more sequences, {@code -Drdma4j.mlx5.seed=S} begins with a
 * given one.
 */
class Mlx5BytesOnLibmlx5 {
    private static final int STEPS = 1_000;
    private static final long FIRST_SEED = Long.getLong("rdma4j.mlx5.seed", 4711);
    private static final int SEEDS = Integer.getInteger("rdma4j.mlx5.seeds", 2);

    private static final int MEMORY = 1 << 14;
    private static final int FLAGS = SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.FENCE;
    private static final int POISON = 0x5a;
    private static final int CAPACITY = 7;
    private static final int WC_BYTES = 48;
    private static final List<Integer> SYNDROMES =
            List.of(0x01, 0x02, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22, 0x00, 0x2f, 0xff);

    private static final int READ = 0x10;
    private static final List<Integer> ATOMICS = List.of(0x11, 0x12);

    private static final ValueLayout.OfInt BIG_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final SliceList list = SliceList.allocate(Mlx5Side.MAX_RECEIVE_ENTRIES);
    private final WorkCompletions theirs = WorkCompletions.allocate(CAPACITY);
    private final WorkCompletions ours = WorkCompletions.allocate(CAPACITY);

    private record Request(int counter, int code) {}

    /** What a sequence has of each kind, so that none is played without something. */
    private static final class Seen {
        int full;
        int requests;
        int receives;
        int completions;
        int errors;
        int scattered;
    }

    static LongStream seeds() {
        return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void allBytesAreThoseOfLibmlx5(long seed) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(MEMORY, 64);
            Random random = new Random(seed);
            for (long i = 0; i < MEMORY; i++) {
                memory.set(JAVA_BYTE, i, (byte) random.nextInt());
            }
            boolean signalAll = random.nextBoolean();
            try (Mlx5Side library = new Mlx5Side(DataPath.FUNCTIONS, memory, 40, c -> c.signalAll(signalAll));
                    Mlx5Side rings = new Mlx5Side(DataPath.RINGS, memory, 40, c -> c.signalAll(signalAll))) {
                assertThat(rings.pair.sendPath()).isEqualTo(new DataPathChoice(DataPath.RINGS, ""));
                assertThat(rings.rings.number()).isEqualTo(library.rings.number());
                play(new Random(seed), library, rings, memory);
            }
        }
    }

    private void play(Random random, Mlx5Side library, Mlx5Side rings, MemorySegment memory) {
        Deque<Request> sent = new ArrayDeque<>();
        Deque<Integer> posted = new ArrayDeque<>();
        int entryBytes = Mlx5StandIn.of(rings.sendQueue).entryBytes();
        Mlx5Entries entries = new Mlx5Entries(random, entryBytes);
        Seen seen = new Seen();
        int receiveCounter = 0;
        for (int step = 0; step < STEPS; step++) {
            long seed = random.nextLong();
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    int before = sendCounter(library);
                    int accepted = post(library, new Random(seed));
                    assertThat(post(rings, new Random(seed))).isEqualTo(accepted);
                    seen.full += library.pair.startBatch().error() == QueuePair.QUEUE_FULL ? 1 : 0;
                    assertThat(rings.pair.startBatch().error())
                            .isEqualTo(library.pair.startBatch().error());
                    remember(library, before, accepted, sent);
                    seen.requests += accepted;
                }
                case 3 -> {
                    int accepted = receive(library, new Random(seed));
                    assertThat(receive(rings, new Random(seed))).isEqualTo(accepted);
                    seen.receives += accepted;
                    for (int i = 0; i < accepted; i++) {
                        posted.add(receiveCounter++);
                    }
                }
                case 4 -> completeRequests(random, library, rings, sent, entries, seen);
                default -> completeReceives(random, library, rings, posted, entries, seen);
            }
            assertSame(step, library, rings);
            if (step % 2 == 0) {
                poll(library.sendQueue, rings.sendQueue, memory, seen);
                poll(library.receiveQueue, rings.receiveQueue, memory, seen);
            }
        }
        assertThat(List.of(seen.full, seen.requests, seen.receives, seen.completions, seen.errors, seen.scattered))
                .as("full, requests, receives, completions, errors, with data")
                .allMatch(count -> count > 10);
    }

    private static int sendCounter(Mlx5Side side) {
        return side.rings.doorbell().get(BIG_INT, 4);
    }

    /** Where each accepted request stands, by the sizes that the requests themselves tell. */
    private static void remember(Mlx5Side side, int before, int accepted, Deque<Request> sent) {
        int blocks = (int) (side.rings.sends().byteSize() / 64);
        int counter = before;
        for (int i = 0; i < accepted; i++) {
            long place = (counter & blocks - 1) * 64L;
            sent.add(new Request(counter, side.rings.sends().get(JAVA_BYTE, place + 3) & 0xff));
            int sixteenths = side.rings.sends().get(BIG_INT, place + 4) & 0x3f;
            counter = counter + (sixteenths + 3) / 4 & 0xffff;
        }
        assertThat(counter).isEqualTo(sendCounter(side));
    }

    private static void assertSame(int step, Mlx5Side library, Mlx5Side rings) {
        assertSame(step, "requests", library.rings.sends(), rings.rings.sends());
        assertSame(step, "receives", library.rings.receives(), rings.rings.receives());
        assertSame(step, "doorbell record", library.rings.doorbell(), rings.rings.doorbell());
        assertSame(step, "register", library.rings.register(), rings.rings.register());
        for (CompletionQueue queue : List.of(library.sendQueue, library.receiveQueue)) {
            CompletionQueue other = queue == library.sendQueue ? rings.sendQueue : rings.receiveQueue;
            assertSame(
                    step,
                    "consumer index",
                    Mlx5StandIn.of(queue).doorbell(),
                    Mlx5StandIn.of(other).doorbell());
        }
    }

    private static void assertSame(int step, String what, MemorySegment theirs, MemorySegment ours) {
        long difference = theirs.mismatch(ours);
        if (difference >= 0) {
            long line = difference & -16;
            assertThat(ours.asSlice(line, 16).toArray(JAVA_BYTE))
                    .as("step %d: %s at %d, from %d on", step, what, difference, line)
                    .containsExactly(theirs.asSlice(line, 16).toArray(JAVA_BYTE));
        }
    }

    private int post(Mlx5Side side, Random random) {
        SendBatch batch = side.pair.startBatch();
        for (int i = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1; i > 0; i--) {
            add(batch, side, random);
        }
        return batch.post();
    }

    private void add(SendBatch batch, Mlx5Side side, Random random) {
        long id = random.nextLong();
        int flags = random.nextInt() & FLAGS;
        MemorySlice local = side.region.slice(random.nextInt(4096), random.nextInt(Mlx5Side.MAX_INLINE + 1));
        RemoteMemory remote = side.region.remoteMemory().slice(8L * random.nextInt(500), 4096);
        MemorySlice eight = side.region.slice(8L * random.nextInt(100), 8);
        fill(side, random, Mlx5Side.MAX_ENTRIES);
        switch (random.nextInt(13)) {
            case 0 -> batch.write(id, local, remote, flags);
            case 1 -> batch.write(id, local, remote, flags | SendFlags.INLINE);
            case 2 -> batch.writeWithImmediate(id, list, remote, random.nextInt(), flags);
            case 3 -> batch.read(id, list, remote, flags & ~SendFlags.SOLICITED);
            case 4 -> batch.send(id, list, flags);
            case 5 -> batch.sendWithImmediate(id, local, random.nextInt(), flags | SendFlags.INLINE);
            case 6 -> batch.compareAndSwap(id, eight, remote.slice(0, 8), random.nextLong(), random.nextLong(), flags);
            case 7 -> batch.fetchAndAdd(id, eight, remote.slice(0, 8), random.nextLong(), flags);
            case 8 -> batch.localInvalidate(id, random.nextInt(), flags);
            case 9 -> batch.sendWithInvalidate(id, list, random.nextInt(), flags);
            case 10 -> batch.send(id, local, flags | SendFlags.INLINE);
            case 11 -> batch.writeWithImmediate(id, local, remote, random.nextInt(), flags | SendFlags.INLINE);
            default ->
                batch.bindMemoryWindow(
                        id,
                        side.window,
                        side.window.remoteKey(),
                        side.region.slice(random.nextInt(1000), 1 + random.nextInt(1000)),
                        flags,
                        access(random));
        }
    }

    private static AccessFlag[] access(Random random) {
        return List.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED)
                .stream()
                .filter(flag -> random.nextBoolean())
                .toArray(AccessFlag[]::new);
    }

    private void fill(Mlx5Side side, Random random, int most) {
        list.clear();
        for (int entries = random.nextInt(most + 1); entries > 0; entries--) {
            // Short ones, so that data that come with a completion go to more than one.
            int length = random.nextInt(random.nextBoolean() ? 16 : 1000);
            list.add(side.region.slice(random.nextInt(4096), length));
        }
    }

    private int receive(Mlx5Side side, Random random) {
        ReceiveBatch batch = side.pair.startReceiveBatch();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            fill(side, random, Mlx5Side.MAX_RECEIVE_ENTRIES);
            batch.receive(random.nextLong(), list);
        }
        return batch.post();
    }

    private static void completeBoth(CompletionQueue library, CompletionQueue rings, byte[] entry) {
        Mlx5StandIn.complete(library, entry);
        Mlx5StandIn.complete(rings, entry);
    }

    /** Some of the requests are done; of others that are, nobody is told. */
    private void completeRequests(
            Random random, Mlx5Side library, Mlx5Side rings, Deque<Request> sent, Mlx5Entries entries, Seen seen) {
        int room = 10;
        for (int count = 1 + random.nextInt(6); count > 0 && !sent.isEmpty() && room > 0; count--, room--) {
            Request request = sent.poll();
            if (random.nextInt(3) == 0 && !sent.isEmpty()) {
                continue;
            }
            byte[] entry;
            if (random.nextInt(4) == 0) {
                int syndrome = SYNDROMES.get(random.nextInt(SYNDROMES.size()));
                entry = entries.error(library.rings, true, syndrome, request.counter);
                seen.errors++;
            } else {
                boolean atomic = ATOMICS.contains(request.code);
                // Before rdma-core 64, libmlx5 looks for the data of a read at a wrong place in long completions.
                boolean scatters = (request.code == READ || atomic) && !entries.areLong();
                int scatter = scatters ? scatter(random, entries) : 0;
                int length = atomic ? 8 : scatter == 0 ? random.nextInt() : random.nextInt(scatterBytes(scatter) + 1);
                entry = entries.entry(
                        library.rings, Mlx5Entries.REQUEST, request.code, request.counter, scatter, length);
                seen.scattered += scatter == 0 ? 0 : 1;
            }
            completeBoth(library.sendQueue, rings.sendQueue, entry);
        }
        poll(library.sendQueue, rings.sendQueue, library.region.segment(), seen);
    }

    private static int scatter(Random random, Mlx5Entries entries) {
        return switch (random.nextInt(3)) {
            case 0 -> Mlx5Entries.SCATTER_32;
            case 1 -> entries.areLong() ? Mlx5Entries.SCATTER_64 : 0;
            default -> 0;
        };
    }

    private static int scatterBytes(int scatter) {
        return scatter == Mlx5Entries.SCATTER_32 ? 32 : 64;
    }

    private void completeReceives(
            Random random, Mlx5Side library, Mlx5Side rings, Deque<Integer> posted, Mlx5Entries entries, Seen seen) {
        for (int count = 1 + random.nextInt(6); count > 0 && !posted.isEmpty(); count--) {
            int counter = posted.poll();
            byte[] entry;
            if (random.nextInt(4) == 0) {
                int syndrome = SYNDROMES.get(random.nextInt(SYNDROMES.size()));
                entry = entries.error(library.rings, false, syndrome, counter);
                seen.errors++;
            } else {
                int kind = 1 + random.nextInt(4);
                int scatter = scatter(random, entries);
                int length = scatter == 0 ? random.nextInt() : random.nextInt(scatterBytes(scatter) + 1);
                entry = entries.entry(library.rings, kind, random.nextInt(), counter, scatter, length);
                seen.scattered += scatter == 0 ? 0 : 1;
            }
            completeBoth(library.receiveQueue, rings.receiveQueue, entry);
        }
        poll(library.receiveQueue, rings.receiveQueue, library.region.segment(), seen);
    }

    /** Polls both, and compares what was found and where data were put; a field that nobody writes keeps its poison. */
    private void poll(CompletionQueue library, CompletionQueue rings, MemorySegment memory, Seen seen) {
        int found;
        do {
            byte[] before = memory.toArray(JAVA_BYTE);
            MemorySegment first = poisoned(theirs);
            found = library.poll(theirs);
            byte[] after = memory.toArray(JAVA_BYTE);
            MemorySegment.copy(before, 0, memory, JAVA_BYTE, 0, before.length);
            MemorySegment second = poisoned(ours);
            assertThat(rings.poll(ours)).isEqualTo(found);
            assertSame(0, "completions", first, second);
            assertSame(0, "received data", MemorySegment.ofArray(after), memory);
            seen.completions += found;
        } while (found > 0);
    }

    private static MemorySegment poisoned(WorkCompletions completions) {
        return MemorySegment.ofAddress(completions.address())
                .reinterpret((long) CAPACITY * WC_BYTES)
                .fill((byte) POISON);
    }
}
