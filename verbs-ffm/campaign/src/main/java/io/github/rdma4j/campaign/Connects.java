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
 * Connections, one after the other: connect, say a word, hear it again, close. So a fault meets each phase of a
 * connection. Each attempt must end within its limits; some may fail, but when the wire is good again one must succeed.
 */
final class Connects {
    private static final Duration CONNECT = Duration.ofSeconds(4);
    private static final Duration ANSWER = Duration.ofSeconds(3);
    private static final Duration CLOSE = Duration.ofSeconds(2);
    private static final long SLACK_MILLIS = 2_000;
    /** How long after the time is up an attempt may still have to succeed. */
    private static final long RECOVERY_MILLIS = 20_000;

    private static final byte[] WORD = "again".getBytes();
    private static final byte[] LAST = "last".getBytes();

    private final long lengthMillis;
    private final long begun = System.nanoTime();
    private long attempts;
    private long successes;
    private String told = "";
    private long toldAtMillis;
    private String wrong = "";
    private String hung = "";

    /** @param lengthMillis how long to go on */
    Connects(long lengthMillis) {
        this.lengthMillis = lengthMillis;
    }

    long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    /** {@return what the client has seen: attempts as sent, successes as received} */
    EndReport client(InetSocketAddress server) {
        boolean done = false;
        while (!done && wrong.isEmpty() && hung.isEmpty() && elapsed() < lengthMillis + RECOVERY_MILLIS) {
            boolean last = elapsed() >= lengthMillis;
            done = attempt(server, last ? LAST : WORD) && last;
        }
        return new EndReport("machine 1", attempts, successes, 0, done, told, toldAtMillis, wrong, hung, List.of());
    }

    private boolean attempt(InetSocketAddress server, byte[] word) {
        attempts++;
        long started = elapsed();
        try (Endpoint endpoint = Endpoint.connect(server, Connects::configure, CONNECT)) {
            within("connect", elapsed() - started, CONNECT);
            if (!endpoint.send(word, ANSWER)) {
                throw new IllegalStateException("no room for the first message");
            }
            long sent = elapsed();
            Optional<byte[]> answer = endpoint.receive(ANSWER);
            within("receive", elapsed() - sent, ANSWER);
            if (answer.isPresent() && !Arrays.equals(answer.get(), word)) {
                wrong = "another word came back";
            }
            if (answer.isPresent()) {
                successes++;
                return true;
            }
            tell("no answer in " + ANSWER);
        } catch (VerbsException | IllegalStateException e) {
            tell(e.getClass().getSimpleName() + ": " + e.getMessage());
        }
        within("an attempt", elapsed() - started, CONNECT.plus(ANSWER).plus(CLOSE));
        return false;
    }

    private void tell(String text) {
        told = text;
        toldAtMillis = elapsed();
    }

    private void within(String what, long millis, Duration limit) {
        if (millis > limit.toMillis() + SLACK_MILLIS) {
            hung = what + " took " + millis + " ms of " + limit.toMillis();
        }
    }

    /** {@return what the server has seen: connections as sent, those that said a word as received} */
    EndReport server(EndpointServer server, long limitMillis) throws InterruptedException {
        AtomicLong words = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            while (!done.get() && elapsed() < limitMillis && wrong.isEmpty()) {
                try {
                    server.accept(Duration.ofMillis(200)).ifPresent(endpoint -> {
                        attempts++;
                        threads.execute(() -> serve(endpoint, words, done));
                    });
                } catch (VerbsException | IllegalStateException e) {
                    wrong = "accept threw " + e; // those that give up, or are cut off, are forgotten
                }
            }
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                hung = "a served connection";
            }
        }
        return new EndReport("machine 2", attempts, words.get(), 0, done.get(), "", 0, wrong, hung, List.of());
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
            // The wire is cut. What matters is what the client was told.
        }
    }

    static void configure(EndpointConfig config) {
        config.silenceTimeout(ANSWER).closeTimeout(CLOSE).handshakeTimeout(CONNECT);
    }
}
