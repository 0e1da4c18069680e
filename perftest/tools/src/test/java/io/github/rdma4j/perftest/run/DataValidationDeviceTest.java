// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.wire.SystemData;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The validation finds missing and damaged data in memory after a run. Runs of the tools test that intact messages
 * pass.
 */
@Tag("device")
class DataValidationDeviceTest {
    private static final SystemData LAYOUT = new SystemData(4096, 64);

    /** The side under test, and the memory that a test damages. */
    private interface Damage {
        void to(RunResources side, MemorySegment memory);
    }

    /** Validates a side whose memory holds all messages except for the damage. */
    private static void verify(RunParameters parameters, boolean reads, Damage damage) {
        try (RunDevice device = RunDevice.open(parameters);
                RunResources side = new RunResources(
                        device, parameters, Shape.localPair(ConnectionType.RC, parameters.size(), 4, 0), LAYOUT)) {
            DataValidation validation = new DataValidation(parameters, side, LAYOUT);
            validation.prepare();
            for (int stream = 0; stream < 2; stream++) {
                long from = reads ? side.receiveOffset(stream) : side.sendOffset(stream);
                long to = reads ? side.sendOffset(stream) : side.receiveOffset(stream);
                MemorySegment.copy(side.buffer(), from, side.buffer(), to, 4096);
            }
            damage.to(side, side.buffer());
            validation.verify(List.of());
        }
    }

    private static RunParameters server() {
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, "--data_validation", "-s", "64", "-q", "2");
    }

    @Test
    void completeWritePasses() {
        assertThatCode(() -> verify(server(), false, (side, memory) -> {})).doesNotThrowAnyException();
    }

    @Test
    void damagedByteIsFoundInEveryPlace() {
        for (int stream = 0; stream < 2; stream++) {
            for (long at : new long[] {0, 59, 64 * 63 + 10}) {
                int damaged = stream;
                assertThatThrownBy(() -> verify(server(), false, (side, memory) -> {
                            long offset = side.receiveOffset(damaged) + at;
                            memory.set(
                                    ValueLayout.JAVA_BYTE, offset, (byte) ~memory.get(ValueLayout.JAVA_BYTE, offset));
                        }))
                        .isInstanceOf(RunFailedException.class)
                        .hasMessage("--data_validation: where message " + (stream * 1_000_000L + at / 64 + 1)
                                + " was expected, damaged data arrived");
            }
        }
    }

    @Test
    void messageInThePlaceOfAnotherIsFound() {
        assertThatThrownBy(() -> verify(
                        server(),
                        false,
                        (side, memory) ->
                                MemorySegment.copy(memory, side.sendOffset(1), memory, side.receiveOffset(0), 64)))
                .isInstanceOf(RunFailedException.class)
                .hasMessage("--data_validation: where message 1 was expected, message 1000001 arrived");
    }

    @Test
    void readDataIsChecked() {
        RunParameters client =
                RunParameters.parse(Tool.READ_BANDWIDTH, "--data_validation", "-s", "64", "-q", "2", "host");
        assertThatCode(() -> verify(client, true, (side, memory) -> {})).doesNotThrowAnyException();
        assertThatThrownBy(() -> verify(client, true, (side, memory) -> memory.fill((byte) 0)))
                .isInstanceOf(RunFailedException.class)
                .hasMessageContaining("damaged data arrived");
    }

    @Test
    void operationThatWasNotDoneIsMissedByTheCounter() {
        RunParameters server = RunParameters.parse(Tool.ATOMIC_BANDWIDTH, "--data_validation", "-n", "9", "-q", "2");
        assertThatThrownBy(() -> verify(server, false, (side, memory) -> {
                    memory.fill((byte) 0);
                    memory.set(ValueLayout.JAVA_LONG, side.receiveOffset(0), 5);
                    memory.set(ValueLayout.JAVA_LONG, side.receiveOffset(0) + 64, 4);
                    memory.set(ValueLayout.JAVA_LONG, side.receiveOffset(1), 8);
                }))
                .isInstanceOf(RunFailedException.class)
                .hasMessage("--data_validation: the counters of queue pair 1 say 8 after 9 operations that add 1");
    }
}
