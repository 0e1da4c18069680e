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
    /** The most concurrent connections. Each has a thread, so that slow clients do not block others. */
    private static final String CONNECTIONS = "64";
    /** The timeout of a request and of a response in seconds; the JDK's default is no timeout. */
    private static final String LIMIT = "10";

    private final HttpServer server;
    private final ExecutorService threads;

    private MetricsServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Starts the server.
     *
     * @param address the address to listen on; port 0 for any free port
     * @param text returns the response; may be called by several threads concurrently
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

    /** Stops the server at once, including pending requests. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
