// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** One of two peers: a GPU of the stand-in, the machine's first adapter, and memory of a chosen kind. */
final class GpuSide implements AutoCloseable {
    /** Where a side has its memory. */
    enum Where {
        STAGED(GpuPath.STAGED),
        PEER_MEMORY(GpuPath.PEER_MEMORY),
        HOST(null);

        private final GpuPath path;

        Where(GpuPath path) {
            this.path = path;
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Where where;
    final DeviceContext device;
    final ProtectionDomain domain;
    final CudaContext context;
    final GpuDirect gpu;
    /** Null if the memory is the host's. */
    DeviceMemory memory;

    DeviceRegion region;
    /** Null if the memory is the GPU's. */
    MemoryRegion host;

    PreparedChannel prepared;
    DeviceChannel channel;

    GpuSide(Where where, Path folder, Consumer<GpuDirectConfig> configuration) {
        this.where = where;
        List<Device> devices = Device.list();
        if (devices.isEmpty()) {
            throw new AssertionError("tests tagged 'device' need a verbs device: run them with scripts/test");
        }
        device = DeviceContext.open(devices.getFirst());
        domain = device.allocateProtectionDomain();
        context = Cuda.device(0).createContext();
        Path root = rootWithModule(folder);
        gpu = GpuDirect.on(domain, context, config -> {
            config.order(where.path == null ? GpuPath.STAGED : where.path).fileSystemRoot(root);
            configuration.accept(config);
        });
    }

    /** A file system whose sysfs shows a peer-memory module. */
    static Path rootWithModule(Path folder) {
        Path file = folder.resolve("sys/module/nvidia_peermem/version");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, "580.65.06\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder;
    }

    GpuSide allocate(long size) {
        if (where == Where.HOST) {
            host = domain.allocateMemory(size, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        } else {
            memory = context.allocate(size);
            region = gpu.register(memory, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        }
        return this;
    }

    static void connect(GpuSide left, GpuSide right) {
        left.prepared = left.gpu.prepareChannel();
        right.prepared = right.gpu.prepareChannel();
        left.channel = left.prepared.connect(
                ChannelEndpoint.fromBytes(right.prepared.endpoint().toBytes()), config -> config.timeout(19));
        right.channel = right.prepared.connect(
                ChannelEndpoint.fromBytes(left.prepared.endpoint().toBytes()), config -> config.timeout(19));
    }

    /** Both sides go on, as two programs would, until transfers have ended. */
    static void finish(GpuSide left, GpuSide right, Transfer... transfers) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (Stream.of(transfers).anyMatch(transfer -> !transfer.isEnded())) {
            left.channel.progress();
            right.channel.progress();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("still under way: " + List.of(transfers));
            }
        }
    }

    byte[] bytes(long offset, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, length)).asSlice(0, length);
            if (length > 0) {
                if (host != null) {
                    copy.copyFrom(host.segment().asSlice(offset, length));
                } else {
                    memory.copyTo(offset, copy);
                }
            }
            return copy.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    void fill(long offset, byte[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            if (host != null) {
                host.segment().asSlice(offset, bytes.length).copyFrom(source);
            } else {
                memory.copyFrom(offset, source);
            }
        }
    }

    private MemorySlice slice(long offset, long length) {
        return host.slice(offset, length);
    }

    Transfer write(long offset, long length, RemoteMemory remote) {
        return host == null
                ? channel.write(region, offset, length, remote)
                : channel.write(slice(offset, length), remote);
    }

    Transfer read(long offset, long length, RemoteMemory remote) {
        return host == null
                ? channel.read(region, offset, length, remote)
                : channel.read(slice(offset, length), remote);
    }

    Transfer send(long offset, long length) {
        return host == null ? channel.send(region, offset, length) : channel.send(slice(offset, length));
    }

    Transfer receive(long offset, long length) {
        return host == null ? channel.receive(region, offset, length) : channel.receive(slice(offset, length));
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            try {
                context.close();
            } finally {
                device.close();
            }
        }
    }
}
