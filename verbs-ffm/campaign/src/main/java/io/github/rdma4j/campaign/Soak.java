// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A long mixed load: echoes of all sizes over one connection, whose times are recorded; writes and reads of each
 * other's memory; and short connections over both transports. No resource may grow, and nothing may become slower.
 */
final class Soak {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 4096;
    /** The highest ratio of the median of the last tenth to the median of the first tenth of the second half. */
    private static final double MOST_DRIFT = 3;
    /** Of one tenth; taken at the beginning, as nothing may grow later. */
    private static final int MOST_TIMES = 200_000;

    private final InetSocketAddress server;
    private final Peer.Orders orders;
    private final long begun = System.nanoTime();
    private final AtomicReference<String> wrong = new AtomicReference<>("");
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private final SoakSamples samples;
    private final Times halfway = new Times();
    private final Times late = new Times();
    private final AtomicLong words = new AtomicLong();
    private volatile long transfers;
    private volatile long connections;

    Soak(InetSocketAddress server, Peer.Orders orders) {
        this.server = server;
        this.orders = orders;
        this.samples = new SoakSamples(orders.lengthMillis());
    }

    /** How long something took, in microseconds; used by one thread, then by another. */
    private static final class Times {
        private final long[] micros = new long[MOST_TIMES];
        private int count;

        void add(long time) {
            if (count < micros.length) {
                micros[count++] = time;
            }
        }

        long median() {
            Arrays.sort(micros, 0, count);
            return count == 0 ? 0 : micros[count / 2];
        }
    }

    /** Work that is repeated until the time has passed. */
    private interface Work {
        void run(SplittableRandom random) throws Exception;
    }

    /** Arguments: the server's address and port, and orders. Prints a report. */
    public static void main(String... arguments) throws Exception {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        Peer.Orders orders = Peer.Orders.of(Arrays.copyOfRange(arguments, 2, arguments.length));
        System.out.println(new Soak(server, orders).run().line());
        System.exit(0);
    }

    /** Runs it in a separate process, whose memory is checked. */
    static EndReport play(InetSocketAddress server, Peer.Orders orders) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of(server.getAddress().getHostAddress(), Integer.toString(server.getPort())));
        arguments.addAll(List.of(orders.words()));
        return Alone.process(List.of(), SoakSamples.FLAGS, Soak.class, arguments);
    }

    private EndReport run() throws InterruptedException {
        List<Thread> threads = List.of(start(1, this::echo), start(2, this::transfer), start(3, this::come));
        samples.follow(() -> isOver());
        for (Thread thread : threads) {
            if (!thread.join(Duration.ofSeconds(30))) {
                wrong.set("hangs at " + Arrays.toString(thread.getStackTrace()));
            }
        }
        if (isGood()) {
            try (Endpoint endpoint = connect(Transport.RDMA)) {
                endpoint.send(CrowdServer.LAST, PATIENCE);
                endpoint.receive(PATIENCE);
            } catch (VerbsException e) {
                failure.set(e.toString());
            }
        }
        long before = halfway.median();
        long after = late.median();
        String grown = samples.complaint();
        if (!grown.isEmpty()) {
            wrong.compareAndSet("", grown);
        }
        if (after > MOST_DRIFT * before) {
            wrong.compareAndSet("", "an echo took " + after + " us at last, and " + before + " at first");
        }
        return new EndReport(
                "machine 1",
                connections,
                words.get(),
                transfers,
                isGood(),
                failure.get(),
                0,
                wrong.get(),
                "",
                List.of(),
                "%s; an echo %d us, then %d; %d connections".formatted(samples.summary(), before, after, connections));
    }

    private boolean isGood() {
        return wrong.get().isEmpty() && failure.get().isEmpty();
    }

    private long elapsedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private boolean isOver() {
        return !isGood() || elapsedMillis() >= orders.lengthMillis();
    }

    private Thread start(int number, Work work) {
        return Thread.ofPlatform().start(() -> {
            try {
                work.run(new SplittableRandom(orders.seed() + number));
            } catch (Wrong e) {
                wrong.compareAndSet("", e.getMessage());
            } catch (Exception e) {
                failure.compareAndSet("", e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        });
    }

    private Endpoint connect(Transport transport) {
        return Endpoint.connect(server, config -> CrowdServer.configure(config.transport(transport)), PATIENCE);
    }

    private void echo(Endpoint endpoint, byte[] word) {
        endpoint.send(word, PATIENCE);
        if (!Arrays.equals(endpoint.receive(PATIENCE).orElse(null), word)) {
            throw new Wrong("another echo came, or none");
        }
        words.incrementAndGet();
    }

    private void echo(SplittableRandom random) {
        try (Endpoint endpoint = connect(Transport.RDMA)) {
            while (!isOver()) {
                byte[] word = new byte[random.nextInt(1, LARGEST + 1)];
                random.nextBytes(word);
                long started = System.nanoTime();
                echo(endpoint, word);
                long micros = (System.nanoTime() - started) / 1_000;
                if (samples.isHalfway(elapsedMillis())) {
                    halfway.add(micros);
                } else if (samples.isLate(elapsedMillis())) {
                    late.add(micros);
                }
            }
        }
    }

    private void transfer(SplittableRandom random) {
        try (Endpoint endpoint = connect(Transport.RDMA);
                MemoryRegion local = endpoint.allocateMemory(2L * CrowdServer.MEMORY)) {
            endpoint.send(CrowdServer.EXPOSE, PATIENCE);
            MemoryHandle remote =
                    MemoryHandle.fromBytes(endpoint.receive(PATIENCE).orElseThrow());
            byte[] expected = new byte[CrowdServer.MEMORY];
            while (!isOver()) {
                int length = random.nextInt(1, CrowdServer.MEMORY);
                int offset = random.nextInt(CrowdServer.MEMORY - length + 1);
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                MemorySegment.copy(bytes, 0, local.segment(), JAVA_BYTE, 0, length);
                endpoint.transfers().write(local.slice(0, length), remote.slice(offset, length), PATIENCE);
                System.arraycopy(bytes, 0, expected, offset, length);
                endpoint.transfers().read(local.slice(CrowdServer.MEMORY, CrowdServer.MEMORY), remote, PATIENCE);
                if (local.segment().asSlice(CrowdServer.MEMORY).mismatch(MemorySegment.ofArray(expected)) >= 0) {
                    throw new Wrong("what was read is not what was written");
                }
                transfers += 2;
                Thread.onSpinWait();
            }
        }
    }

    private void come(SplittableRandom random) throws InterruptedException {
        while (!isOver()) {
            try (Endpoint endpoint = connect(random.nextBoolean() ? Transport.RDMA : Transport.TCP)) {
                for (int n = random.nextInt(5); n >= 0; n--) {
                    echo(endpoint, new byte[] {1, 2, (byte) n});
                }
                connections++;
                if (random.nextInt(4) == 0) {
                    endpoint.abort();
                }
            }
            Thread.sleep(random.nextInt(100));
        }
    }
}
