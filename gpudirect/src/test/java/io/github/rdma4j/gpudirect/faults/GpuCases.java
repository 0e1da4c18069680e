// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.faults;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.DeviceRegion;
import io.github.rdma4j.gpudirect.GpuDirect;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PreparedChannel;
import io.github.rdma4j.gpudirect.PreparedStreamChannel;
import io.github.rdma4j.gpudirect.StreamProxy;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** The objects of gpudirect that use verbs, from creation to close. */
public final class GpuCases {
    private static final int SIZE = 64 << 10;

    private GpuCases() {}

    public static List<FaultCase> all() {
        return List.of(
                of("mirror", 2, GpuCases::mirror),
                of("channel", 25, GpuCases::channel),
                of("channel that cannot be connected", 3, GpuCases::unconnected),
                of("stream channel", 18, GpuCases::streamChannel),
                of("stream channel that cannot be connected", 3, GpuCases::unconnectedStream));
    }

    /** In the end adapter and GPU are closed: what a step could not undo goes with them. */
    private static FaultCase of(String name, int points, BiConsumer<Steps, GpuDirect> steps) {
        return new FaultCase(name, points, run -> {
            try (CudaContext context = Cuda.device(0).createContext();
                    DeviceContext device = DeviceContext.open(TestDevice.first())) {
                steps.accept(
                        run,
                        GpuDirect.on(
                                device.allocateProtectionDomain(), context, config -> config.order(GpuPath.STAGED)));
            }
        });
    }

    private static void mirror(Steps steps, GpuDirect gpu) {
        DeviceMemory memory = gpu.context().allocate(SIZE);
        DeviceRegion region = gpu.register(memory, LOCAL_WRITE, REMOTE_WRITE);
        steps.make(region::remoteMemory);
        steps.end(region);
    }

    private static void channel(Steps steps, GpuDirect gpu) {
        steps.end(steps.make(gpu::prepareChannel));
    }

    /** If undoing also fails, the next attempt needs a new queue pair. */
    private static void unconnected(Steps steps, GpuDirect gpu) {
        PreparedChannel peer = gpu.prepareChannel();
        Iterator<PreparedChannel> each =
                Stream.generate(gpu::prepareChannel).limit(2).toList().iterator();
        steps.take(() -> each.next().connect(peer.endpoint()));
    }

    private static void streamChannel(Steps steps, GpuDirect gpu) {
        try (StreamProxy proxy = StreamProxy.start()) {
            steps.end(steps.make(() -> gpu.prepareStreamChannel(proxy)));
        }
    }

    private static void unconnectedStream(Steps steps, GpuDirect gpu) {
        try (StreamProxy proxy = StreamProxy.start()) {
            PreparedStreamChannel peer = gpu.prepareStreamChannel(proxy);
            Iterator<PreparedStreamChannel> each = Stream.generate(() -> gpu.prepareStreamChannel(proxy))
                    .limit(2)
                    .toList()
                    .iterator();
            steps.take(() -> each.next().connect(peer.endpoint())).close();
        }
    }
}
