// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each call of the driver that an operation makes fails, in turn: a failed transfer reports it, a finished one has its
 * bytes, every transfer ends, the next try works, and nothing is left.
 */
@Tag("device")
@ExtendWith(StandInDriver.class)
class ChannelFaultsDeviceTest {
    private static final int CHUNK = 4096;
    private static final int SIZE = 16 * CHUNK;
    private static final int LENGTH = 5 * CHUNK + 3;
    private static final int INVALID_VALUE = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final byte[] bytes = new byte[LENGTH];
    private GpuSide left;
    private GpuSide right;
    private int failures;
    private long callsBefore;
    private long calls;

    /** Returns nothing if the driver has refused. */
    private <T> T attempt(Supplier<T> step) {
        try {
            return step.get();
        } catch (CudaException | GpuTransferException e) {
            failures++;
            return null;
        }
    }

    private void attempt(Runnable step) {
        attempt(() -> {
            step.run();
            return null;
        });
    }

    /** The driver may refuse a call, so a refused transfer is started again. */
    private Transfer start(Supplier<Transfer> transfer) {
        Transfer made = attempt(transfer);
        return made != null ? made : transfer.get();
    }

    private void finish(List<Transfer> transfers) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!transfers.stream().allMatch(Transfer::isEnded)) {
            left.channel.progress();
            right.channel.progress();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("still under way: " + transfers);
            }
        }
    }

    private void connect() {
        left = new GpuSide(Where.STAGED, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        right = new GpuSide(Where.STAGED, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        GpuSide.connect(left, right);
        new Random(3).nextBytes(bytes);
        left.fill(0, bytes);
    }

    private void transfer(Transfer.Kind kind, CudaStream before, CudaStream behind, MemoryRegion far) {
        List<Transfer> transfers = new ArrayList<>();
        boolean message = kind == Transfer.Kind.SEND || kind == Transfer.Kind.RECEIVE;
        Transfer first = start(() -> switch (kind) {
            case WRITE -> left.write(0, LENGTH, far.remoteMemory());
            case READ -> left.read(SIZE / 2, LENGTH, far.remoteMemory());
            default -> left.send(0, LENGTH);
        });
        transfers.add(first);
        attempt(() -> first.after(before));
        Transfer last = message ? start(() -> right.receive(0, SIZE)) : first;
        if (message) {
            transfers.add(last);
        }
        attempt(() -> last.follow(behind, PATIENCE));
        finish(transfers);
        calls = StandInDriver.get("calls") - callsBefore;
        StandInDriver.noFailures();
        transfers.stream().filter(one -> one.failure().isPresent()).forEach(one -> {
            failures++;
            assertThat(one.failure().orElseThrow()).hasMessageMatching("(?s).*(cu[A-Z]|peer's).*");
        });
        if (last.failure().isEmpty()) {
            byte[] there = switch (kind) {
                case WRITE -> segmentBytes(far);
                case READ -> left.bytes(SIZE / 2, LENGTH);
                default -> right.bytes(0, LENGTH);
            };
            assertThat(there).isEqualTo(bytes);
        }
    }

    private static byte[] segmentBytes(MemoryRegion region) {
        return Arrays.copyOf(region.segment().toArray(ValueLayout.JAVA_BYTE), LENGTH);
    }

    @ParameterizedTest
    @EnumSource(
            value = Transfer.Kind.class,
            names = {"WRITE", "READ", "SEND"})
    void eachCallOfATransfer(Transfer.Kind kind) {
        int n = 0;
        boolean more;
        do {
            n++;
            connect();
            CudaStream behind = right.context.createStream();
            CudaStream before = left.context.createStream();
            MemoryRegion far = right.domain.allocateMemory(LENGTH, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
            if (kind == Transfer.Kind.READ) {
                far.segment().copyFrom(MemorySegment.ofArray(bytes));
            }
            callsBefore = StandInDriver.get("calls");
            StandInDriver.failAt("*", n, INVALID_VALUE);
            transfer(kind, before, kind == Transfer.Kind.SEND ? behind : before, far);
            long made = calls;
            int soFar = failures;
            transfer(kind, before, kind == Transfer.Kind.SEND ? behind : before, far);
            assertThat(failures)
                    .as("failures of the next try, after call %d", n)
                    .isEqualTo(soFar);
            assertThat(behind.await(PATIENCE)).isTrue();
            left.channel.close();
            right.channel.close();
            left.close();
            right.close();
            assertThat(StandInDriver.open()).as("after call %d", n).isEmpty();
            more = n <= made;
        } while (more);
        System.out.printf("faults of %s: %d calls, %d failures reported%n", kind, n - 1, failures);
        assertThat(failures).isGreaterThan(10);
    }

    @Test
    void eachCallOfARegionThatIsStaged() {
        int n = 0;
        do {
            n++;
            connect();
            CudaStream stream = left.context.createStream();
            callsBefore = StandInDriver.get("calls");
            StandInDriver.failAt("*", n, INVALID_VALUE);
            for (Runnable step : List.<Runnable>of(
                    () -> left.region.memoryRegion(),
                    () -> left.region.publish(0, LENGTH, stream),
                    () -> left.region.absorb(0, LENGTH, stream),
                    () -> assertThat(stream.await(PATIENCE)).isTrue(),
                    () -> left.region.close())) {
                int before = failures;
                attempt(step);
                if (failures > before) {
                    step.run();
                }
            }
            calls = StandInDriver.get("calls") - callsBefore;
            StandInDriver.noFailures();
            assertThat(left.bytes(0, LENGTH)).isEqualTo(bytes);
            left.close();
            right.close();
            assertThat(StandInDriver.open()).as("after call %d", n).isEmpty();
        } while (n <= calls);
        System.out.printf("faults of a staged region: %d calls, %d failures reported%n", n - 1, failures);
        assertThat(failures).isGreaterThan(5);
    }
}
