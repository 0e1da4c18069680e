// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0",
                "0-3,8|0-3,8",
                "8,0-3|0-3,8",
                "0, 1, 2|0-2",
                "12-15,0-3,8|0-3,8,12-15",
                "5-5|5",
                "1,1|1",
                "63-64|63-64"
            })
    void writesWhatItRead(String text, String canonical) {
        assertThat(CpuList.parse(text)).hasToString(canonical).isEqualTo(CpuList.parse(canonical));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "1-", "0,,2", "0;1", "0x3", "1,", "99999999999", "3-1", "0-8192"})
    void namesWhatItCannotRead(String text) {
        assertThatThrownBy(() -> CpuList.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(".*('[^']*' is no number|ends before it begins|more than a kernel can count).*");
    }

    @Test
    void emptyTextIsNone() {
        assertThat(CpuList.parse(" ")).isEqualTo(CpuList.NONE).hasToString("");
        assertThat(CpuList.NONE.first()).isEqualTo(-1);
    }

    @Test
    void knowsItsMembers() {
        CpuList list = CpuList.parse("2-4,70");
        assertThat(list.contains(3)).isTrue();
        assertThat(list.contains(5)).isFalse();
        assertThat(list.contains(-1)).isFalse();
        assertThat(list.size()).isEqualTo(4);
        assertThat(list.toArray()).containsExactly(2, 3, 4, 70);
        assertThat(list.toMask()).containsExactly(0b11100L, 1L << 6);
        assertThat(list.and(CpuList.parse("4-99"))).hasToString("4,70");
        assertThat(list.without(CpuList.of(3))).hasToString("2,4,70");
    }
}
