// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.verbs.VerbsException;
import java.time.Duration;
import java.util.function.Consumer;

/** Sends back what comes, on all its connections with one thread. */
public abstract class EchoServer implements AutoCloseable {
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private Thread thread;
    private volatile boolean ending;

    /** Only for the servers in this package. */
    EchoServer() {}

    /**
     * Starts a server.
     *
     * @param setting its port may be 0
     * @param failed is called once, in the server's thread, when it cannot continue
     * @throws RunFailedException when the port is in use or the address is not this machine's
     * @throws VerbsException when an endpoint cannot use the address
     */
    public static EchoServer start(EchoSetting setting, Consumer<RuntimeException> failed) {
        EchoServer server =
                setting.transport().isOfEndpoints() ? new EndpointEchoServer(setting) : new TcpEchoServer(setting);
        server.begin(setting.transport(), failed);
        return server;
    }

    private void begin(Transport transport, Consumer<RuntimeException> failed) {
        thread = Thread.ofPlatform()
                .daemon()
                .name("rdma4j-echo-" + transport.key())
                .start(() -> {
                    try {
                        while (!ending) {
                            serve();
                        }
                    } catch (PerftestException | VerbsException | IllegalStateException failure) {
                        if (!ending) {
                            failed.accept(failure);
                        }
                    }
                });
    }

    static RunFailedException taken(EchoSetting setting, String reason) {
        return new RunFailedException(
                "cannot listen at " + setting.address() + ", port " + setting.port() + ": " + reason,
                setting.port() == 0
                        ? "give the address of an interface of this machine with --address"
                        : "choose another port with -p, or leave it out: then any free one is taken");
    }

    /** Returns the port where clients connect. */
    public abstract int port();

    /** Waits until something has come, and answers it. */
    abstract void serve();

    /** Ends the wait. */
    abstract void wakeUp();

    /** Closes everything; the thread has ended. */
    abstract void release();

    @Override
    public void close() {
        ending = true;
        wakeUp();
        try {
            thread.join(LONGEST_END);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        release();
    }
}
