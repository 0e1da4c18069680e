// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;

/**
 * One rank of NCCL: whether each mode and each collective works, and how long an operation takes; step 8 of
 * scripts/gpu-evidence. Ends with status 1 if something is wrong.
 */
final class EvidenceNccl {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int COUNT = 1 << 20;
    private static final int ROUNDS = 100;

    private EvidenceNccl() {}

    public static void main(String[] arguments) {
        IO.println("NCCL %s, %s".formatted(Nccl.version(), Nccl.library()));
        boolean right = true;
        try (CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            for (NcclMode mode : NcclMode.values()) {
                right &= passes("mode " + mode, () -> measure(context, mode));
            }
            right &= passes("two ranks on one GPU are refused", () -> twice(context));
            right &= passes("memory, registration, window", () -> memory(context));
        }
        System.exit(right ? 0 : 1);
    }

    private static boolean passes(String what, Runnable check) {
        try {
            check.run();
            IO.println(what + ": right");
            return true;
        } catch (UnsupportedOperationException e) {
            IO.println(what + ": not possible here: " + e.getMessage());
            return true;
        } catch (RuntimeException | AssertionError e) {
            IO.println(what + ": WRONG: " + e);
            return false;
        }
    }

    private static void measure(CudaContext context, NcclMode mode) {
        try (CudaStream stream = context.createStream();
                NcclCommunicator communicator =
                        NcclCommunicator.init(context, 1, 0, NcclUniqueId.create(), config -> config.mode(mode));
                DeviceMemory send = context.allocate((long) COUNT * Float.BYTES);
                DeviceMemory receive = context.allocate((long) COUNT * Float.BYTES);
                Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(send.size());
            for (int i = 0; i < COUNT; i++) {
                numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            send.copyFrom(numbers);
            for (int kind = 0; kind < 4; kind++) {
                int which = kind;
                receive.fill(0, receive.size(), (byte) 0);
                long start = System.nanoTime();
                for (int i = 0; i < ROUNDS; i++) {
                    one(communicator, which, send, receive, stream);
                }
                communicator.await(LIMIT);
                require(communicator.await(stream, LIMIT), "the stream is not done");
                long nanos = (System.nanoTime() - start) / ROUNDS;
                MemorySegment result = arena.allocate(receive.size());
                receive.copyTo(result);
                require(result.mismatch(numbers) == -1, "wrong numbers");
                IO.println(
                        "  %s, operation %d: %d ns each, %d bytes, 1 rank".formatted(mode, which, nanos, send.size()));
            }
        }
    }

    private static void one(
            NcclCommunicator communicator, int kind, DeviceMemory send, DeviceMemory receive, CudaStream stream) {
        NcclDataType type = NcclDataType.FLOAT32;
        switch (kind) {
            case 0 -> communicator.allReduce(send.slice(), receive.slice(), type, NcclOperation.SUM, stream);
            case 1 -> communicator.allGather(send.slice(), receive.slice(), type, stream);
            case 2 -> communicator.broadcast(send.slice(), receive.slice(), type, 0, stream);
            default ->
                NcclGroup.run(() -> {
                    communicator.send(send.slice(), type, 0, stream);
                    communicator.receive(receive.slice(), type, 0, stream);
                });
        }
    }

    private static void twice(CudaContext context) {
        try {
            NcclCommunicator.initAll(List.of(context, context), config -> config.timeout(LIMIT))
                    .forEach(NcclCommunicator::close);
        } catch (NcclException e) {
            IO.println("  " + e.getMessage());
            return;
        }
        throw new AssertionError("NCCL has taken them");
    }

    private static void memory(CudaContext context) {
        try (NcclCommunicator communicator = NcclCommunicator.init(context, 1, 0, NcclUniqueId.create());
                DeviceMemory memory = Nccl.allocate(context, 1 << 20);
                NcclRegistration registration = communicator.register(memory.slice());
                NcclWindow window = communicator.registerWindow(memory.slice(), true)) {
            IO.println("  " + registration + "; " + window);
        }
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }
}
