// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers in the order of streams of the stand-in's GPU. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class StreamChannelDeviceTest extends StreamChannelBehaviour {
    private static final int INVALID_VALUE = 1;

    /** A call that the driver refuses throws, has no effect and can be made again. */
    @Test
    void eachCallOfATurnFailsInTurn() {
        connect(Where.STAGED, Where.STAGED);
        List<Runnable> steps = List.of(
                () -> left.stream.launch(left.increment, 1, 32, left.counter),
                () -> left.hit.enqueueStart(left.stream),
                () -> left.arrival.enqueueStart(left.stream),
                () -> left.arrival.enqueueWait(left.stream),
                () -> left.hit.enqueueWait(left.stream),
                () -> right.arrival.enqueueStart(right.stream),
                () -> right.arrival.enqueueWait(right.stream),
                () -> right.stream.launch(right.increment, 1, 32, right.counter),
                () -> right.hit.enqueueStart(right.stream),
                () -> right.hit.enqueueWait(right.stream));
        int turns = 0;
        int failures = 0;
        long calls;
        do {
            turns++;
            long before = StandInDriver.get("calls");
            StandInDriver.failAt("*", turns, INVALID_VALUE);
            for (Runnable step : steps) {
                failures += failuresOf(step);
            }
            calls = StandInDriver.get("calls") - before;
            StandInDriver.noFailures();
            await(left.stream);
            await(right.stream);
        } while (turns < calls);
        // In the last turn no call is left that could fail.
        assertThat(failures).isEqualTo(turns - 1).isGreaterThan(steps.size());
        assertThat(left.counter()).isEqualTo(2 * turns);
        assertThat(left.channel.failure()).isEmpty();
    }

    private static int failuresOf(Runnable step) {
        try {
            step.run();
            return 0;
        } catch (CudaException e) {
            assertThat(e.call()).startsWith("cu");
            step.run();
            return 1;
        }
    }

    /** Before the stream goes on: by the stream itself where the device can, else by the host where it must. */
    @ParameterizedTest
    @EnumSource
    void arrivedDataIsFlushed(Flush flush) {
        StandInDriver.attribute(DeviceAttribute.CAN_FLUSH_REMOTE_WRITES.code(), flush == Flush.BY_THE_STREAM ? 1 : 0);
        if (flush != Flush.NOT_NEEDED) {
            StandInDriver.capability(80);
        }
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY);
        for (int i = 0; i < 3; i++) {
            left.enqueueHit(left.stream);
            left.hit.enqueueWait(left.stream);
            right.enqueueArrival(right.stream);
        }
        await(left.stream);
        await(right.stream);
        assertThat(StandInDriver.get("flushes")).isEqualTo(flush == Flush.BY_THE_HOST ? 3 : 0);
        assertThat(StandInDriver.get("flushes.stream")).isEqualTo(flush == Flush.BY_THE_STREAM ? 3 : 0);
    }

    private enum Flush {
        NOT_NEEDED,
        BY_THE_HOST,
        BY_THE_STREAM
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
