// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A process that does its worst to a server, until its standard input ends. It prints a line first, and one then. */
final class Attack {
    /** The number of half-open connections at a time. */
    private static final int HALF_OPEN_TCP = 10_000;

    private static final int HALF_OPEN_RDMA = 10_000;
    private static final Duration SOON = Duration.ofSeconds(2);
    /** The offset of the attack from its start, while a JVM loads classes. */
    private static final Duration ONCE = Duration.ofSeconds(20);

    private final InetSocketAddress server;
    private final SplittableRandom random;
    private volatile boolean over;
    private long done;
    private long refused;

    private Attack(InetSocketAddress server, long seed) {
        this.server = server;
        this.random = new SplittableRandom(seed);
    }

    public static void main(String... arguments) throws Exception {
        Attack attack = new Attack(
                new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2])), Long.parseLong(arguments[3]));
        Thread.ofPlatform().daemon().start(() -> {
            try {
                System.in.read();
            } catch (IOException e) {
                // That also ends the connection.
            }
            attack.over = true;
        });
        System.out.println("begun");
        switch (Load.valueOf(arguments[0])) {
            case HALF_OPEN_TCP -> attack.halfOpenTcp();
            case HALF_OPEN_RDMA -> attack.halfOpenRdma();
            case CONNECT_FLOOD -> attack.connect();
            case GUESSED_KEYS -> attack.guessKeys();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println(attack.done + " times, " + attack.refused + " refused");
        System.exit(0);
    }

    /** Opens TCP connections that send nothing, or only the start of a message. */
    private void halfOpenTcp() throws IOException {
        Queue<SocketChannel> open = new ArrayDeque<>();
        while (!over) {
            try {
                SocketChannel channel = SocketChannel.open();
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.socket().connect(server, (int) SOON.toMillis());
                if (random.nextInt(2) == 0) {
                    channel.write(ByteBuffer.wrap(new byte[random.nextInt(1, 16)]));
                }
                open.add(channel);
                done++;
            } catch (IOException e) {
                refused++;
            }
            if (open.size() >= HALF_OPEN_TCP) {
                open.remove().close();
            }
        }
    }

    /** Sends requests with rdma_cm for a queue pair that does not exist, and does not read the answers. */
    private void halfOpenRdma() {
        Queue<SynchronousId> open = new ArrayDeque<>();
        byte[] hello = hello();
        while (!over) {
            SynchronousId id = SynchronousId.create(PortSpace.TCP);
            open.add(id);
            try {
                id.resolve(server, SOON);
                id.id().connect(config -> config.privateData(hello).queuePairNumber(random.nextInt(1, 1 << 24)));
                done++;
            } catch (VerbsException e) {
                refused++;
            }
            if (open.size() >= HALF_OPEN_RDMA) {
                open.remove().close();
            }
        }
    }

    /** {@return the first message of a client, captured from a client of this version} */
    private byte[] hello() {
        InetSocketAddress mine = new InetSocketAddress(System.getenv("RDMA4J_ADDRESS_1"), 0);
        try (SynchronousId listening = SynchronousId.create(PortSpace.TCP)) {
            listening.listen(mine, 1);
            InetSocketAddress address = listening.id().localAddress().orElseThrow();
            Thread client = Thread.ofPlatform().daemon().start(() -> {
                try {
                    Endpoint.connect(address, CrowdServer::configure, ONCE).close();
                } catch (VerbsException e) {
                    // It is refused; only its hello is needed.
                }
            });
            try (SynchronousId request = listening.getRequest(ONCE).orElseThrow()) {
                return request.request().orElseThrow().privateData();
            }
        }
    }

    /** Connections of this version, made and dropped as fast as they go. */
    private void connect() {
        while (!over) {
            try {
                Endpoint endpoint = Endpoint.connect(server, CrowdServer::configure, SOON);
                if (random.nextBoolean()) {
                    endpoint.send(new byte[] {1}, SOON);
                }
                endpoint.abort();
                done++;
            } catch (VerbsException e) {
                refused++;
            }
        }
    }

    /** Writes, reads and adds where keys and addresses of this end would be, and of others near them. */
    private void guessKeys() throws InterruptedException {
        while (!over) {
            try (Endpoint endpoint = Endpoint.connect(server, CrowdServer::configure, SOON);
                    ExposedMemory mine = endpoint.expose(4096, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)) {
                RemoteMemory own = mine.handle().memory();
                RemoteMemory guess = new RemoteMemory(
                        own.address() + random.nextLong(-1 << 20, 1 << 20) / 8 * 8,
                        64,
                        own.remoteKey() + random.nextInt(-1 << 12, 1 << 12));
                MemoryHandle forged = new MemoryHandle(guess, Set.of(REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC));
                try {
                    endpoint.transfers().fetchAndAdd(forged.slice(0, Long.BYTES), 1, SOON);
                    done++;
                } catch (VerbsException e) {
                    refused++;
                }
            } catch (VerbsException e) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }
}
