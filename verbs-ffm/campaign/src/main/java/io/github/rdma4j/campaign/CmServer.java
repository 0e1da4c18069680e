// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** The other end of {@link CmAttempts}: a thread for each request. */
final class CmServer {
    private static final int BACKLOG = 64;

    private final Peer.Orders orders;
    private final long begun = System.nanoTime();
    private final AtomicLong words = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicReference<String> wrong = new AtomicReference<>("");
    private long requests;

    CmServer(Peer.Orders orders) {
        this.orders = orders;
    }

    /** @param port gets the server's port */
    EndReport run(InetSocketAddress address, IntConsumer port) throws InterruptedException {
        String hung = "";
        try (SynchronousId listening = SynchronousId.create(PortSpace.TCP);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            listening.listen(address, BACKLOG);
            port.accept(listening.id().localAddress().orElseThrow().getPort());
            while (!done.get() && wrong.get().isEmpty() && elapsed() < orders.limitMillis()) {
                try {
                    listening.getRequest(Duration.ofMillis(200)).ifPresent(id -> {
                        requests++;
                        threads.execute(() -> serve(id));
                    });
                } catch (VerbsException e) {
                    wrong.set("getRequest threw " + e);
                }
            }
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                hung = "a served connection";
            }
        }
        return new EndReport(
                "machine 2", requests, words.get(), refused.get(), done.get(), "", 0, wrong.get(), hung, List.of());
    }

    private long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    private void serve(SynchronousId id) {
        try (id) {
            byte[] asked = id.request().map(CmEvent::privateData).orElseThrow();
            CmAnswer answer = CmAnswer.of(asked);
            if (answer.isRefusal()) {
                refused.incrementAndGet();
                if (answer == CmAnswer.REFUSE) {
                    id.id().reject(asked);
                }
                return;
            }
            try (CmTalk talk = new CmTalk(id)) {
                id.accept(config -> config.privateData(asked), CmAttempts.CONNECT);
                talk.echo(CmAnswer.number(asked), CmAttempts.WORD.plus(CmAttempts.CONNECT));
                words.incrementAndGet();
                if (answer == CmAnswer.LAST) {
                    id.await(CmEventType.DISCONNECTED, CmAttempts.DISCONNECT);
                    done.set(true);
                } else {
                    id.await(CmEventType.DISCONNECTED, CmAttempts.DISCONNECT.plus(CmAttempts.WORD));
                }
            }
        } catch (Wrong e) {
            wrong.set(e.getMessage());
        } catch (VerbsException e) {
            // The wire is cut. The exception that the client got is what counts.
        } catch (RuntimeException e) {
            wrong.set("serving a request threw " + e);
        }
    }
}
