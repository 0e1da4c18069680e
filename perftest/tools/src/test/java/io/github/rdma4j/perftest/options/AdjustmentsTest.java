// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The C tools accept command lines with options that have no effect or cannot work. Our tools also accept them and
 * print a note.
 */
class AdjustmentsTest {
    private static RunParameters parse(String tool, String options) {
        return RunParameters.parse(Tool.ofCommand(tool).orElseThrow(), List.of(options.split(" +")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_write_bw   | -R -x 1             | -x/--gid-index has no effect with -R/--rdma_cm: the addresses of both sides say
        ib_write_bw   | -R --ipv6           | --ipv6 has no effect with -R/--rdma_cm: the server's address says
        ib_write_bw   | -R -m 1024          | -m/--mtu has no effect with -R/--rdma_cm: the route has the MTU
        ib_write_bw   | -R -S 3             | -S/--sl has no effect with -R/--rdma_cm: the service level follows
        ib_write_bw   | -R --tclass 8       | --tclass has no effect with -R/--rdma_cm: the traffic class follows
        ib_write_bw   | -R --pkey_index 1   | --pkey_index has no effect with -R/--rdma_cm: the network interface has
        ib_write_bw   | -R --dlid 1         | --dlid has no effect with -R/--rdma_cm: the route has the LID
        ib_write_bw   | --retry_count 3     | --retry_count has no effect without -R/--rdma_cm
        ib_write_bw   | -l 4 -t 1           | -t/--tx-depth: 1 becomes 4, the messages of a list (-l/--post_list)
        ib_send_bw    | -l 200              | -t/--tx-depth: 128 becomes 200, the messages of a list
        ib_write_bw   | -Q 129              | -Q/--cq-mod: 129 becomes 128, the transmit depth (-t/--tx-depth)
        ib_write_bw   | -t 16 -Q 17         | -Q/--cq-mod: 17 becomes 16, the transmit depth
        ib_write_lat  | -Q 1                | -Q/--cq-mod is for the bandwidth tools and has no effect here
        ib_write_lat  | --report_gbits      | --report_gbits is for the bandwidth tools and has no effect here
        ib_write_lat  | --report-both       | --report-both is for the bandwidth tools and has no effect here
        ib_write_lat  | -w 1                | -w/--limit_bw is for the bandwidth tools and has no effect here
        ib_write_lat  | -y 1                | -y/--limit_msgrate is for the bandwidth tools and has no effect here
        ib_send_lat   | --perform_warm_up   | --perform_warm_up is for the bandwidth tools and has no effect here
        ib_write_lat  | -D 2 -n 100         | -n/--iters has no effect with -D/--duration
        ib_write_lat  | -f 1                | -f/--margin has no effect without -D/--duration
        ib_write_lat  | -a -s 64            | -s/--size has no effect with -a/--all, which runs sizes of its own
        ib_write_lat  | -H -D 4             | -H/-U have no effect with -D/--duration
        ib_write_bw   | --run_infinitely -n 100 | -n/--iters has no effect with --run_infinitely
        ib_write_bw   | --run_infinitely -f 1 | -f/--margin has no effect with --run_infinitely
        ib_write_bw   | --report-both       | --report-both has no effect without -b/--bidirectional
        ib_send_bw    | -b -D 5 --report-both | --report-both has no effect with -D/--duration here: both directions are
        ib_write_bw   | --write_with_imm -b -D 5 --report-both | --report-both has no effect with -D/--duration here
        ib_write_bw   | --cpu_util          | --cpu_util has no effect without -D/--duration
        ib_write_bw   | --rate_units M      | --rate_units has no effect without --rate_limit
        ib_write_bw   | -R --flow_label 1   | --flow_label has no effect with -R/--rdma_cm: the kernel chooses the flow
        ib_write_lat  | -r 4                | -r/--rx-depth has no effect without --write_with_imm: plain writes need no
        ib_read_lat   | --inline_recv 64    | --inline_recv has no effect, as in C 4.5: it is read and not used
        ib_write_bw   | --inline_recv 64    | --inline_recv is for all tools except the write tools and has no effect here
        ib_read_lat   | --cqe_poll 4        | --cqe_poll has no effect here, as in C: a latency tool takes one
        ib_read_lat   | --disable_dynamic_polling | --disable_dynamic_polling is for the bandwidth tools and has no
        ib_write_bw   | --data_validation_debug | --data_validation_debug has no effect without --data_validation
        ib_write_lat  | -C -D 4             | -C/--report-cycles has no effect with -D/--duration, as in C
        ib_read_lat   | --latency_gap 5     | --latency_gap: as in C the times count from one post to the next, so that the pause of 5 usec
        ib_write_bw   | -M 255:1:0:0:0:0:0:0:0:0:0:0:0:0:0:1 | -M/--MGID is for the send tools and has no effect here
        ib_read_bw    | --recv_post_list 2 | --recv_post_list is for the send tools and has no effect here
        ib_send_bw    | --rate_units g | --rate_units is for the write and read tools and has no effect here
        ib_send_bw    | -M 255:1:0:0:0:0:0:0:0:0:0:0:0:0:0:1 | -M/--MGID has no effect without -g/--mcg
        """)
    void optionsOfCAreAcceptedWithAMessage(String tool, String options, String line) {
        assertThat(parse(tool, options).adjustments())
                .singleElement()
                .asString()
                .startsWith(line);
    }

    @Test
    void messageMatchesTheBehaviour() {
        RunParameters connected = parse("ib_write_bw", "-R -x 1 -S 3 -m 1024 --tclass 8 --ipv6 host");
        assertThat(connected.adjustments()).hasSize(5);
        assertThat(connected.path().gidIndex()).isEqualTo(-1);
        assertThat(connected.path().serviceLevel()).isZero();
        assertThat(connected.path().mtu()).isZero();
        assertThat(connected.path().trafficClass()).isZero();
        assertThat(connected.path().ipv6()).isFalse();
        RunParameters lists = parse("ib_write_bw", "-l 4 -t 1 -s 64 -n 100");
        assertThat(lists.transmitDepth()).isEqualTo(4);
        assertThat(lists.completionModeration()).isEqualTo(4);
        assertThat(parse("ib_write_lat", "-Q 7").completionModeration()).isEqualTo(1);
        assertThat(parse("ib_write_lat", "-a -s 64").sizes()).hasSize(23);
        assertThat(parse("ib_write_lat", "-D 2 -n 100").isTimed()).isTrue();
        assertThat(parse("ib_write_lat", "-C -D 2").figures().cyclesPerMicrosecond())
                .isZero();
        assertThat(parse("ib_write_bw", "-R --flow_label 1").path().flowLabel(0))
                .isZero();
        assertThat(parse("ib_write_lat", "-H -D 2").figures().listsTimes()).isFalse();
    }

    @Test
    void valueThatAToolHasInAnyCaseNeedsNoMessage() {
        assertThat(parse("ib_write_lat", "-q 1 -l 1").adjustments()).isEmpty();
        assertThat(parse("ib_write_lat", "--burst_size 0").adjustments()).isEmpty();
        assertThat(parse("ib_read_bw", "--burst_size 0 --latency_gap 0").adjustments())
                .isEmpty();
    }

    @Test
    void effectiveOptionNeedsNoMessage() {
        assertThat(parse(
                                "ib_write_bw",
                                "-x 1 -S 3 -m 1024 -l 4 -t 8 -Q 4 -n 100 --disable_dynamic_polling --cqe_poll 2"
                                        + " --data_validation --data_validation_debug host")
                        .adjustments())
                .isEmpty();
    }
}
