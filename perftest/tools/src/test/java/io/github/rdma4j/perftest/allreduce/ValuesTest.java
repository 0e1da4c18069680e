// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import io.github.rdma4j.gpudirect.nccl.NcclOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ValuesTest {
    private static final int SOME = 3 * Values.PERIOD + 17;

    static Stream<Arguments> all() {
        return Stream.of(NcclDataType.values())
                .flatMap(type -> Stream.of(NcclOperation.values()).map(operation -> Arguments.of(type, operation)));
    }

    /** Each number that is sent, and each on the way to a result, is one that the type has. */
    @ParameterizedTest
    @MethodSource("all")
    void numbersAreExact(NcclDataType type, NcclOperation operation) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocate(8, 8);
            for (int ranks : new int[] {1, 2, 3, 5, 16, 100}) {
                Values values = new Values(type, operation, ranks);
                for (int i = 0; i < Values.PERIOD; i++) {
                    double sum = values.sent(i, 0);
                    for (int rank = 0; rank < ranks; rank++) {
                        double next = values.sent(i, rank);
                        sum = rank == 0
                                ? next
                                : switch (operation) {
                                    case SUM -> sum + next;
                                    case PRODUCT -> sum * next;
                                    default -> next;
                                };
                        for (double each : new double[] {sum, next}) {
                            Elements.set(one, type, 0, each);
                            assertThat(Elements.get(one, type, 0)).isEqualTo(each);
                        }
                    }
                    Elements.set(one, type, 0, values.expected(i));
                    assertThat(Elements.get(one, type, 0)).isEqualTo(values.expected(i));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void oneWrongElementIsFound(NcclDataType type, NcclOperation operation) {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = (long) SOME * type.size();
            MemorySegment expected = arena.allocate(bytes, 8);
            MemorySegment got = arena.allocate(bytes, 8);
            Values values = new Values(type, operation, 3);
            values.fillExpected(expected);
            values.fillExpected(got);
            assertThat(values.wrong(got, expected)).isZero();
            Elements.set(got, type, SOME - 1, Elements.get(expected, type, SOME - 1) + 8);
            assertThat(values.wrong(got, expected)).isOne();
            // Three mistakes: the sent values, no values, and the right values at the next index.
            values.fillSent(got, 1);
            assertThat(values.wrong(got, expected) > 0).isEqualTo(operation != NcclOperation.AVERAGE);
            got.fill((byte) 0xa5);
            assertThat(values.wrong(got, expected)).isGreaterThan(SOME / 3);
            values.fillExpected(got);
            MemorySegment.copy(expected, 0, got, type.size(), bytes - type.size());
            assertThat(values.wrong(got, expected)).isGreaterThan(SOME / 4);
        }
    }

    @ParameterizedTest
    @EnumSource(NcclDataType.class)
    void meanMayBeRounded(NcclDataType type) {
        try (Arena arena = Arena.ofConfined()) {
            Values values = new Values(type, NcclOperation.AVERAGE, 3);
            MemorySegment expected = arena.allocate(8L * Values.PERIOD, 8);
            values.fillExpected(expected);
            MemorySegment got = arena.allocate(8L * Values.PERIOD, 8).copyFrom(expected);
            int one = 0;
            while (values.expected(one) != 1) {
                one++;
            }
            long last = (long) one * type.size();
            got.set(ValueLayout.JAVA_BYTE, last, (byte) (got.get(ValueLayout.JAVA_BYTE, last) + 1));
            assertThat(values.wrong(got, expected)).isEqualTo(Elements.precision(type) == 0 ? 1 : 0);
        }
    }
}
