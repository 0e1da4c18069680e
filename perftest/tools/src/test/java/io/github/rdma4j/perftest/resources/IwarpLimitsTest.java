// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the options that are refused on iWARP. {@code IwarpDeviceTest} tests them on a device. */
class IwarpLimitsTest {
    private static void check(String command) {
        List<String> words = List.of(command.strip().split(" +"));
        IwarpLimits.check(
                "siw0",
                RunParameters.parse(Tool.ofCommand(words.getFirst()).orElseThrow(), words.subList(1, words.size())));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_write_bw -F                    | ib_write_bw on | only rdma_cm connects its queue pairs; give -R on both sides
        ib_write_bw -c UC                 | -c/--connection: UC on | iWARP has reliable connections only; leave it out
        ib_send_lat -R -c UD              | -c/--connection: UD on | iWARP has reliable connections only; leave it out
        ib_write_bw -R --write_with_imm   | --write_with_imm on | its writes carry no immediate data; leave it out
        ib_write_lat -R --write_with_imm  | --write_with_imm on | its writes carry no immediate data; leave it out
        ib_atomic_bw -R                   | ib_atomic_bw on | iWARP has no atomic operations; use the write, read and send tools
        ib_send_bw -R --use-srq           | --use-srq on | the sides send each other how many receives each queue pair has, and a shared one has none of its own; leave it out
        ib_send_bw -R --recv_post_list 4  | --recv_post_list on | the sides send each other how many receives each queue pair has, and lists post them late; leave it out
        ib_send_bw -R -e                  | -e/--events on | the sides send each other how many receives each queue pair has, by writes, which wake nobody up; leave it out
        ib_send_bw -R -r 2                | -r/--rx-depth and -n/--iters on | the sides send each other how many receives each queue pair has, after each third of them: at least 3
        """)
    void isRefused(String command, String what, String why) {
        assertThatThrownBy(() -> check(command))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage(what + " siw0, an iWARP device: " + why);
    }

    /** Only ib_send_bw counts receives. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_send_bw -R -r 3",
                "ib_send_bw -R -n 5",
                "ib_send_bw -R -q 2 -b",
                "ib_send_lat -R -e",
                "ib_send_lat -R -r 1",
                "ib_read_bw -R -e",
                "ib_read_lat -R"
            })
    void isTaken(String command) {
        assertThatNoException().isThrownBy(() -> check(command));
    }
}
