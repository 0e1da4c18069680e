// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A close waits for a stream, which waits for a word that another thread will write: that thread must be able to do all
 * it needs for it.
 */
class OthersGoOnTest extends WaitingWorkFixture {
    @ParameterizedTest
    @EnumSource
    void wordIsWrittenByWhatIsMadeMeanwhile(Kind kind) throws InterruptedException {
        CudaResource resource = kind.create(this);
        DeviceMemory pooled = writer.allocate(64);
        DeviceFixture.await(writer);
        waitForFlag();
        Closing closing = new Closing(resource::close);
        closing.awaitWaiting();
        within(() -> writer.free(pooled), "CudaStream.free");
        within(() -> context.addDependent(() -> {}), "addDependent");
        within(() -> context.allocate(64), "an allocation");
        within(() -> context.createEvent().close(), "an event");
        within(() -> context.createStream().close(), "closing a stream");
        within(
                () -> {
                    CudaStream made = context.createStream();
                    made.writeValue(flag, 0, 1);
                },
                "writing the word");
        closing.end();
        assertThat(resource.isOpen()).isFalse();
    }

    /** A thread that waits in a copy is no closer, but a close waits for it. */
    @Test
    void wordIsWrittenWhileACloseWaitsForAThread() throws InterruptedException {
        waitForFlag();
        // Not pinned: the call itself waits for what is before it in the stream.
        DeviceMemory memory = context.allocate(64);
        Closing copying = new Closing(() -> {
            try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
                waiting.copyToDevice(memory, 0, arena.allocate(64), 0, 64);
            }
        });
        while (StandInDriver.calls("cuMemcpyHtoDAsync") == 0) {
            Thread.onSpinWait();
        }
        Closing closing = new Closing(waiting::close);
        closing.awaitWaiting();
        within(() -> context.createStream().writeValue(flag, 0, 1), "writing the word");
        copying.end();
        closing.end();
    }

    @Test
    void contextThatIsBeingClosedLetsItsStreamsWrite() throws InterruptedException {
        waitForFlag();
        // The youngest is closed first, and waits.
        context.allocate(64);
        Closing closing = new Closing(context::close);
        closing.awaitWaiting();
        within(() -> writer.writeValue(flag, 0, 1), "writing the word");
        closing.end();
        assertThat(context.isOpen()).isFalse();
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void twoThreadsCloseTheSame() throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        waitForFlag();
        Closing first = new Closing(memory::close);
        first.awaitWaiting();
        Closing second = new Closing(memory::close);
        second.awaitWaiting();
        raise();
        first.end();
        second.end();
        assertThat(StandInDriver.calls("cuMemFree")).isEqualTo(1);
    }
}
