// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DmaBuf;
import java.util.function.Supplier;

/**
 * Prints which kinds of device memory the driver exports as a dma-buf, a line for each: step 4 of scripts/evidence gpu.
 * A refusal, also of an allocation, is a result and no failure. The program fails if there is no context, or if an
 * exception is thrown that is no answer of the driver or the library.
 */
final class EvidenceDmaBuf {
    private static final long SIZE = 4 << 20;

    private EvidenceDmaBuf() {}

    public static void main(String[] arguments) {
        try (CudaContext context = Cuda.device(0).createContext()) {
            CudaStream stream = context.createStream();
            print("plain memory (cuMemAlloc)", () -> context.allocate(SIZE));
            print("virtual memory, GPUDirect capable (cuMemCreate)", () -> context.allocateGpuDirect(SIZE));
            print("memory of a stream's pool (cuMemAllocAsync)", () -> stream.allocate(SIZE));
            print("managed memory (cuMemAllocManaged)", () -> context.allocateManaged(SIZE));
            print("virtual memory of two segments, both capable", () -> TwoSegments.make(context, true));
            print("virtual memory of two segments, one capable", () -> TwoSegments.make(context, false));
            printSegments(context);
        }
    }

    /** Prints the driver's answer for each piece, and for one that was freed. */
    private static void printSegments(CudaContext context) {
        DeviceMemory memory = TwoSegments.make(context, false);
        for (long at : new long[] {0, TwoSegments.SIZE}) {
            System.out.println("  at " + at + ": " + context.pointerAttributes(memory.handle() + at));
        }
        TwoSegments.cutOff(memory);
        for (long at : new long[] {0, TwoSegments.SIZE}) {
            System.out.println(
                    "  the second cut off, at " + at + ": " + context.pointerAttributes(memory.handle() + at));
        }
        TwoSegments.map(memory.handle() + TwoSegments.SIZE, true);
    }

    private static void print(String kind, Supplier<DeviceMemory> memory) {
        System.out.printf("%-52s %s%n", kind, answer(memory));
    }

    private static String answer(Supplier<DeviceMemory> supplier) {
        DeviceMemory memory;
        try {
            memory = supplier.get();
        } catch (CudaException e) {
            return "not allocated: " + e.resultName() + " of " + e.call();
        } catch (AssertionError e) {
            // TwoSegments has asked the driver itself.
            return "not allocated: " + e.getMessage().strip().replaceAll("\\s+", " ");
        }
        try (DmaBuf exported = memory.exportDmaBuf(0, memory.size())) {
            return "works, " + exported.length() + " bytes";
        } catch (CudaException e) {
            return "refused: " + e.resultName() + " of " + e.call();
        } catch (IllegalArgumentException | IllegalStateException e) {
            return "refused by the library: " + e.getMessage();
        }
    }
}
