// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.compare.count.CountedCase.Ending;
import io.github.rdma4j.perftest.compare.count.InstructionRecord.Block;
import io.github.rdma4j.perftest.compare.plan.TestCase;
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
    void whatDisturbsSomePartsDoesNotCount() {
        for (int i = 0; i < 20; i++) {
            boolean disturbed = i % 2 == 0;
            part(disturbed ? 310 + i : 310, disturbed ? 19_000 : 14_325, Map.of());
        }

        InstructionCount count = InstructionCount.of(records, 1);

        assertThat(count.user()).isEqualTo(310);
        assertThat(count.kernel()).isEqualTo(14_325);
    }

    @Test
    void aWaitCountsOnce() {
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

    @Test
    void fewPartsAreTold() {
        for (int i = 0; i < 4; i++) {
            part(310, 14_325, Map.of());
        }

        assertThatThrownBy(() -> InstructionCount.of(records, 1))
                .isInstanceOf(CompareException.class)
                .hasMessage("only 4 parts of a hundred operations were counted");
    }

    @Test
    void noPartsAreTold() {
        assertThatThrownBy(() -> InstructionCount.of(List.of(), 1)).isInstanceOf(CompareException.class);
    }

    @Test
    void ofTwoThatWaitForEachOtherOneIsTheCServer() {
        CountedCase pingPong = new CountedCase(
                new TestCase(Tool.WRITE_LATENCY, 2),
                new InstructionCount(4_000_000, 565, 17_743),
                new InstructionCount(4_000_000, 331, 17_996),
                Ending.SETTLED);

        assertThat(pingPong.cUser()).isEqualTo(331);
        assertThat(pingPong.javaUser()).isEqualTo(2 * 565 - 331);
        assertThat(pingPong.extra()).isEqualTo(2 * (565 - 331));
    }

    @Test
    void whereOneSideIsPassiveAllIsTheClients() {
        CountedCase oneSided = new CountedCase(
                new TestCase(Tool.READ_LATENCY, 2),
                new InstructionCount(675, 700, 14_364),
                new InstructionCount(310, 320, 14_325),
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
