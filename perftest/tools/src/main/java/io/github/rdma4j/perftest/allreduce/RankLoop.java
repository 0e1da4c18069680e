// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.nccl.Nccl;
import io.github.rdma4j.gpudirect.nccl.NcclCommunicator;
import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import io.github.rdma4j.gpudirect.nccl.NcclGroup;
import io.github.rdma4j.gpudirect.nccl.NcclOperation;
import io.github.rdma4j.perftest.environment.CompilerThreads;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;

/** The measured loop of one rank. */
final class RankLoop implements AutoCloseable {
    /** Values are copied and compared in pieces with equal content. */
    private static final long PIECE_ELEMENTS = 512L * Values.PERIOD;

    private static final int POLLS_PER_CHECK = 256;
    private static final double NANOS = 1000;

    /** HotSpot compiles a method with full optimization after 5000 calls at the latest. */
    private static final int COMPILED_AFTER = 10_000;

    private static final int STRETCH = 500;
    private static final long LONGEST_WARM_UP = Duration.ofSeconds(3).toNanos();

    private final AllReduceOptions options;
    private final Meeting meeting;
    private final NcclCommunicator communicator;
    private final CudaStream stream;
    private final Progress progress;
    private final DeviceMemory send;
    private final DeviceMemory receive;
    private final HostMemory staging;

    RankLoop(AllReduceOptions options, Meeting meeting, NcclCommunicator communicator, Progress progress) {
        this.options = options;
        this.meeting = meeting;
        this.communicator = communicator;
        this.progress = progress;
        CudaContext context = communicator.context();
        stream = context.createStream();
        long most = options.sizes(1).getLast();
        boolean registered = options.registration() > 0;
        send = registered ? Nccl.allocate(context, most) : context.allocate(most);
        receive = registered ? Nccl.allocate(context, most) : context.allocate(most);
        staging = context.allocateHost(PIECE_ELEMENTS * Long.BYTES);
        for (DeviceMemory each : List.of(send, receive)) {
            switch (options.registration()) {
                case 1 -> communicator.register(each.slice());
                case 2 -> communicator.registerWindow(each.slice(), true);
                default -> {}
            }
        }
    }

    /**
     * Runs all sizes of all types and operations.
     *
     * @param timings receives them, one by one
     */
    void run(List<Timing> timings) {
        if (options.compiles()) {
            warmUp();
        }
        for (NcclDataType type : options.types()) {
            for (NcclOperation operation : options.operations()) {
                Values values = new Values(type, operation, communicator.ranks());
                for (long bytes : options.sizes(type.size())) {
                    for (boolean inPlace : new boolean[] {false, true}) {
                        timings.add(measure(type, operation, values, bytes, inPlace));
                    }
                }
            }
        }
    }

    /**
     * Runs operations of the least size until the JVM has compiled the measured code, or for some seconds. All ranks
     * run the same number.
     */
    private void warmUp() {
        NcclDataType type = options.types().getFirst();
        NcclOperation operation = options.operations().getFirst();
        long bytes = options.sizes(type.size()).getFirst();
        Runnable apart = round(send.slice(0, bytes), receive.slice(0, bytes), type, operation);
        Runnable inPlace = round(receive.slice(0, bytes), receive.slice(0, bytes), type, operation);
        long begin = System.nanoTime();
        boolean over = false;
        for (int rounds = STRETCH; !over; rounds += STRETCH) {
            progress.step("warm-up, until what is measured is compiled");
            CompilerThreads compilers = new CompilerThreads();
            long before = compilers.cpuNanoseconds();
            for (int i = 0; i < STRETCH; i += 2) {
                apart.run();
                inPlace.run();
            }
            finish();
            boolean enough = rounds >= COMPILED_AFTER && compilers.idleSince(before)
                    || System.nanoTime() - begin > LONGEST_WARM_UP;
            over = meeting.exchange(new byte[] {(byte) (enough ? 1 : 0)}, received ->
                            new byte[] {(byte) (received.stream().allMatch(each -> each[0] == 1) ? 1 : 0)})[0]
                    == 1;
        }
    }

    /** Returns a task that runs one group of operations. */
    private Runnable round(DeviceSlice from, DeviceSlice to, NcclDataType type, NcclOperation operation) {
        Runnable call = () -> communicator.allReduce(from, to, type, operation, stream);
        return options.grouped() == 1
                ? call
                : () -> NcclGroup.run(() -> {
                    for (int i = 0; i < options.grouped(); i++) {
                        call.run();
                    }
                });
    }

    private Timing measure(NcclDataType type, NcclOperation operation, Values values, long bytes, boolean inPlace) {
        DeviceSlice from = (inPlace ? receive : send).slice(0, bytes);
        DeviceSlice to = receive.slice(0, bytes);
        String words = "all-reduce of %d bytes, %s, %s, %s"
                .formatted(bytes, TypeName.of(type), TypeName.of(operation), inPlace ? "in place" : "out of place");
        Runnable round = round(from, to, type, operation);
        fill(from, values, type);
        progress.step("warm-up of " + words);
        for (int i = 0; i < options.warmUp(); i++) {
            round.run();
        }
        finish();
        meeting.barrier();
        progress.step(words);
        long start = System.nanoTime();
        for (int i = 0; i < options.iterations(); i++) {
            round.run();
        }
        finish();
        double nanos = (System.nanoTime() - start) / ((double) options.iterations() * options.grouped());
        long wrong = 0;
        for (int i = 0; i < options.checks(); i++) {
            progress.step("check of " + words);
            if (!inPlace) {
                // Memory that is not written must not pass as a result.
                receive.fill(0, bytes, (byte) 0xa5);
            }
            fill(from, values, type);
            meeting.barrier();
            communicator.allReduce(from, to, type, operation, stream);
            finish();
            wrong += wrong(bytes, values, type);
        }
        progress.step("the others' times of " + words);
        ByteBuffer all = ByteBuffer.wrap(meeting.exchange(
                ByteBuffer.allocate(2 * Long.BYTES)
                        .putDouble(nanos)
                        .putLong(wrong)
                        .array(),
                this::gather));
        long elements = bytes / type.size();
        return new Timing(
                TypeName.of(type),
                TypeName.of(operation),
                inPlace,
                bytes,
                elements,
                (long) options.iterations() * options.grouped(),
                all.getDouble() / NANOS,
                elements * options.checks() * communicator.ranks(),
                all.getLong());
    }

    private byte[] gather(List<byte[]> received) {
        double[] times = received.stream()
                .mapToDouble(each -> ByteBuffer.wrap(each).getDouble())
                .toArray();
        long wrong = received.stream()
                .mapToLong(each -> ByteBuffer.wrap(each).getLong(Double.BYTES))
                .sum();
        double time = switch (options.average()) {
            case RANK_0 -> times[0];
            case MEAN -> DoubleStream.of(times).average().orElseThrow();
            case LEAST -> DoubleStream.of(times).min().orElseThrow();
            case GREATEST -> DoubleStream.of(times).max().orElseThrow();
        };
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putDouble(time)
                .putLong(wrong)
                .array();
    }

    /**
     * Waits until the stream is done. It spins, as nccl-tests do, because a sleep would take longer than small
     * operations.
     */
    private void finish() {
        for (int polls = 1; !stream.isDone(); polls++) {
            if (polls % POLLS_PER_CHECK == 0) {
                communicator.asyncError().ifPresent(failure -> {
                    throw failure;
                });
            }
            Thread.yield();
        }
    }

    private void fill(DeviceSlice slice, Values values, NcclDataType type) {
        MemorySegment piece = piece(slice.length(), type);
        values.fillSent(piece, communicator.rank());
        for (long at = 0; at < slice.length(); at += piece.byteSize()) {
            long length = Math.min(piece.byteSize(), slice.length() - at);
            slice.memory().copyFrom(slice.offset() + at, piece.asSlice(0, length));
        }
    }

    private MemorySegment piece(long bytes, NcclDataType type) {
        return staging.segment().asSlice(0, Math.min(bytes, PIECE_ELEMENTS * type.size()));
    }

    private long wrong(long bytes, Values values, NcclDataType type) {
        MemorySegment piece = piece(bytes, type);
        MemorySegment expected = MemorySegment.ofArray(new long[Math.toIntExact((piece.byteSize() + 7) / 8)])
                .asSlice(0, piece.byteSize());
        values.fillExpected(expected);
        long wrong = 0;
        for (long at = 0; at < bytes; at += piece.byteSize()) {
            long length = Math.min(piece.byteSize(), bytes - at);
            receive.copyTo(at, piece.asSlice(0, length));
            wrong += values.wrong(piece.asSlice(0, length), expected.asSlice(0, length));
        }
        return wrong;
    }

    /** The context closes streams, memory and registrations. */
    @Override
    public void close() {
        staging.close();
        receive.close();
        send.close();
        stream.close();
    }
}
