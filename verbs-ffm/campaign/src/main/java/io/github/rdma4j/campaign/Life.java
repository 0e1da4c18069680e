// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that will be killed. It reports that it is ready, receives a seed, and then connects over each transport,
 * communicates and closes, repeatedly, until it gets SIGKILL at the moment that the seed determines. A thread of this
 * process sends the signal, because no other process can hit a phase of a millisecond. For the kernel there is no
 * difference.
 */
final class Life {
    /** The concurrent connections. */
    private static final List<Transport> SLOTS = List.of(
            Transport.RDMA,
            Transport.TCP,
            Transport.RDMA_WITH_FAILOVER,
            Transport.RDMA,
            Transport.RDMA_WITH_FAILOVER,
            Transport.RDMA);
    /** Connections of a slot, one after the other. */
    private static final int ROUNDS = 2;

    static final int CONNECTIONS = SLOTS.size() * ROUNDS;
    static final String READY = "ready";
    static final int SIGKILL = 9;
    /** The default silence. An earlier report comes from the peer's kernel. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final long LIMIT_MILLIS = 60_000;
    /** A seed and a number. */
    private static final int MARK = Long.BYTES + 1;

    /**
     * The parameters from a seed.
     *
     * @param watched the connection whose phase matters; its slot and its round in one number
     * @param phase the phase during which it dies
     * @param delayMicros the delay after the start of the phase
     */
    record Plan(int watched, Ledger.Phase phase, long delayMicros) {
        static Plan of(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            int watched = random.nextInt(CONNECTIONS);
            Ledger.Phase phase = MOMENTS.get(random.nextInt(MOMENTS.size()));
            long most = switch (phase) {
                case BEFORE -> 5_000; // of a pause of up to ten milliseconds
                case FIRST -> 20_000;
                case LOAD -> 300_000;
                default -> 60_000;
            };
            return new Plan(watched, phase, random.nextLong(most));
        }
    }

    /** Most processes die under load. */
    private static final List<Ledger.Phase> MOMENTS = List.of(
            Ledger.Phase.BEFORE,
            Ledger.Phase.CONNECTING,
            Ledger.Phase.FIRST,
            Ledger.Phase.LOAD,
            Ledger.Phase.LOAD,
            Ledger.Phase.LOAD,
            Ledger.Phase.CLOSING);

    private final long seed;
    private final Plan plan;
    private final MemorySegment file;
    private final boolean whole;
    /** Counts the phases before its death. */
    private final CountDownLatch watched;

    private Life(long seed, MemorySegment file, boolean whole) {
        this.seed = seed;
        this.plan = Plan.of(seed);
        this.file = file;
        this.whole = whole;
        watched = new CountDownLatch(whole ? CONNECTIONS : 1);
    }

    static Transport transport(int connection) {
        return SLOTS.get(connection / ROUNDS);
    }

    /** {@return the orders of both ends of a connection} */
    static Peer.Orders orders(long seed, int connection) {
        long own = CONNECTIONS * seed + connection;
        return new Peer.Orders(
                Load.LIVES,
                own,
                new SplittableRandom(own).nextLong(200, 1_000),
                LIMIT_MILLIS,
                SILENCE.toMillis(),
                new Fault.Wire(false, false, false));
    }

    /**
     * Argument: the file of the ledgers. Reads a seed, the ports of the servers for RDMA and TCP, and for failover, and
     * whether all connections are closed in order first.
     */
    public static void main(String... arguments) throws Throwable { // of kill(2)
        MemorySegment file = Ledger.file(Path.of(arguments[0]), CONNECTIONS, Arena.global());
        Linker linker = Linker.nativeLinker();
        MethodHandle kill = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("kill"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
        int self = Math.toIntExact(ProcessHandle.current().pid());
        System.out.println(READY);
        String line = new BufferedReader(new InputStreamReader(System.in)).readLine();
        if (line == null) {
            return; // nobody needs it
        }
        String[] words = line.split("\t");
        Life life = new Life(Long.parseLong(words[0]), file, Boolean.parseBoolean(words[3]));
        for (int slot = 0; slot < SLOTS.size(); slot++) {
            int first = slot * ROUNDS;
            String port = SLOTS.get(slot) == Transport.RDMA_WITH_FAILOVER ? words[2] : words[1];
            InetSocketAddress server = new InetSocketAddress(System.getenv("RDMA4J_ADDRESS_1"), Integer.parseInt(port));
            Thread.ofPlatform().start(() -> {
                for (int n = first; n < first + ROUNDS; n++) {
                    life.live(n, server);
                }
            });
        }
        life.watched.await();
        long until = System.nanoTime() + life.plan.delayMicros() * 1_000;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        Ledger.setWord(file, System.nanoTime());
        int result = (int) kill.invokeExact(self, SIGKILL);
        throw new AssertionError("kill returned " + result);
    }

    /** Failures before the end are printed. */
    private void live(int connection, InetSocketAddress server) {
        Ledger ledger = Ledger.in(file, connection, phase -> {
            boolean comes = whole
                    ? phase == Ledger.Phase.ENDED
                    : connection == plan.watched() && phase.compareTo(plan.phase()) >= 0;
            if (comes) {
                watched.countDown();
            }
        });
        try {
            ledger.phase(Ledger.Phase.BEFORE);
            LockSupport.parkNanos(new SplittableRandom(seed + connection).nextLong(10_000_000));
            ledger.phase(Ledger.Phase.CONNECTING);
            Moves moves = new Moves();
            byte[] mark = ByteBuffer.allocate(MARK)
                    .putLong(seed)
                    .put((byte) connection)
                    .array();
            try (Endpoint endpoint = Endpoint.connect(
                    server,
                    config -> {
                        configure(config, transport(connection)).privateData(mark);
                        if (transport(connection) == Transport.RDMA_WITH_FAILOVER) {
                            config.onMove(moves::add);
                        }
                    },
                    CONNECT)) {
                ledger.phase(Ledger.Phase.FIRST);
                EndReport report = new Conversation(2, endpoint, orders(seed, connection), moves, ledger).run();
                if (!report.whole()) {
                    System.out.println("connection " + connection + ": " + report);
                }
            }
        } catch (VerbsException | IllegalStateException | InterruptedException e) {
            System.out.println("connection " + connection + ": " + e);
        }
        ledger.phase(Ledger.Phase.ENDED);
    }

    /** {@return the seed in a client's private data} */
    static long seed(byte[] mark) {
        return ByteBuffer.wrap(mark).getLong();
    }

    /** {@return the number of the connection in a client's private data} */
    static int connection(byte[] mark) {
        return mark[Long.BYTES];
    }

    static EndpointConfig configure(EndpointConfig config, Transport transport) {
        return config.transport(transport)
                .silenceTimeout(SILENCE)
                .closeTimeout(Duration.ofSeconds(5))
                .handshakeTimeout(CONNECT);
    }
}
