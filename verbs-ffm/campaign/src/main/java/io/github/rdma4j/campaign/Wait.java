// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A method that waits for an event that does not occur, or not soon. */
enum Wait {
    RECEIVE(stage -> stage.mine.receive(patience())),
    RECEIVE_WITH_HANDLER(stage -> stage.mine.receive(message -> {}, patience())),
    RECEIVE_HELD(stage -> stage.mine.receiveHeld(patience()).ifPresent(held -> {
        throw new Wrong("a message that nobody sent");
    })),
    RECEIVE_ASYNC(Wait::receiveAsync),
    READ_CHANNEL(stage -> stage.mine.asByteChannel(patience()).read(ByteBuffer.allocate(8))),
    WRITE_CHANNEL(Wait::fill, stage -> stage.mine.asByteChannel(patience()).write(ByteBuffer.wrap(word()))),
    SEND(Wait::fill, stage -> stage.mine.send(word(), patience())),
    SEND_ALL(
            Wait::fill,
            stage -> stage.mine.sendAll(Collections.nCopies(40, MemorySegment.ofArray(word())), patience())),
    CLAIM(Wait::fill, stage -> stage.mine.claim(patience()).ifPresent(claimed -> claimed.close())),
    WRITE(stage -> stage.mine.transfers().write(stage.local.slice(8, 4088), stage.remote.slice(8, 4088), patience())),
    READ(stage -> stage.mine.transfers().read(stage.local.slice(8, 4088), stage.remote.slice(8, 4088), patience())),
    ADD(stage -> stage.mine.transfers().fetchAndAdd(stage.remote.slice(8, 8), 1, patience())),
    SWAP(stage -> stage.mine.transfers().compareAndSwap(stage.remote.slice(8, 8), 0, 1, patience())),
    GET_INT(stage -> stage.mine.transfers().getInt(stage.remote, 24, patience())),
    PUT_INT(stage -> stage.mine.transfers().putInt(stage.remote, 24, 7, patience())),
    GET_LONG(stage -> stage.mine.transfers().getLong(stage.remote, 16, patience())),
    PUT_LONG(stage -> stage.mine.transfers().putLong(stage.remote, 16, 7, patience())),
    GRANT(stage ->
            stage.mine.grant(Stage.MEMORY, patience(), AccessFlag.REMOTE_READ).close()),
    AWAIT_TRANSFERS(stage -> stage.mine.transfers().awaitTransfers((id, value, failure) -> {}, patience())),
    SELECT(stage -> stage.selector.select(patience())) {
        @Override
        void close(Stage stage) {
            stage.selector.close();
        }
    },
    ACCEPT(stage -> stage.server.accept(patience())) {
        @Override
        void close(Stage stage) {
            stage.server.close();
        }
    },
    CONNECT(stage -> stage.connectInVain(patience())) {
        @Override
        void close(Stage stage) throws IOException {
            stage.endSilence();
        }
    },
    RECONNECT(stage -> stage.reconnector.endpoint(patience())) {
        @Override
        void close(Stage stage) {
            stage.reconnector.close();
        }
    },
    AWAIT_COMPLETIONS(stage -> stage.queue.awaitCompletions(WorkCompletions.allocate(1), patience())) {
        @Override
        void close(Stage stage) {
            stage.queue.close();
        }
    },
    ASYNC_EVENT(stage -> stage.device.nextAsyncEvent(patience())) {
        @Override
        void close(Stage stage) {
            stage.device.close();
        }
    },
    CLOSE(stage -> stage.mine.close(patience()));

    private interface Body {
        void run(Stage stage) throws Exception;
    }

    private interface Preparation {
        void run(Stage stage);
    }

    private final Preparation preparation;
    private final Body body;

    Wait(Body body) {
        this(stage -> {}, body);
    }

    Wait(Preparation preparation, Body body) {
        this.preparation = preparation;
        this.body = body;
    }

    private static Duration patience() {
        return Duration.ofSeconds(20);
    }

    private static byte[] word() {
        return new byte[] {1, 2, 3, 4, 5};
    }

    /** A future that is cancelled leaves its message to the next reader. */
    private static void receiveAsync(Stage stage) throws Exception {
        CompletableFuture<byte[]> future = stage.mine.receiveAsync();
        try {
            future.get(patience().toSeconds(), TimeUnit.SECONDS);
        } finally {
            future.cancel(false);
        }
    }

    private static void fill(Stage stage) {
        stage.fill();
    }

    void prepare(Stage stage) {
        preparation.run(stage);
    }

    void run(Stage stage) throws Exception {
        body.run(stage);
    }

    /** Closes the object of the wait. */
    void close(Stage stage) throws IOException {
        stage.mine.close();
    }

    /** {@return whether the stage cannot be used after it} */
    boolean isEnd() {
        return this == CLOSE;
    }
}
