// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A mixed load for long: echoes of all sizes over one connection, whose times are taken; writes and reads of another
 * one's memory; and connections that come and go over both transports. Nothing may grow, and nothing may become slower.
 */
final class Soak {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 4096;
    /** The median of the last part against that of the first. On a busy machine it is never the same. */
    private static final double MOST_DRIFT = 2;

    private final InetSocketAddress server;
    private final Peer.Orders orders;
    private final long begun = System.nanoTime();
    private final AtomicReference<String> wrong = new AtomicReference<>("");
    private final AtomicReference<String> told = new AtomicReference<>("");
    private final SoakSamples samples;
    private final List<Long> early = new ArrayList<>();
    private final List<Long> late = new ArrayList<>();
    private volatile long words;
    private volatile long transfers;
    private volatile long connections;

    Soak(InetSocketAddress server, Peer.Orders orders) {
        this.server = server;
        this.orders = orders;
        this.samples = new SoakSamples(orders.lengthMillis());
    }

    /** Something that is done until the time is over. */
    private interface Work {
        void run(SplittableRandom random) throws Exception;
    }

    EndReport run() throws InterruptedException {
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
                told.set(e.toString());
            }
        }
        long before = median(early);
        long after = median(late);
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
                words,
                transfers,
                isGood(),
                told.get(),
                0,
                wrong.get(),
                "",
                List.of(),
                "%s; an echo %d us, then %d; %d connections".formatted(samples.summary(), before, after, connections));
    }

    private boolean isGood() {
        return wrong.get().isEmpty() && told.get().isEmpty();
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
                told.compareAndSet("", e.getClass().getSimpleName() + ": " + e.getMessage());
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
        words++;
    }

    private void echo(SplittableRandom random) {
        try (Endpoint endpoint = connect(Transport.RDMA)) {
            while (!isOver()) {
                byte[] word = new byte[random.nextInt(1, LARGEST + 1)];
                random.nextBytes(word);
                long started = System.nanoTime();
                echo(endpoint, word);
                long micros = (System.nanoTime() - started) / 1_000;
                if (samples.isEarly(elapsedMillis())) {
                    early.add(micros);
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

    private static long median(List<Long> times) {
        return times.isEmpty()
                ? 0
                : times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
    }
}
