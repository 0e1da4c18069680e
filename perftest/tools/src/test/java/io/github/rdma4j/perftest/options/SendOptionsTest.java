// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.Gid;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections, receives and groups of the send tools: what follows from the options, and what is refused. */
class SendOptionsTest {
    private static RunParameters parse(Tool tool, String options) {
        return RunParameters.parse(tool, List.of(options.split(" ")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_send_lat   | -c DC                        | -c/--connection: DC is a protocol of NVIDIA's adapters, posted through their own library (mlx5dv); allowed is RC, XRC, UC, UD, SRD
        ib_send_lat   | -c ud                        | -c/--connection: 'ud' is no connection type; allowed is RC, XRC, UC, UD, SRD
        ib_write_lat  | -c UD                        | -c/--connection: UD has no RDMA write; allowed is RC, XRC, UC, SRD
        ib_read_bw    | -c UC                        | -c/--connection: UC has no RDMA read; allowed is RC, XRC, SRD
        ib_atomic_bw  | -c SRD                       | -c/--connection: SRD has no atomic operation; allowed is RC, XRC
        ib_atomic_lat | -c UD                        | -c/--connection: UD has no atomic operation; allowed is RC, XRC
        ib_read_bw    | -r 5                         | -r/--rx-depth is for the write and send tools
        ib_send_bw    | -r 0                         | -r/--rx-depth: 0 is out of range; allowed is 1 to 16384
        ib_send_bw    | --use-srq -q 4 -r 3          | -r/--rx-depth: 3 is too small; at least 4, for each queue pair takes its part of the shared queue
        ib_send_bw    | -l 7                        | -n/--iters: 1000 is not allowed; a multiple of 7, the messages of a list (-l/--post_list)
        ib_send_bw    | --recv_post_list 7           | --recv_post_list: 7 is not allowed; -n/--iters, 1000, must be a multiple of it
        ib_send_bw    | --recv_post_list 100 -r 50   | -r/--rx-depth: 50 is too small; at least 100 with --recv_post_list 100
        ib_send_lat   | -X 1                         | -X/--vector is for events: give -e/--events
        ib_send_bw    | -e -D 2                      | -D/--duration and -e/--events exclude each other, as in the C tools
        ib_send_bw    | -g -M 255:1                  | -M/--MGID: '255:1' is no multicast GID
        ib_send_bw    | -g -M 254:1:0:0:0:0:0:0:0:0:0:0:0:0:0:1 | -M/--MGID: '254:1:0:0:0:0:0:0:0:0:0:0:0:0:0:1' is no multicast GID
        ib_send_bw    | -g -M 255:256:0:0:0:0:0:0:0:0:0:0:0:0:0:1 | -M/--MGID: '255:256:0:0:0:0:0:0:0:0:0:0:0:0:0:1' is no multicast GID
        ib_send_bw    | -g -q 2                      | -g/--mcg takes one queue pair: leave out -q/--qp
        ib_send_bw    | -g -b                        | -g/--mcg goes one way: leave out -b/--bidirectional
        ib_send_bw    | -c UD --data_validation      | --data_validation is not for UD here
        ib_send_bw    | -c SRD --data_validation     | --data_validation is not for SRD here: messages and their parts arrive in any order
        ib_write_lat  | -c SRD --data_validation     | --data_validation is not for SRD here
        ib_send_bw    | -c SRD --use-srq             | --use-srq: SRD has no shared receive queues; leave it out
        ib_read_lat   | -c SRD -R                    | -R/--rdma_cm: SRD does not support rdma_cm, as in C; leave it out
        ib_read_bw    | -c SRD --odp                 | --odp: SRD has no on-demand paging; leave it out
        """)
    void contradictionsAreRefused(String tool, String options, String message) {
        Tool known = Tool.ofCommand(tool).orElseThrow();
        assertThatThrownBy(() -> parse(known, options))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith(message);
    }

    /** Scripts take the types of a tool from between the brackets, which C's help has in this order. */
    @ParameterizedTest
    @CsvSource({
        "SEND, RC/XRC/UC/UD/SRD",
        "WRITE, RC/XRC/UC/SRD",
        "READ, RC/XRC/SRD",
        "ATOMIC, RC/XRC",
    })
    void helpListsTheConnectionTypesAsC(Verb verb, String types) {
        for (Tool tool : Tool.values()) {
            if (tool.verb() == verb) {
                assertThat(CommandRun.of(tool, "--help").out())
                        .containsPattern("\n  -c, --connection=<" + types + ">\\s");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-n 1000, 512",
        "-n 100, 100",
        "-n 1000 -r 64, 64",
        "-c UC -n 1000, 1000",
        "-c UD -n 20000, 16000",
        "-c UD -n 20000 -r 64, 64",
        "-c UD -D 2, 512",
        "-c XRC -n 20, 20",
        "-c SRD -n 1000, 512",
        "--use-srq -q 4 -n 20, 80",
        "-n 1000 localhost, 0",
        "-n 1000 -b localhost, 512"
    })
    void receivesAreAsManyAsInC(String options, int depth) {
        assertThat(parse(Tool.SEND_BANDWIDTH, options).receiveDepth()).isEqualTo(depth);
    }

    @Test
    void datagramHasOnePacket() {
        assertThat(parse(Tool.SEND_BANDWIDTH, "-c UD").sizes(1024)).containsExactly(1024);
        assertThat(parse(Tool.SEND_LATENCY, "-c UD").sizes(1024)).containsExactly(2);
        assertThat(parse(Tool.SEND_LATENCY, "-a -c UD").sizes(1024)).hasSize(10).endsWith(1024);
        assertThat(parse(Tool.SEND_LATENCY, "-a -c UC").sizes(1024)).hasSize(23);
        RunParameters large = parse(Tool.SEND_LATENCY, "-s 2048 -c UD");
        assertThatThrownBy(() -> large.sizes(1024))
                .hasMessage("-s/--size: 2048 is too large for UD; at most 1024 bytes, which is the MTU of the path");
    }

    @Test
    void transferBySrdIsAsLongAsTheAdapterAllows() {
        assertThat(parse(Tool.SEND_BANDWIDTH, "-c SRD").sizes(8928)).containsExactly(8928);
        assertThat(parse(Tool.READ_BANDWIDTH, "-c SRD").sizes(1 << 30)).containsExactly(65536);
        assertThat(parse(Tool.READ_LATENCY, "-a -c SRD").sizes(1 << 30)).hasSize(23);
        assertThat(parse(Tool.SEND_LATENCY, "-a -c SRD").sizes(8928))
                .hasSize(13)
                .endsWith(8192);
        RunParameters large = parse(Tool.SEND_LATENCY, "-s 9000 -c SRD");
        assertThatThrownBy(() -> large.sizes(8928))
                .hasMessage(
                        "-s/--size: 9000 is too large for SRD; at most 8928 bytes, which is the limit of the adapter");
    }

    @Test
    void everyMessageOfSrdHasACompletion() {
        assertThat(parse(Tool.SEND_BANDWIDTH, "-c SRD -s 64").completionModeration())
                .isEqualTo(1);
        RunParameters asked = parse(Tool.SEND_BANDWIDTH, "-c SRD -Q 20");
        assertThat(asked.completionModeration()).isEqualTo(1);
        assertThat(asked.adjustments())
                .containsExactly("-Q/--cq-mod: 20 becomes 1, as in C: every message of SRD has a completion");
        RunParameters lists = parse(Tool.SEND_BANDWIDTH, "-c SRD -l 10");
        assertThat(lists.completionModeration()).isEqualTo(1);
        assertThat(lists.queues().postList()).isEqualTo(10);
    }

    @Test
    void groupsAreThoseOfC() {
        assertThat(parse(Tool.SEND_BANDWIDTH, "-g").multicastGroup())
                .isEqualTo(Gid.of(HexFormat.of().parseHex("ff0100000002c9850000000000000000")));
        assertThat(parse(Tool.SEND_BANDWIDTH, "-g").connection()).isEqualTo(ConnectionType.UD);
        byte[] named = new byte[16];
        Arrays.fill(named, (byte) 3);
        named[0] = -1;
        assertThat(parse(Tool.SEND_BANDWIDTH, "-g -M 255:3:3:3:3:3:3:3:3:3:3:3:3:3:3:0x3")
                        .multicastGroup())
                .isEqualTo(Gid.of(named));
        assertThat(parse(Tool.SEND_BANDWIDTH, "-n 5").multicastGroup()).isNull();
    }
}
