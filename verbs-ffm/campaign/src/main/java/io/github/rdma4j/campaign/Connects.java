// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Consecutive connections: connect, send a word, receive its echo, close. So a fault affects each phase of a
 * connection. Each attempt must end within its timeouts. Some may fail, but after the wire has been restored, one must
 * succeed.
 */
final class Connects {
    private static final Duration CONNECT = Duration.ofSeconds(4);
    private static final Duration ANSWER = Duration.ofSeconds(3);
    private static final Duration CLOSE = Duration.ofSeconds(2);

    private static final byte[] WORD = "again".getBytes();
    private static final byte[] LAST = "last".getBytes();

    private final long lengthMillis;
    private final Attempts attempts = new Attempts();

    /** @param lengthMillis how long to go on */
    Connects(long lengthMillis) {
        this.lengthMillis = lengthMillis;
    }

    /** {@return the client's results: attempts as sent, successes as received} */
    EndReport client(InetSocketAddress server) {
        boolean done = false;
        while (!done && attempts.isGood() && attempts.elapsed() < lengthMillis + Attempts.RECOVERY_MILLIS) {
            boolean last = attempts.elapsed() >= lengthMillis;
            done = attempt(server, last ? LAST : WORD) && last;
        }
        return attempts.report(0, done);
    }

    private boolean attempt(InetSocketAddress server, byte[] word) {
        attempts.made++;
        long started = attempts.elapsed();
        try (Endpoint endpoint = Endpoint.connect(server, Connects::configure, CONNECT)) {
            attempts.within("connect", attempts.elapsed() - started, CONNECT);
            if (!endpoint.send(word, ANSWER)) {
                throw new IllegalStateException("no room for the first message");
            }
            long sent = attempts.elapsed();
            Optional<byte[]> answer = endpoint.receive(ANSWER);
            attempts.within("receive", attempts.elapsed() - sent, ANSWER);
            if (answer.isPresent() && !Arrays.equals(answer.get(), word)) {
                attempts.wrong = "another word came back";
            }
            if (answer.isPresent()) {
                attempts.successes++;
                return true;
            }
            attempts.fail("no answer in " + ANSWER);
        } catch (VerbsException | IllegalStateException e) {
            attempts.fail(e);
        }
        attempts.within(
                "an attempt", attempts.elapsed() - started, CONNECT.plus(ANSWER).plus(CLOSE));
        return false;
    }

    /** {@return the server's results: connections as sent, connections with a word as received} */
    EndReport server(EndpointServer server, long limitMillis) throws InterruptedException {
        AtomicLong words = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            while (!done.get() && attempts.elapsed() < limitMillis && attempts.wrong.isEmpty()) {
                try {
                    server.accept(Duration.ofMillis(200)).ifPresent(endpoint -> {
                        attempts.made++;
                        threads.execute(() -> serve(endpoint, words, done));
                    });
                } catch (VerbsException | IllegalStateException e) {
                    attempts.wrong = "accept threw " + e; // those that give up, or are cut off, are forgotten
                }
            }
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                attempts.hung = "a served connection";
            }
        }
        return new EndReport(
                "machine 2",
                attempts.made,
                words.get(),
                0,
                done.get(),
                "",
                0,
                attempts.wrong,
                attempts.hung,
                List.of());
    }

    private static void serve(Endpoint endpoint, AtomicLong words, AtomicBoolean done) {
        byte[] word = {};
        try (endpoint) {
            word = endpoint.receive(ANSWER).orElse(word);
            if (word.length > 0) {
                words.incrementAndGet();
                endpoint.send(word, ANSWER);
                endpoint.receive(ANSWER);
            }
        } catch (ClosedByPeerException e) {
            // The client has its answer.
            if (Arrays.equals(word, LAST)) {
                done.set(true);
            }
        } catch (VerbsException e) {
            // The wire is cut. The exception that the client got is what counts.
        }
    }

    static void configure(EndpointConfig config) {
        config.silenceTimeout(ANSWER).closeTimeout(CLOSE).handshakeTimeout(CONNECT);
    }
}
