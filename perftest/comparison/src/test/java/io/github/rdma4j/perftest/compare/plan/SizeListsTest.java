// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Tool;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeListsTest {
    private static final List<Tool> BOTH = List.of(Tool.WRITE_LATENCY, Tool.WRITE_BANDWIDTH);

    private static String cases(List<Tool> tools, String... texts) {
        return SizeLists.cases(tools, Arrays.asList(texts)).toString();
    }

    @Test
    void eachToolHasItsDefaults() {
        assertThat(cases(BOTH)).isEqualTo("[ib_write_lat, 2 bytes, ib_write_bw, 4096 bytes, ib_write_bw, 65536 bytes]");
        assertThat(cases(List.of(Tool.WRITE_LATENCY))).isEqualTo("[ib_write_lat, 2 bytes]");
    }

    @Test
    void listIsForAllToolsOrForOne() {
        assertThat(cases(BOTH, "8,1K"))
                .isEqualTo("[ib_write_lat, 8 bytes, ib_write_lat, 1024 bytes, ib_write_bw, 8 bytes, ib_write_bw, 1024"
                        + " bytes]");
        assertThat(cases(BOTH, "ib_write_bw=2,1M"))
                .isEqualTo("[ib_write_lat, 2 bytes, ib_write_bw, 2 bytes, ib_write_bw, 1048576 bytes]");
        assertThat(cases(BOTH, "ib_write_bw=16", "8")).isEqualTo("[ib_write_lat, 8 bytes, ib_write_bw, 16 bytes]");
    }

    @Test
    void atomicToolsHaveOneSize() {
        List<Tool> tools = List.of(Tool.ATOMIC_LATENCY, Tool.READ_LATENCY, Tool.ATOMIC_BANDWIDTH, Tool.READ_BANDWIDTH);

        assertThat(cases(tools))
                .isEqualTo(
                        "[ib_atomic_lat, 8 bytes, ib_read_lat, 2 bytes, ib_atomic_bw, 8 bytes, ib_read_bw, 4096 bytes,"
                                + " ib_read_bw, 65536 bytes]");
        assertThat(cases(tools, "64"))
                .isEqualTo(
                        "[ib_atomic_lat, 8 bytes, ib_read_lat, 64 bytes, ib_atomic_bw, 8 bytes, ib_read_bw, 64 bytes]");
        assertThat(cases(tools, "ib_atomic_lat=8")).startsWith("[ib_atomic_lat, 8 bytes, ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x                 | 'x' is not a whole number",
                "2,,4              | '' is not a whole number",
                "0                 | 0 is out of range",
                "2,2               | 2 is there twice",
                "ib_write_lat=4    | ib_write_lat is not among the --tools",
                "ib_swap_bw=4      | there is no tool 'ib_swap_bw'",
            })
    void saysWhatIsWrong(String text, String message) {
        assertThatThrownBy(() -> cases(List.of(Tool.WRITE_BANDWIDTH), text))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--sizes: ")
                .hasMessageContaining(message);
    }

    @Test
    void refusesTwoListsForTheSame() {
        assertThatThrownBy(() -> cases(BOTH, "2", "4")).isInstanceOf(IllegalParameterException.class);
        assertThatThrownBy(() -> cases(BOTH, "ib_write_bw=2", "ib_write_bw=4"))
                .isInstanceOf(IllegalParameterException.class);
    }

    @Test
    void readsTools() {
        assertThat(SizeLists.tools("ib_write_bw,ib_write_lat"))
                .containsExactly(Tool.WRITE_BANDWIDTH, Tool.WRITE_LATENCY);
        assertThatThrownBy(() -> SizeLists.tools("ib_write_bw,ib_write_bw"))
                .isInstanceOf(IllegalParameterException.class);
        assertThat(SizeLists.tools("all")).containsExactly(Tool.values());
        assertThatThrownBy(() -> SizeLists.tools("")).isInstanceOf(IllegalParameterException.class);
    }
}
