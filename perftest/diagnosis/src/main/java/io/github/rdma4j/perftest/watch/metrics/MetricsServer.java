// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Serves {@link OpenMetrics} at {@code /metrics}. Each request reads the counters again; no state is kept. */
public final class MetricsServer implements AutoCloseable {
    private static final String PATH = "/metrics";
    /** At once: each has a thread, so that those who ask or read slowly do not keep the next one out. */
    private static final String CONNECTIONS = "64";
    /** Seconds in which a request must have come, and an answer must have gone; JDK's default is for ever. */
    private static final String LIMIT = "10";

    private final HttpServer server;
    private final ExecutorService threads;

    private MetricsServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Begins to serve.
     *
     * @param address where; port 0 takes a free one
     * @param text what each request is answered with; may be asked by several threads at once
     * @throws PerftestException if the address cannot be listened at
     */
    public static MetricsServer start(InetSocketAddress address, Supplier<String> text) {
        // The JDK's server reads these once, when the first server is created. Values that the user has set are kept.
        System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", LIMIT);
        System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", LIMIT);
        System.getProperties().putIfAbsent("jdk.httpserver.maxConnections", CONNECTIONS);
        HttpServer server;
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException failure) {
            throw new PerftestException(
                    "cannot listen at " + address.getHostString() + ":" + address.getPort() + ": "
                            + failure.getMessage(),
                    isOfThisMachine(address.getAddress())
                            ? "take another port with --openmetrics; ss -ltnp shows the process that has this one"
                            : "give --openmetrics an address of this machine: ip address shows them");
        }
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, text));
        server.start();
        return new MetricsServer(server, threads);
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            return true;
        }
    }

    private static void answer(HttpExchange exchange, Supplier<String> text) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                send(exchange, 404, "text/plain; charset=utf-8", "there is " + PATH + "\n");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "text/plain; charset=utf-8", "GET and HEAD only\n");
            } else {
                send(exchange, 200, OpenMetrics.TYPE, text.get());
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
        if (!head) {
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Returns the address where the server listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** Ends it at once, requests that are under way included. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
