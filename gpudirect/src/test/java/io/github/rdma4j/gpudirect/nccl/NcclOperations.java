// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Each public operation of the package on one rank, with all values compared. Numbers are 0 to 3, which every type has,
 * and twice as much.
 */
final class NcclOperations {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int COUNT = 1021;
    private static final byte UNWRITTEN = 0x55;
    /** 0 to 6 in the types that Java has not. */
    private static final byte[] E4M3 = {0, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c};

    private static final byte[] E5M2 = {0, 0x3c, 0x40, 0x42, 0x44, 0x45, 0x46};

    private final CudaContext context;
    private final CudaStream stream;
    private final DeviceMemory send;
    private final DeviceMemory receive;

    private NcclOperations(CudaContext context) {
        this.context = context;
        stream = context.createStream();
        send = context.allocate(COUNT * Long.BYTES);
        receive = context.allocate(COUNT * Long.BYTES);
    }

    /** The operations to check, in order, by name. */
    static Map<String, Runnable> of(CudaContext context) {
        NcclOperations all = new NcclOperations(context);
        Map<String, Runnable> checks = new LinkedHashMap<>();
        checks.put("ids, by TCP and by bytes", all::ids);
        checks.put("every setting, and what a communicator says of itself", all::settings);
        for (NcclMode mode : NcclMode.values()) {
            checks.put("each collective of each type, mode " + mode, () -> all.collectives(mode));
            checks.put("a group of different operations, mode " + mode, () -> all.mixture(mode));
        }
        checks.put("sums scaled by a factor of the host", () -> all.scaledSums(false));
        checks.put("sums scaled by a factor in device memory", () -> all.scaledSums(true));
        checks.put("averages of 8-bit numbers", all::averages);
        checks.put("a split, mode BLOCKING, and a communicator for each context", () -> all.splits(NcclMode.BLOCKING));
        checks.put("the same, mode BOUNDED", () -> all.splits(NcclMode.BOUNDED));
        checks.put("the same, mode NON_BLOCKING", () -> all.splits(NcclMode.NON_BLOCKING));
        checks.put("registered memory and a window, used", all::registered);
        checks.put("abort", all::abort);
        checks.put("writes into a window, and signals", all::oneSided);
        checks.put("suspend and resume", all::suspended);
        checks.put("revoke", all::revoked);
        checks.put("how long a group would take", all::estimate);
        checks.put("a parameter", () -> IO.println("  NCCL_DEBUG: " + Nccl.parameter("NCCL_DEBUG")));
        return checks;
    }

    private NcclCommunicator open(Consumer<NcclConfig> settings) {
        NcclCommunicator made = NcclCommunicator.init(context, 1, 0, NcclUniqueId.create(), settings);
        made.await(LIMIT);
        return made;
    }

    private void ids() {
        NcclUniqueId id = NcclUniqueId.create();
        require(
                id.bytes().length == NcclUniqueId.SIZE
                        && NcclUniqueId.of(id.bytes()).equals(id),
                "another id");
        require(!NcclUniqueId.create().equals(id), "two ids alike");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
            CompletableFuture<NcclUniqueId> fetched = fetch(address);
            NcclRendezvous.serve(id, server, 1, LIMIT);
            require(fetched.join().equals(id), "another id by a socket");
            server.close();
            CompletableFuture<NcclUniqueId> again = fetch(address);
            NcclRendezvous.serve(id, address, 1, LIMIT);
            require(again.join().equals(id), "another id by an address");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // The fetched id creates a communicator.
        try (NcclCommunicator made = NcclCommunicator.init(context, 1, 0, NcclUniqueId.of(id.bytes()))) {
            require(made.ranks() == 1, "ranks");
        }
    }

    private static CompletableFuture<NcclUniqueId> fetch(InetSocketAddress address) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return NcclRendezvous.fetch(address, LIMIT);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void settings() {
        try (NcclCommunicator made = open(config -> config.mode(NcclMode.BOUNDED)
                .timeout(LIMIT)
                .closeTimeout(LIMIT)
                .minThreadBlocks(1)
                .maxThreadBlocks(4)
                .clusterSize(2)
                .network("Socket")
                .trafficClass(0)
                .shareWithSplits(true)
                .name("evidence"))) {
            require(Nccl.isAvailable() && Nccl.unavailability().isEmpty(), "NCCL is not available");
            require(made.version().equals(Nccl.version()), "another version");
            require(made.context() == context && made.mode() == NcclMode.BOUNDED, "context or mode");
            require(made.ranks() == 1 && made.rank() == 0, "rank");
            require(made.deviceOrdinal() == context.device().ordinal(), "device");
            require(made.isReady() && made.isOpen() && made.asyncError().isEmpty(), "state");
            IO.println("  " + made);
        }
        for (NcclMode mode : NcclMode.values()) {
            long start = System.nanoTime();
            NcclCommunicator made = open(config -> config.mode(mode));
            long opened = System.nanoTime();
            made.close();
            IO.println("  %s: made in %d ms, closed in %d ms"
                    .formatted(mode, (opened - start) / 1_000_000, (System.nanoTime() - opened) / 1_000_000));
        }
    }

    private void collectives(NcclMode mode) {
        try (NcclCommunicator made = open(config -> config.mode(mode))) {
            for (NcclDataType type : NcclDataType.values()) {
                for (NcclOperation operation : NcclOperation.values()) {
                    if (operation != NcclOperation.AVERAGE || !isOfEightBits(type)) {
                        compare(made, type, 1, () -> made.allReduce(from(type), to(type), type, operation, stream));
                    }
                }
                compare(made, type, 1, () -> {
                    made.allReduce(from(type), to(type), type, NcclOperation.SUM, stream);
                    made.allReduce(to(type), to(type), type, NcclOperation.SUM, stream);
                });
                compare(made, type, 1, () -> made.reduce(from(type), to(type), type, NcclOperation.MAX, 0, stream));
                compare(made, type, 1, () -> made.broadcast(from(type), to(type), type, 0, stream));
                compare(made, type, 1, () -> made.allGather(from(type), to(type), type, stream));
                compare(made, type, 1, () -> made.reduceScatter(from(type), to(type), type, NcclOperation.SUM, stream));
                compare(
                        made,
                        type,
                        1,
                        () -> NcclGroup.run(() -> {
                            made.send(from(type), type, 0, stream);
                            made.receive(to(type), type, 0, stream);
                        }));
            }
            for (NcclDataType type : NcclDataType.values()) {
                compare(made, type, 1, () -> made.allToAll(from(type), to(type), type, stream));
                compare(made, type, 1, () -> made.gather(from(type), to(type), type, 0, stream));
                compare(made, type, 1, () -> made.scatter(from(type), to(type), type, 0, stream));
            }
        }
    }

    private void mixture(NcclMode mode) {
        NcclDataType type = NcclDataType.UINT8;
        long part = 256;
        try (NcclCommunicator made = open(config -> config.mode(mode));
                NcclCommunicator other = open(config -> config.mode(mode))) {
            compare(made, type, 1, () -> {
                NcclGroup.run(() -> {
                    made.send(send.slice(0, part), type, 0, stream);
                    made.allReduce(send.slice(part, part), receive.slice(part, part), type, NcclOperation.MAX, stream);
                    NcclGroup.run(() -> made.receive(receive.slice(0, part), type, 0, stream));
                    other.broadcast(send.slice(2 * part, part), receive.slice(2 * part, part), type, 0, stream);
                });
                other.await(LIMIT);
                made.allGather(
                        send.slice(3 * part, COUNT - 3 * part),
                        receive.slice(3 * part, COUNT - 3 * part),
                        type,
                        stream);
            });
        }
    }

    private void scaledSums(boolean onDevice) {
        for (NcclDataType type : NcclDataType.values()) {
            if (isOfEightBits(type) && !onDevice) {
                continue;
            }
            // Each its own: what NCCL refuses ends one that does not block.
            try (NcclCommunicator made = open(config -> {});
                    DeviceMemory factor = context.allocate(Long.BYTES)) {
                copy(factor, bytes(type, 2));
                try (NcclScaledSum sum = onDevice
                        ? made.createScaledSum(type, factor.slice(0, type.size()))
                        : made.createScaledSum(type, 2)) {
                    require(sum.type() == type, "type");
                    compare(made, type, 2, () -> made.allReduce(from(type), to(type), type, sum, stream));
                    compare(made, type, 2, () -> made.reduce(from(type), to(type), type, sum, 0, stream));
                    compare(made, type, 2, () -> made.reduceScatter(from(type), to(type), type, sum, stream));
                } catch (NcclException e) {
                    requireRefusal(type, e);
                }
            }
        }
    }

    /** NCCL averages floating-point numbers by a scaled sum. */
    private void averages() {
        for (NcclDataType type : NcclDataType.values()) {
            if (isOfEightBits(type)) {
                try (NcclCommunicator made = open(config -> {})) {
                    compare(
                            made,
                            type,
                            1,
                            () -> made.allReduce(from(type), to(type), type, NcclOperation.AVERAGE, stream));
                } catch (NcclException e) {
                    requireRefusal(type, e);
                }
            }
        }
    }

    private static boolean isOfEightBits(NcclDataType type) {
        return type == NcclDataType.FLOAT8_E4M3 || type == NcclDataType.FLOAT8_E5M2;
    }

    /** NCCL 2.28 has no kernel that scales numbers of 8 bits of one rank. */
    private static void requireRefusal(NcclDataType type, NcclException e) {
        if (!isOfEightBits(type) || e.status() != NcclStatus.INVALID_ARGUMENT) {
            throw e;
        }
        IO.println("  NCCL refuses %s: %s".formatted(type, e.getMessage()));
    }

    private void estimate() {
        NcclDataType type = NcclDataType.FLOAT32;
        try (NcclCommunicator made = open(config -> config.mode(NcclMode.BLOCKING));
                NcclCommunicator other = open(config -> config.mode(NcclMode.BOUNDED))) {
            receive.fill(0, receive.size(), UNWRITTEN);
            Runnable toItself = () -> {
                made.send(from(type), type, 0, stream);
                made.receive(to(type), type, 0, stream);
            };
            IO.println("  a send to itself: %.1f us".formatted(NcclGroup.estimate(toItself)));
            require(made.await(stream, LIMIT), "the stream is not done");
            require(read(1)[0] == UNWRITTEN, "an operation that is only estimated was run");
            // The communicator must still work.
            compare(made, type, 1, () -> NcclGroup.run(toItself));
            for (NcclCommunicator each : List.of(made, other)) {
                try {
                    NcclGroup.estimate(() -> each.allReduce(from(type), to(type), type, NcclOperation.SUM, stream));
                    throw new AssertionError("an estimate of what NCCL makes");
                } catch (IllegalArgumentException e) {
                    IO.println("  " + e.getMessage());
                }
            }
        }
    }

    private void splits(NcclMode mode) {
        NcclDataType type = NcclDataType.INT32;
        List<NcclCommunicator> all = NcclCommunicator.initAll(
                List.of(context), config -> config.mode(mode).timeout(LIMIT));
        all.getFirst().await(LIMIT);
        try (NcclCommunicator made = all.getFirst()) {
            compare(made, type, 1, () -> made.allReduce(from(type), to(type), type, NcclOperation.SUM, stream));
            try (NcclCommunicator child = made.split(3, 0)) {
                child.await(LIMIT);
                require(child.ranks() == 1 && child.rank() == 0, "rank of the child");
                compare(child, type, 1, () -> child.broadcast(from(type), to(type), type, 0, stream));
            }
            made.leaveSplit();
            compare(made, type, 1, () -> made.allReduce(from(type), to(type), type, NcclOperation.MIN, stream));
            try {
                made.shrink(List.of(0), false);
                throw new AssertionError("a communicator without a rank");
            } catch (IllegalArgumentException e) {
                IO.println("  shrink: " + e.getMessage());
            }
        }
    }

    private void registered() {
        NcclDataType type = NcclDataType.FLOAT16;
        long size = (long) COUNT * type.size();
        try (NcclCommunicator made = open(config -> {});
                DeviceMemory first = Nccl.allocate(context, 1 << 20);
                DeviceMemory second = Nccl.allocate(context, 1 << 20);
                NcclRegistration registration = made.register(first.slice());
                NcclWindow window = made.registerWindow(second.slice(), true)) {
            require(registration.slice().memory() == first && window.slice().memory() == second, "slices");
            byte[] numbers = numbers(type, 1);
            copy(first, numbers);
            made.allReduce(first.slice(0, size), second.slice(0, size), type, NcclOperation.SUM, stream);
            require(made.await(stream, LIMIT), "the stream is not done");
            compare(second, numbers, "by registered memory and a window");
            IO.println("  " + registration + "; " + window);
        }
    }

    private void abort() {
        NcclCommunicator made = open(config -> config.mode(NcclMode.NON_BLOCKING));
        made.allReduce(from(NcclDataType.INT8), to(NcclDataType.INT8), NcclDataType.INT8, NcclOperation.SUM, stream);
        made.abort();
        made.abort();
        require(!made.isOpen(), "open");
        try {
            made.await(LIMIT);
            throw new AssertionError("an aborted communicator is awaited");
        } catch (IllegalStateException e) {
            IO.println("  " + e.getMessage());
        }
        made.close();
        require(stream.await(LIMIT), "the stream is not done");
    }

    private void oneSided() {
        NcclDataType type = NcclDataType.INT32;
        long size = (long) COUNT * type.size();
        try (NcclCommunicator made = open(config -> config.timeout(LIMIT).closeTimeout(LIMIT));
                DeviceMemory from = Nccl.allocate(context, 1 << 20);
                DeviceMemory to = Nccl.allocate(context, 1 << 20);
                NcclWindow _ = made.registerWindow(from.slice(), true);
                NcclWindow window = made.registerWindow(to.slice(), true)) {
            byte[] numbers = numbers(type, 1);
            copy(from, numbers);
            made.put(from.slice(0, size), type, 0, window, 0, stream);
            made.signal(0, stream);
            made.waitSignal(0, 2, stream);
            require(made.await(stream, LIMIT), "the stream is not done");
            compare(to, numbers, "by a window");
        }
    }

    private void suspended() {
        NcclDataType type = NcclDataType.INT64;
        try (NcclCommunicator made = open(config -> {})) {
            IO.println("  %d bytes of device memory".formatted(made.deviceMemory()));
            made.suspend();
            made.resume();
            compare(made, type, 1, () -> made.allReduce(from(type), to(type), type, NcclOperation.SUM, stream));
        }
    }

    private void revoked() {
        try (NcclCommunicator made = open(config -> {})) {
            made.revoke();
        }
    }

    private DeviceSlice from(NcclDataType type) {
        return send.slice(0, (long) COUNT * type.size());
    }

    private DeviceSlice to(NcclDataType type) {
        return receive.slice(0, (long) COUNT * type.size());
    }

    /** Checks that a call writes {@code factor} times the sent values into the emptied memory. */
    private void compare(NcclCommunicator made, NcclDataType type, int factor, Runnable call) {
        copy(send, numbers(type, 1));
        receive.fill(0, receive.size(), UNWRITTEN);
        call.run();
        made.await(LIMIT);
        require(made.await(stream, LIMIT), "the stream is not done");
        compare(receive, numbers(type, factor), type.toString());
    }

    private static void compare(DeviceMemory memory, byte[] expected, String what) {
        byte[] got = read(memory, expected.length);
        int wrong = Arrays.mismatch(got, expected);
        require(
                wrong < 0,
                "%s: byte %d is 0x%02x and not 0x%02x"
                        .formatted(what, wrong, wrong < 0 ? 0 : got[wrong], wrong < 0 ? 0 : expected[wrong]));
    }

    private byte[] read(int length) {
        return read(receive, length);
    }

    private static byte[] read(DeviceMemory memory, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(length);
            memory.copyTo(0, copy);
            return copy.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void copy(DeviceMemory memory, byte[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            memory.copyFrom(0, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
        }
    }

    private static byte[] numbers(NcclDataType type, int factor) {
        ByteBuffer all = ByteBuffer.allocate(COUNT * type.size());
        for (int i = 0; i < COUNT; i++) {
            all.put(bytes(type, i % 4 * factor));
        }
        return all.array();
    }

    private static byte[] bytes(NcclDataType type, int value) {
        return switch (type) {
            case FLOAT8_E4M3 -> new byte[] {E4M3[value]};
            case FLOAT8_E5M2 -> new byte[] {E5M2[value]};
            default -> {
                try (Arena arena = Arena.ofConfined()) {
                    yield Scalars.store(arena, type, value).toArray(ValueLayout.JAVA_BYTE);
                }
            }
        };
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }
}
