// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

/** A simulated transfer, whose memory must not be used after its end. */
final class SimulatedJob extends Job {
    /** Counted for each side, from the first one on. */
    final int number;

    private final byte[] memory;
    /** In the peer's window. */
    final int remote;

    private final Runnable atEnd;
    boolean ready = true;
    boolean neverReady;
    boolean cannotFlush;
    /** The jobs with at least this number were requested after the failure. */
    int failedBefore = Integer.MAX_VALUE;

    private int ends;

    SimulatedJob(int number, Transfer.Kind kind, boolean staged, byte[] memory, int remote, int chunk, Runnable atEnd) {
        super(kind, staged, memory.length, chunk);
        this.number = number;
        this.memory = memory;
        this.remote = remote;
        this.atEnd = atEnd;
    }

    /** For those who read or write it. */
    byte[] memory(String who) {
        assertThat(isEnded()).as("%s touches the memory of %s", who, this).isFalse();
        return memory;
    }

    /** For whoever owns it. */
    byte[] bytes() {
        return memory;
    }

    @Override
    boolean isReady() {
        if (ready && neverReady) {
            throw new IllegalStateException("the stream has failed");
        }
        return ready;
    }

    @Override
    void flush() {
        if (cannotFlush) {
            throw new IllegalStateException("no flush");
        }
    }

    @Override
    void ended() {
        assertThat(++ends).as("ends of %s", this).isEqualTo(1);
        atEnd.run();
    }

    @Override
    public String toString() {
        return "%s %d (message %d), %s%s, %d of %d bytes, chunks: %d, %d taken, %d posted, %d through%s"
                .formatted(
                        kind(),
                        number,
                        message,
                        state(),
                        isStaged() ? ", staged" : "",
                        bytesDone(),
                        length(),
                        chunks,
                        taken,
                        posted,
                        completed,
                        isFailing() ? ", " + failure() : "");
    }
}
