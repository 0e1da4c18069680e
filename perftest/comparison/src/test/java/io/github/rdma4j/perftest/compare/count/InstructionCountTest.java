// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.compare.count.CountedCase.Ending;
import io.github.rdma4j.perftest.compare.count.InstructionRecord.Block;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.options.Tool;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InstructionCountTest {
    private static final long PART = 100;

    private final List<InstructionRecord> records = new ArrayList<>();

    /** Adds a part of a hundred operations. */
    private void part(long user, long kernel, Map<Block, Long> blocks) {
        if (records.isEmpty()) {
            records.add(new InstructionRecord(false, PART, 1_000_000, 2_000_000, Map.of()));
        }
        InstructionRecord before = records.getLast();
        records.add(new InstructionRecord(
                false, before.number() + PART, before.user() + PART * user, before.kernel() + PART * kernel, blocks));
    }

    @Test
    void disturbedPartsDoNotCount() {
        for (int i = 0; i < 20; i++) {
            boolean disturbed = i % 2 == 0;
            part(disturbed ? 310 + i : 310, disturbed ? 19_000 : 14_325, Map.of());
        }

        InstructionCount count = InstructionCount.of(records, 1);

        assertThat(count.user()).isEqualTo(310);
        assertThat(count.kernel()).isEqualTo(14_325);
    }

    @Test
    void waitCountsOnce() {
        Map<Block, Long> blocks = Map.of(
                new Block(0x1000, 50), PART, // once per operation
                new Block(0x2000, 1), 17 * PART, // a copy of seventeen words
                new Block(0x3000, 6), 59_116 * PART); // a wait
        for (int i = 0; i < 5; i++) {
            part(400_000, 20_000, blocks);
        }

        assertThat(InstructionCount.of(records, 1).path()).isEqualTo(50 + 17 + 6);
        assertThat(InstructionCount.of(records, 0.5).path()).isEqualTo(50 + 17 + 3);
    }

    /** A sum of instructions that each operation has. */
    private static Map<Block, Long> path(int instructions) {
        return Map.of(new Block(0x1000, instructions), PART);
    }

    @Test
    void pathIsThatOfTheMostPartsThatAgree() {
        // Short waits, which look like code, in most parts; an earlier code's; the last parts, where less is done.
        for (int i = 0; i < 10; i++) {
            part(9_000, 14_325, path(600 + 37 * i * i));
        }
        for (int i = 0; i < 8; i++) {
            part(9_000, 14_325, path(525 + i % 2));
        }
        for (int i = 0; i < 4; i++) {
            part(9_000, 14_325, path(331));
        }

        InstructionCount count = InstructionCount.of(records, 1);

        assertThat(count.path()).isEqualTo(525);
        assertThat(count.isOfOneCode()).isTrue();
    }

    @Test
    void whereNoPartsAgreeNothingIsKnown() {
        for (int i = 0; i < 20; i++) {
            part(9_000, 14_325, path(600 + 37 * i));
        }

        InstructionCount scattered = InstructionCount.of(records, 1);

        assertThat(scattered.isOfOneCode()).isFalse();
        CountedCase pingPong = new CountedCase(
                new CompareCase(Tool.WRITE_LATENCY, 2),
                scattered,
                new InstructionCount(331, 331, 1, 1),
                Ending.SETTLED);
        assertThat(pingPong.undisturbed()).isFalse();
        assertThat(new CountLimit("", pingPong.test(), 1e9).isMet(List.of(pingPong)))
                .isFalse();
        CountedCase oneSided = new CountedCase(
                new CompareCase(Tool.READ_LATENCY, 2), scattered, new InstructionCount(331, 331, 1, 1), Ending.SETTLED);
        assertThat(oneSided.undisturbed()).isTrue();
    }

    @Test
    void fewPartsAreReported() {
        for (int i = 0; i < 4; i++) {
            part(310, 14_325, Map.of());
        }

        assertThatThrownBy(() -> InstructionCount.of(records, 1))
                .isInstanceOf(CompareException.class)
                .hasMessage("only 4 parts of a hundred operations were counted");
    }

    @Test
    void noPartsAreReported() {
        assertThatThrownBy(() -> InstructionCount.of(List.of(), 1)).isInstanceOf(CompareException.class);
    }

    @Test
    void ofTwoThatWaitForEachOtherOneIsTheCServer() {
        CountedCase pingPong = new CountedCase(
                new CompareCase(Tool.WRITE_LATENCY, 2),
                new InstructionCount(4_000_000, 565, 17_743, 1),
                new InstructionCount(4_000_000, 331, 17_996, 1),
                Ending.SETTLED);

        assertThat(pingPong.cUser()).isEqualTo(331);
        assertThat(pingPong.javaUser()).isEqualTo(2 * 565 - 331);
        assertThat(pingPong.extra()).isEqualTo(2 * (565 - 331));
    }

    @Test
    void whereOneSideIsPassiveAllIsTheClients() {
        CountedCase oneSided = new CountedCase(
                new CompareCase(Tool.READ_LATENCY, 2),
                new InstructionCount(675, 700, 14_364, 1),
                new InstructionCount(310, 320, 14_325, 1),
                Ending.NEVER_SETTLED);

        assertThat(oneSided.extra()).isEqualTo(365);
        assertThat(oneSided.ratio()).isCloseTo((675 + 14_325.0) / (310 + 14_325), within(1e-9));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        CountTable.row(new PrintStream(printed, true, StandardCharsets.UTF_8), oneSided);
        assertThat(printed.toString(StandardCharsets.UTF_8).stripTrailing())
                .isEqualTo(
                        "ib_read_lat           2        675.0        310.0   +365.0      14364.0      14325.0   1.0249  Java not settled");
    }
}
