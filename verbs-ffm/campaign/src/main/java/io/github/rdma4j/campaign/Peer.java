// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.TransferHandler;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** The other end of one run, in a separate process: it prints its port and, at the end, its report. */
final class Peer {
    /** The data that its end needs; see {@link Scenario}. */
    record Orders(Load load, long seed, long lengthMillis, long limitMillis, long silenceMillis, Fault.Wire wire) {
        String[] words() {
            return new String[] {
                load.name(),
                Long.toString(seed),
                Long.toString(lengthMillis),
                Long.toString(limitMillis),
                Long.toString(silenceMillis),
                wire.word()
            };
        }

        static Orders of(String... words) {
            return new Orders(
                    Load.valueOf(words[0]),
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    Fault.Wire.ofWord(words[5]));
        }
    }

    private static final Duration TO_RDMA = Duration.ofSeconds(20);
    /** More than SoftRoCE ever is beside TCP. */
    private static final TransferHandler NOTHING = (id, value, failure) -> {};

    private Peer() {}

    public static void main(String... arguments) throws Exception {
        Orders orders = Orders.of(arguments);
        EndReport report;
        InetSocketAddress address = new InetSocketAddress(System.getenv("RDMA4J_ADDRESS_2"), 0);
        if (orders.load().isAlone()) {
            System.out.println(0);
            System.out.println(new EndReport("machine 2", 0, 0, 0, true, "", 0, "", "", List.of()).line());
            return;
        }
        if (orders.load() == Load.LIVES) {
            System.out.println(
                    LifePool.run(address.getAddress(), System.out::println).line());
            System.exit(0);
        }
        if (orders.load().isMalice() || orders.load() == Load.SOAK) {
            System.out.println(
                    new CrowdServer(orders).run(address, System.out::println).line());
            System.exit(0);
        }
        if (orders.load().isRaw() || orders.load().isCm()) {
            report = orders.load().isRaw()
                    ? RawEnd.server(address, orders, System.out::println)
                    : new CmServer(orders).run(address, System.out::println);
            System.out.println(report.line());
            return;
        }
        if (orders.load().isNetty()) {
            report = NettyEnd.server(address, orders, System.out::println);
            System.out.println(report.line());
            System.exit(0); // threads of Netty that are no event loops go on for a second
        }
        Moves moves = new Moves();
        try (EndpointServer server = EndpointServer.bind(
                address, config -> configure(config, orders.load(), orders.silenceMillis(), moves))) {
            System.out.println(server.address().getPort());
            if (orders.load() == Load.CONNECTING) {
                report = new Connects(orders.lengthMillis()).server(server, orders.limitMillis());
                System.out.println(report.line());
                return;
            }
            try (Endpoint endpoint = server.accept(Duration.ofMinutes(2)).orElseThrow()) {
                awaitBeginning(endpoint, orders.load());
                report = new Conversation(2, endpoint, orders, moves).run();
            }
        }
        System.out.println(report.line());
    }

    /** Returns when the connection is over RDMA: an earlier fault could not make it move. */
    static void awaitBeginning(Endpoint endpoint, Load load) {
        long until = System.nanoTime() + TO_RDMA.toNanos();
        while (load.moves() && endpoint.transport() != Transport.RDMA) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException(
                        "not over RDMA", endpoint.rdmaFailure().orElse(null));
            }
            endpoint.transfers().pollTransfers(NOTHING);
        }
    }

    static void configure(EndpointConfig config, Load load, long silenceMillis, Moves moves) {
        if (load == Load.CONNECTING) {
            Connects.configure(config);
        } else {
            if (load.moves()) {
                config.transport(Transport.RDMA_WITH_FAILOVER)
                        .recoveryInterval(Duration.ofSeconds(1))
                        .onMove(moves::add);
            }
            config.silenceTimeout(Duration.ofMillis(silenceMillis)).closeTimeout(Duration.ofSeconds(30));
        }
    }
}
