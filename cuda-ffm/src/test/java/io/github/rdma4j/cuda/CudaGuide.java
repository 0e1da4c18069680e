// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The code in docs/cuda.md, word for word. {@link CudaGuideTest} runs it on the stand-in. */
final class CudaGuide {
    private CudaGuide() {}

    static String whetherThereIsCuda() {
        Optional<CudaUnavailableException> reason = Cuda.unavailability();
        if (reason.isPresent()) {
            return reason.get().getMessage();
        }
        CudaDevice device = Cuda.devices().getFirst();
        return device + ", " + device.totalMemory() + " bytes, driver of CUDA " + Cuda.driverVersion();
    }

    static byte copies() {
        try (Arena arena = Arena.ofConfined();
                CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            DeviceMemory memory = context.allocate(1 << 20);
            MemorySegment bytes = arena.allocate(1 << 20);
            bytes.fill((byte) 7);
            memory.copyFrom(bytes); // host to device; done when it returns
            memory.fill(0, 1024, (byte) 0);
            memory.copyTo(4096, bytes.asSlice(0, 100));
            return bytes.get(ValueLayout.JAVA_BYTE, 99);
        }
    }

    static float streams(CudaContext context) {
        HostMemory pinned = context.allocateHost(1 << 20);
        DeviceMemory memory = context.allocate(1 << 20);
        CudaStream stream = context.createStream();
        CudaEvent start = context.createEvent(EventFlag.TIMING);
        CudaEvent end = context.createEvent(EventFlag.TIMING);

        start.record(stream);
        stream.copyToDevice(memory, 0, pinned, 0, pinned.size());
        stream.fillWords(memory, 0, 256, 0xcafe);
        stream.copyToHost(pinned, 0, memory, 0, pinned.size());
        end.record(stream);
        if (!end.await(Duration.ofSeconds(10))) {
            throw new IllegalStateException("the copies take longer than 10 seconds");
        }
        float milliseconds = end.millisecondsSince(start);

        CudaStream other = context.createStream();
        other.waitFor(end); // on the device; the host goes on
        return milliseconds;
    }

    static void kernels(CudaContext context, Path file) {
        CudaModule module = context.loadModule(file); // PTX, a cubin or a fat binary; a String is PTX itself
        CudaKernel increment = module.kernel("increment");
        DeviceMemory data = context.allocate(4 * 10_000);
        CudaStream stream = context.createStream();

        KernelArguments arguments = KernelArguments.of(2).setPointer(0, data).setInt(1, 10_000);
        stream.launch(increment, (10_000 + 255) / 256, 256, arguments);
        stream.launch(increment, 1, 256, arguments.setInt(1, 100));
        stream.await(Duration.ofSeconds(10));
    }

    static void callbacks(CudaContext context, CudaStream stream, DeviceMemory memory) {
        HostMemory flag = context.allocateHost(4);
        flag.segment().set(ValueLayout.JAVA_INT, 0, 0);

        stream.waitForValue(flag, 0, 1, WaitCondition.AT_LEAST); // holds back what follows
        stream.fill(memory, 0, 16, (byte) 1);
        stream.callback(() -> System.out.println("filled"));
        stream.writeValue(flag, 0, 2); // when all of that is done

        flag.segment().set(ValueLayout.JAVA_INT, 0, 1); // here it goes
        stream.await(Duration.ofSeconds(10));
    }

    static void graphs(
            CudaContext context, CudaStream stream, CudaKernel kernel, KernelArguments arguments, HostMemory words) {
        MemoryOperations ask = MemoryOperations.on(context.device(), 2)
                .writeValue(words, 0, 1) // the host, or an adapter's thread, sees 1 ...
                .waitForValue(words, 0, 2, WaitCondition.EQUAL); // ... and answers 2
        CudaGraphExec round = stream.capture(CaptureMode.THREAD_LOCAL, captured -> {
                    captured.launch(kernel, 1, 256, arguments);
                    captured.submit(ask);
                })
                .instantiate();
        round.launch(stream); // one call, however much there is to do
        round.launch(stream);
    }

    static void adapters(CudaContext context) {
        context.synchronizeMemoryOperations();
        DeviceMemory memory = context.allocateGpuDirect(1 << 20);
        try (DmaBuf exported = memory.exportDmaBuf(0, memory.size())) {
            System.out.println(exported.fileDescriptor() + " from " + exported.offset());
        }
    }

    static void strangers(CudaContext context, long pointer, long bytes) {
        DeviceMemory tensor = context.wrap(pointer, bytes); // checked, and not freed by close()
        PointerAttributes known = context.pointerAttributes(pointer);
        System.out.println(tensor.kind() + " of " + known.rangeSize() + " bytes");
    }

    static byte[] otherProcesses(DeviceMemory memory) {
        return memory.exportHandle().toBytes();
    }

    static DeviceMemory inTheOtherProcess(CudaContext context, byte[] received) {
        return IpcMemoryHandle.fromBytes(received).open(context);
    }

    static DeviceMemory pools(CudaStream stream) {
        DeviceMemory scratch = stream.allocate(1 << 20);
        stream.fill(scratch, 0, scratch.size(), (byte) 0);
        stream.free(scratch); // when the fill is done; nobody waits
        return scratch;
    }
}
