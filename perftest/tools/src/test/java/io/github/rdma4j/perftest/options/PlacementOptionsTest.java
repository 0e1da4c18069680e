// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.PlacementRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementOptionsTest {
    private static PlacementOptions parse(String options) {
        List<String> arguments = options.isEmpty() ? List.of() : List.of(options.split(" "));
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, arguments).placement();
    }

    @Test
    void byDefaultTheDevicesNodeAndNothingToObserve() {
        PlacementOptions options = parse("");
        assertThat(options.request()).isEqualTo(PlacementRequest.AUTOMATIC);
        assertThat(options.cpuUtilisation()).isFalse();
        assertThat(options.counters()).isEmpty();
        assertThat(options.ignoreCpuFrequency()).isFalse();
    }

    @Test
    void readsAllOfThem() {
        assertThat(parse("--pin_cores=0-3,8").request())
                .isEqualTo(new PlacementRequest(CpuList.parse("0-3,8"), -1, true));
        assertThat(parse("--numa_node 1").request()).isEqualTo(new PlacementRequest(null, 1, true));
        assertThat(parse("--disable_numa").request()).isEqualTo(PlacementRequest.NONE);
        PlacementOptions options = parse("-F -D 2 --cpu_util -W counters/port_xmit_data,hw_counters/sent_pkts");
        assertThat(options.cpuUtilisation()).isTrue();
        assertThat(options.ignoreCpuFrequency()).isTrue();
        assertThat(options.counters()).containsExactly("counters/port_xmit_data", "hw_counters/sent_pkts");
        assertThat(RunParameters.parse(Tool.WRITE_BANDWIDTH, "-W", "hw_counters/Nak Sequence Error")
                        .placement()
                        .counters())
                .containsExactly("hw_counters/Nak Sequence Error");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--pin_cores=x | --pin_cores: x is no list like 0-3,8: 'x' is no number and no range like 0-3",
                "--pin_cores=3-1 | --pin_cores: 3-1 is no list like 0-3,8: the range '3-1' ends before it begins",
                "--pin_cores= | --pin_cores has no value: leave it out, or give the value that was meant",
                "--numa_node x | --numa_node: 'x' is not a whole number; allowed is 0 to 1023",
                "--numa_node -1 | --numa_node: -1 is out of range; allowed is 0 to 1023",
                "--pin_cores=0 --numa_node 0 | --pin_cores and --numa_node exclude each other: memory follows the"
                        + " cores",
                "--disable_numa --numa_node 0 | --disable_numa and --numa_node exclude each other",
                "-W ../../x | -W/--report-counters: '../../x' is no counter; allowed are names like"
                        + " counters/port_xmit_data, separated by commas",
                "-W /etc/passwd | -W/--report-counters: '/etc/passwd' is no counter; allowed are names like"
                        + " counters/port_xmit_data, separated by commas",
                "-W a,,b | -W/--report-counters: '' is no counter; allowed are names like"
                        + " counters/port_xmit_data, separated by commas"
            })
    void refusesWhatMakesNoSense(String options, String message) {
        assertThatThrownBy(() -> parse(options))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage(message);
    }
}
