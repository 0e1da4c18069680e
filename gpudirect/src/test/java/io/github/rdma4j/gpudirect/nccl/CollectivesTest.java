// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the result of each operation on three ranks, in place and not, and the calls that are refused before NCCL is
 * called.
 */
class CollectivesTest extends NcclFixture {
    private final List<DeviceMemory> send = new ArrayList<>();
    private final List<DeviceMemory> receive = new ArrayList<>();

    /** Element i of rank r is 10 r + i. */
    private void memory(int sent, int received) {
        for (int rank = 0; rank < RANKS; rank++) {
            float[] values = new float[sent];
            for (int i = 0; i < sent; i++) {
                values[i] = 10 * rank + i;
            }
            send.add(floats(rank, values));
            receive.add(floats(rank, new float[received]));
        }
    }

    @ParameterizedTest
    @EnumSource(NcclMode.class)
    void allReduce(NcclMode mode) {
        initAll(config -> config.mode(mode));
        communicators.forEach(each -> each.await(LIMIT));
        memory(4, 4);
        all((communicator, rank, stream) -> communicator.allReduce(
                send.get(rank).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, NcclOperation.SUM, stream));
        receive.forEach(each -> assertThat(floats(each)).containsExactly(30, 33, 36, 39));
    }

    @ParameterizedTest
    @EnumSource(NcclOperation.class)
    void reductions(NcclOperation operation) {
        initAll(config -> {});
        memory(2, 2);
        all((communicator, rank, stream) -> communicator.allReduce(
                send.get(rank).slice(), send.get(rank).slice(), NcclDataType.FLOAT32, operation, stream));
        float[] wanted = switch (operation) {
            case SUM -> new float[] {30, 33};
            case PRODUCT -> new float[] {0, 1 * 11 * 21};
            case MAX -> new float[] {20, 21};
            case MIN -> new float[] {0, 1};
            case AVERAGE -> new float[] {10, 11};
        };
        send.forEach(each -> assertThat(floats(each)).containsExactly(wanted));
    }

    @Test
    void reduceAndBroadcast() {
        initAll(config -> {});
        memory(2, 2);
        all((communicator, rank, stream) -> communicator.reduce(
                send.get(rank).slice(),
                rank == 1 ? receive.get(1).slice() : null,
                NcclDataType.FLOAT32,
                NcclOperation.MAX,
                1,
                stream));
        assertThat(floats(receive.get(1))).containsExactly(20, 21);
        assertThat(floats(receive.get(0))).containsExactly(0, 0);
        all((communicator, rank, stream) -> communicator.broadcast(
                rank == 2 ? send.get(2).slice() : null, receive.get(rank).slice(), NcclDataType.FLOAT32, 2, stream));
        receive.forEach(each -> assertThat(floats(each)).containsExactly(20, 21));
    }

    @Test
    void gatherings() {
        initAll(config -> {});
        memory(2, 6);
        all((communicator, rank, stream) -> communicator.allGather(
                send.get(rank).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, stream));
        receive.forEach(each -> assertThat(floats(each)).containsExactly(0, 1, 10, 11, 20, 21));
        all((communicator, rank, stream) -> communicator.allGather(
                receive.get(rank).slice(8L * rank, 8), receive.get(rank).slice(), NcclDataType.FLOAT32, stream));
        receive.forEach(each -> assertThat(floats(each)).containsExactly(0, 1, 10, 11, 20, 21));
        receive.getFirst().fill(0, 24, (byte) 0);
        all((communicator, rank, stream) -> communicator.gather(
                send.get(rank).slice(), receive.getFirst().slice(), NcclDataType.FLOAT32, 0, stream));
        assertThat(floats(receive.getFirst())).containsExactly(0, 1, 10, 11, 20, 21);
    }

    @Test
    void scatterings() {
        initAll(config -> {});
        memory(6, 2);
        all((communicator, rank, stream) -> communicator.reduceScatter(
                send.get(rank).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, NcclOperation.SUM, stream));
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(floats(receive.get(rank))).containsExactly(30 + 6 * rank, 33 + 6 * rank);
        }
        all((communicator, rank, stream) ->
                communicator.scatter(send.get(1).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, 1, stream));
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(floats(receive.get(rank))).containsExactly(10 + 2 * rank, 11 + 2 * rank);
        }
    }

    @Test
    void allToAll() {
        initAll(config -> {});
        memory(3, 3);
        all((communicator, rank, stream) ->
                communicator.allToAll(send.get(rank).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, stream));
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(floats(receive.get(rank))).containsExactly(rank, 10 + rank, 20 + rank);
        }
    }

    @Test
    void ringOfSendsAndReceives() {
        initAll(config -> {});
        memory(2, 2);
        all((communicator, rank, stream) -> {
            communicator.send(send.get(rank).slice(), NcclDataType.FLOAT32, (rank + 1) % RANKS, stream);
            communicator.receive(receive.get(rank).slice(), NcclDataType.FLOAT32, (rank + 2) % RANKS, stream);
        });
        for (int rank = 0; rank < RANKS; rank++) {
            int from = (rank + 2) % RANKS;
            assertThat(floats(receive.get(rank))).containsExactly(10 * from, 10 * from + 1);
        }
    }

    @Test
    void eachRankScalesByItsFactor() {
        initAll(config -> {});
        memory(2, 2);
        List<NcclScaledSum> sums = new ArrayList<>();
        communicators.forEach(each -> sums.add(each.createScaledSum(NcclDataType.FLOAT32, each.rank() == 1 ? 0.5 : 2)));
        all((communicator, rank, stream) -> communicator.allReduce(
                send.get(rank).slice(), receive.get(rank).slice(), NcclDataType.FLOAT32, sums.get(rank), stream));
        receive.forEach(each -> assertThat(floats(each)).containsExactly(45, 49.5f));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> communicators
                        .get(1)
                        .allReduce(
                                send.get(1).slice(),
                                receive.get(1).slice(),
                                NcclDataType.FLOAT32,
                                sums.getFirst(),
                                streams.get(1)))
                .withMessageContaining("rank 0 of 3");
        sums.getFirst().close();
        assertThatThrownBy(() -> communicators
                        .getFirst()
                        .allReduce(
                                send.getFirst().slice(),
                                receive.getFirst().slice(),
                                NcclDataType.FLOAT32,
                                sums.getFirst(),
                                streams.getFirst()))
                .isInstanceOf(IllegalStateException.class);
        DeviceMemory factor = floats(1, 3);
        try (NcclScaledSum byDevice = communicators.get(1).createScaledSum(NcclDataType.FLOAT32, factor.slice())) {
            assertThat(byDevice.type()).isEqualTo(NcclDataType.FLOAT32);
        }
    }

    /** 3 elements, 1, 2 and 1.5 (integers 1), of each rank: the sums are 3, 6 and 4.5 (3). */
    @ParameterizedTest
    @EnumSource(NcclDataType.class)
    void everyType(NcclDataType type) {
        initAll(config -> {});
        byte[] ones = element(type, 1);
        byte[] twos = element(type, 2);
        byte[] halves = element(type, 1.5);
        List<DeviceMemory> places = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            DeviceMemory memory = contexts.get(rank).allocate(3L * type.size());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment values = arena.allocate(memory.size());
                values.asSlice(0, type.size()).copyFrom(MemorySegment.ofArray(ones));
                values.asSlice(type.size(), type.size()).copyFrom(MemorySegment.ofArray(twos));
                values.asSlice(2L * type.size(), type.size()).copyFrom(MemorySegment.ofArray(halves));
                memory.copyFrom(values);
            }
            places.add(memory);
        }
        all((communicator, rank, stream) -> communicator.allReduce(
                places.get(rank).slice(), places.get(rank).slice(), type, NcclOperation.SUM, stream));
        boolean whole = type.ordinal() <= NcclDataType.UINT64.ordinal();
        places.forEach(place -> {
            MemorySegment values = copied(place);
            assertThat(values.asSlice(0, type.size()).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(element(type, 3));
            assertThat(values.asSlice(type.size(), type.size()).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(element(type, 6));
            assertThat(values.asSlice(2L * type.size(), type.size()).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(element(type, whole ? 3 : 4.5));
        });
    }

    private static byte[] element(NcclDataType type, double value) {
        return switch (type) {
            case FLOAT8_E4M3 -> new byte[] {small(value, 3, 7)};
            case FLOAT8_E5M2 -> new byte[] {small(value, 2, 15)};
            default -> {
                try (Arena arena = Arena.ofConfined()) {
                    yield Scalars.store(arena, type, value).toArray(ValueLayout.JAVA_BYTE);
                }
            }
        };
    }

    /** Of 8 bits; 4.5 has no place in two bits of fraction and is rounded to the even 4. */
    private static byte small(double value, int fraction, int bias) {
        int exponent = Math.getExponent(value);
        double scaled = Math.rint((value / Math.scalb(1.0, exponent) - 1) * (1 << fraction));
        return (byte) (exponent + bias << fraction | (int) scaled);
    }

    @Test
    void wrongSizeIsRefusedBeforeTheCall() {
        initAll(config -> {});
        memory(4, 4);
        NcclCommunicator first = communicators.getFirst();
        DeviceMemory other = send.get(1);
        int before = (int) StandInNccl.calls("ncclAllReduce");
        refused("receive has 12 bytes and must have 16", 16, 12);
        refused("no whole number of FLOAT32", 15, 15);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.allReduce(
                        send.getFirst().slice(0, 12),
                        send.getFirst().slice(4, 12),
                        NcclDataType.FLOAT32,
                        NcclOperation.SUM,
                        streams.getFirst()))
                .withMessageContaining("overlap");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.allReduce(
                        other.slice(),
                        receive.getFirst().slice(),
                        NcclDataType.FLOAT32,
                        NcclOperation.SUM,
                        streams.getFirst()))
                .withMessageContaining("send:");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.allReduce(
                        send.getFirst().slice(),
                        receive.getFirst().slice(),
                        NcclDataType.FLOAT32,
                        NcclOperation.SUM,
                        streams.get(1)))
                .withMessageContaining("stream");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        first.broadcast(null, receive.getFirst().slice(), NcclDataType.FLOAT32, 0, streams.getFirst()))
                .withMessageContaining("rank 0 is the root and has no send");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.send(send.getFirst().slice(), NcclDataType.FLOAT32, RANKS, streams.getFirst()))
                .withMessage("peer 3: 0 to 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.allToAll(
                        send.getFirst().slice(), receive.getFirst().slice(), NcclDataType.FLOAT32, streams.getFirst()))
                .withMessageContaining("4 elements");
        assertThat(StandInNccl.calls("ncclAllReduce")).isEqualTo(before);
    }

    private void refused(String message, long sent, long received) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> communicators
                        .getFirst()
                        .allReduce(
                                send.getFirst().slice(0, sent),
                                receive.getFirst().slice(0, received),
                                NcclDataType.FLOAT32,
                                NcclOperation.SUM,
                                streams.getFirst()))
                .withMessageContaining(message);
    }
}
