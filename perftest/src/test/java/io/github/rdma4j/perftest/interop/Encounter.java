// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import io.github.rdma4j.perftest.RdmaAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of a tool: a server and a client with the same options, from the start of the server to the end of both.
 *
 * @param client its exit status; null when it has not ended in time
 * @param server its exit status; null when it has not ended in time
 * @param clientOutput what the client printed
 * @param serverOutput what the server printed
 */
record Encounter(Integer client, Integer server, String clientOutput, String serverOutput) {
    private static final Duration POLL = Duration.ofMillis(10);

    /** A virtual CPU can stall for long: 18 is a second per retry. */
    private static final List<String> PATIENT = List.of("-F", "-u", "18");

    /** Options that only our tools have: no warm-up, and limits for every wait. */
    private static final List<String> OURS = List.of("--no-warm-up", "--timeout=60", "--run-timeout=60");

    /**
     * Runs both sides.
     *
     * @param options separated by blanks
     * @param limit for both sides together, from the start of the server
     */
    static Encounter of(String tool, String options, Peer serving, Peer calling, Duration limit) throws Exception {
        return of(tool, options, serving, calling, limit, List.of(), Network.OF_THIS_MACHINE);
    }

    /** Where servers are found by rdma_cm. */
    interface Network {
        /** The first device of this machine, and its kernel's answers. */
        Network OF_THIS_MACHINE = new Network() {
            @Override
            public String addressOf(Peer server) {
                return RdmaAddress.ofFirstDevice();
            }

            @Override
            public boolean listens(Peer server, int port) throws IOException, InterruptedException {
                return Listening.on(port, true);
            }
        };

        /** The address of the device that a server uses. */
        String addressOf(Peer server);

        /** Whether a server listens. */
        boolean listens(Peer server, int port) throws IOException, InterruptedException;
    }

    /**
     * Runs both sides, the C tool by another command.
     *
     * @param options separated by blanks
     * @param limit for both sides together, from the start of the server
     * @param environmentOfC a command that runs the one behind it
     */
    static Encounter of(
            String tool,
            String options,
            Peer serving,
            Peer calling,
            Duration limit,
            List<String> environmentOfC,
            Network network)
            throws Exception {
        boolean rdmaCm = (" " + options + " ").matches(".* (-R|-z) .*");
        int port = Listening.freePort();
        long deadline = System.nanoTime() + limit.toNanos();
        try (Side server = start(environmentOfC, tool, options, serving, port, List.of())) {
            while (!(rdmaCm ? network.listens(serving, port) : Listening.on(port, false))) {
                Integer ended = server.await(POLL);
                if (ended != null || System.nanoTime() - deadline > 0) {
                    return new Encounter(null, ended, "", "the server does not listen:\n" + server.output());
                }
            }
            String host = rdmaCm ? network.addressOf(serving) : "localhost";
            try (Side client = start(environmentOfC, tool, options, calling, port, List.of(host))) {
                Integer clientStatus = client.await(rest(deadline));
                Integer serverStatus = server.await(rest(deadline));
                return new Encounter(clientStatus, serverStatus, client.output(), server.output());
            }
        }
    }

    private static Side start(
            List<String> environmentOfC, String tool, String options, Peer peer, int port, List<String> host)
            throws IOException {
        List<String> arguments = new ArrayList<>(peer == Peer.JAVA ? List.of() : environmentOfC);
        arguments.add(peer.command(tool));
        arguments.addAll(PATIENT);
        arguments.addAll(List.of(options.strip().split(" +")));
        arguments.addAll(List.of("-p", Integer.toString(port)));
        if (peer == Peer.JAVA) {
            arguments.addAll(OURS);
        }
        arguments.addAll(host);
        return peer == Peer.JAVA ? new JavaSide(arguments) : new ProcessSide(arguments);
    }

    private static Duration rest(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** Whether both sides ended with status 0. */
    boolean passed() {
        return client != null && client == 0 && server != null && server == 0;
    }

    @Override
    public String toString() {
        return "(null: not ended in time)\n--- client: status " + client + "\n" + clientOutput + "\n--- server: status "
                + server + "\n" + serverOutput;
    }
}
