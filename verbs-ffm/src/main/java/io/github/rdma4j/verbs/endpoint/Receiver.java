// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** The way in. Used with the lock of {@link Engine} held. */
final class Receiver {
    private final Engine engine;
    private final ReceiveBuffers buffers;
    private final Credits credits;
    private final Queue<CompletableFuture<byte[]>> requests = new ArrayDeque<>();

    Receiver(Engine engine, ReceiveBuffers buffers) {
        this.engine = engine;
        this.buffers = buffers;
        this.credits = engine.credits;
    }

    void arrived(int buffer, long length) {
        buffers.arrived(buffer, length);
        CompletableFuture<byte[]> request = nextRequest();
        if (request != null) {
            engine.finished().add(request, takeCopy(), null);
        }
    }

    /** Those that the program has cancelled get nothing. */
    private CompletableFuture<byte[]> nextRequest() {
        CompletableFuture<byte[]> request;
        do {
            request = requests.poll();
        } while (request != null && request.isDone());
        return request;
    }

    private byte[] takeCopy() {
        int buffer = buffers.take();
        byte[] copy = buffers.message(buffer).toBytes();
        release(buffer);
        return copy;
    }

    /** The oldest message's buffer, -1 if there is none; to be released. */
    int take() {
        return buffers.take();
    }

    Message message(int buffer) {
        return buffers.message(buffer);
    }

    int bufferCount() {
        return buffers.credited();
    }

    /** A copy of the oldest message; null if there is none and one may come. */
    byte[] copyNext(String operation) {
        if (!buffers.isEmpty()) {
            return takeCopy();
        }
        if (engine.state() != Engine.State.OPEN) {
            throw engine.ended(operation);
        }
        return null;
    }

    void request(CompletableFuture<byte[]> future) {
        engine.progress();
        if (!buffers.isEmpty()) {
            engine.finished().add(future, takeCopy(), null);
        } else if (engine.state() != Engine.State.OPEN) {
            engine.finished().add(future, null, engine.ended("receiving from " + engine));
        } else {
            requests.add(future);
        }
    }

    /** The program has done with a message. */
    void release(int buffer) {
        if (engine.canPost()) {
            repost(buffer);
            credits.release();
            engine.updateCredits();
        }
    }

    /** Gives the buffer to the adapter, before the peer can hear of it. */
    void repost(int buffer) {
        int errno = buffers.post(buffer);
        if (errno != 0) {
            engine.postingFailed(errno);
        }
    }

    /** The connection has ended; those who wait have had every message, or they would not wait. */
    void ended() {
        abandon(engine.ended("receiving from " + engine));
    }

    void abandon(RuntimeException failure) {
        requests.forEach(request -> engine.finished().add(request, null, failure));
        requests.clear();
    }

    void close() {
        buffers.close();
    }
}
