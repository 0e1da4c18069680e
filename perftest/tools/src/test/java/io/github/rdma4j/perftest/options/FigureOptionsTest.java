// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FigureOptionsTest {
    private static RunParameters parse(Tool tool, String arguments) {
        return RunParameters.parse(tool, List.of(arguments.strip().split(" +")));
    }

    @Test
    void everyOptionHasItsEffect() {
        FigureOptions latency =
                parse(Tool.WRITE_LATENCY, "-H -U --rounds 7 --output=latency h").figures();
        assertThat(latency.sortedTimes()).isTrue();
        assertThat(latency.unsortedTimes()).isTrue();
        assertThat(latency.listsTimes()).isTrue();
        assertThat(latency.rounds()).isEqualTo(7);
        assertThat(latency.output()).isEqualTo(Output.LATENCY);
        FigureOptions bandwidth = parse(Tool.WRITE_BANDWIDTH, "-N -b --report-both -w 12.5 -y 1e-3 --output bandwidth")
                .figures();
        assertThat(bandwidth.peak()).isFalse();
        assertThat(bandwidth.both()).isTrue();
        assertThat(bandwidth.leastBandwidth()).isEqualTo(12.5);
        assertThat(bandwidth.leastMessageRate()).isEqualTo(0.001);
        assertThat(bandwidth.output()).isEqualTo(Output.BANDWIDTH);
        FigureOptions none = RunParameters.parse(Tool.WRITE_BANDWIDTH).figures();
        assertThat(none.rounds()).isEqualTo(1);
        assertThat(none.output()).isNull();
        assertThat(none.peak()).isTrue();
        assertThat(none.leastBandwidth()).isZero();
        assertThat(none.leastMessageRate()).isZero();
        assertThat(parse(Tool.WRITE_LATENCY, "--rate 2.5 h").workload().rate()).isEqualTo(2.5);
        assertThat(parse(Tool.WRITE_LATENCY, "h").workload().rate()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ib_write_lat | -N                   | -N/--noPeak is for the bandwidth tools",
                "ib_write_bw  | -H                   | -H/--report-histogram is for the latency tools",
                "ib_write_bw  | -U                   | -U/--report-unsorted is for the latency tools",
                "ib_write_bw  | --rate 5 h           | --rate is for the latency tools",
                "ib_write_bw  | --out_hgrm x         | --out_hgrm is for the latency tools",
                "ib_write_lat | --out_hlog /none/x   | --out_hlog: /none/x cannot be written",
                "ib_write_lat | --out_csv /none/x    | --out_csv: /none/x cannot be written",
                "ib_write_lat | --out_hgrm /none/x   | --out_hgrm: /none/x cannot be written",
                "ib_write_lat | --output bandwidth   | --output: ib_write_lat has no bandwidth; allowed is latency",
                "ib_write_bw  | --output latency     | --output: ib_write_bw has no latency; allowed is bandwidth or"
                        + " message_rate",
                "ib_write_lat | --rate 5             | --rate is for the client, which sets the pace; the server only"
                        + " answers",
                "ib_write_lat | --rate 0 h           | --rate: 0.0 is out of range; allowed is 0.001 to 1000000000"
                        + " messages per second",
                "ib_write_lat | --rate NaN h         | --rate: NaN is out of range; allowed is 0.001 to 1000000000"
                        + " messages per second",
                "ib_write_lat | --rounds 0           | --rounds: 0 is out of range; allowed is 1 to 100",
                "ib_write_lat | --rounds x           | --rounds: 'x' is not a whole number; allowed is 1 to 100",
                "ib_write_bw  | -w x                 | -w/--limit_bw: 'x' is not a number",
                "ib_write_bw  | -w -1                | -w/--limit_bw: -1.0 is out of range; allowed is 0 or more",
                "ib_write_bw  | -y NaN               | -y/--limit_msgrate: NaN is out of range; allowed is 0 or more",
            })
    void contradictionsAreRefused(String tool, String arguments, String message) {
        assertThatThrownBy(() -> parse(Tool.ofCommand(tool).orElseThrow(), arguments))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-H --rate 5 h", "--rounds 2 -D 4", "--output speed", "--rate fast h"})
    void combinationsThatMakeNoSenseAreRefusedInOneLine(String arguments) {
        assertThatThrownBy(() -> parse(Tool.WRITE_LATENCY, arguments))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageContaining(arguments.substring(0, 2))
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> parse(Tool.WRITE_BANDWIDTH, "--rounds 2 -D 4 -b"))
                .isInstanceOf(IllegalParameterException.class);
        assertThatThrownBy(() -> parse(Tool.SEND_BANDWIDTH, "--rounds 2 -D 4"))
                .isInstanceOf(IllegalParameterException.class);
        assertThat(parse(Tool.WRITE_BANDWIDTH, "--rounds 2 -D 4").figures().rounds())
                .isEqualTo(2);
    }

    @Test
    void percentilesOfSeveralSizesGoBesideTheFileThatIsNamed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.hgrm");
        assertThat(parse(Tool.WRITE_LATENCY, "--out_hgrm " + file).figures().percentileFile())
                .isEqualTo(file);
        assertThat(parse(Tool.WRITE_LATENCY, "--out_hgrm /dev/null").figures().percentileFile())
                .isEqualTo(Path.of("/dev/null"));
        Files.createDirectory(file);
        assertThatThrownBy(() -> parse(Tool.WRITE_LATENCY, "--out_hgrm " + file))
                .isInstanceOf(IllegalParameterException.class);
    }
}
