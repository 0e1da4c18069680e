// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointsCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--tools ib_write_lat        | Unknown option",
                "--sizes 8                   | --sizes: 8 is out of range; allowed is 16 to 1048576",
                "--sizes 2M                  | --sizes: 2M is out of range; allowed is 16 to 1048576",
                "--sizes 64,64               | --sizes: 64 is there twice",
                "--connections 0             | --connections: '0' is not a whole number from 1 to 1024",
                "--connections 1,many        | --connections: 'many' is not a whole number from 1 to 1024",
                "--rates fast                | --rates: 'fast' is not a number from 1 to 100000000",
                "--rates 0.5                 | --rates: '0.5' is not a number from 1 to 100000000",
                "--over rdma,carrier-pigeon  | --over: 'carrier-pigeon' is none of rdma, sums, failover, tcp",
                "--over tcp,tcp              | --over: tcp is there twice",
                "--seconds 0                 | --seconds: 0 is out of range; allowed is 1 to 3600",
                "--rounds 0                  | --rounds: 0 is out of range",
                "-p 70000                    | -p/--port: 70000 is out of range",
                "--address localhost         | --address: 'localhost' is not a numeric IP address",
                "--timeout 0                 | --timeout: 0 is out of range",
                "--out_json /no/such/folder/file | --out_json: /no/such/folder/file cannot be written",
            })
    void badInputIsAnErrorInOneLine(String arguments, String message) {
        CommandRun run = CommandRun.of("compare --endpoints " + arguments);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines().toList()).hasSize(2);
        assertThat(run.err())
                .startsWith("compare: ")
                .contains(message)
                .endsWith("Try 'rdma4j compare --endpoints --help'.\n");
    }

    @Test
    void helpNamesTheOptions() {
        CommandRun run = CommandRun.of("compare --endpoints --help");

        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("--over", "--rates", "--connections", "--seconds", "--address", "25, 50 and 75 %");
        assertThat(CommandRun.of("compare --help").out()).contains("compare --endpoints --help");
        assertThat(CommandRun.of("--help").out()).contains("--endpoints");
    }

    /** With a device or without: no machine has one of this name. */
    @Test
    void aDeviceThatIsNotThereIsAnErrorThatExplains() {
        CommandRun run = CommandRun.of("compare --endpoints -d no_such_device");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("compare: ")
                .containsAnyOf("present: ", "this machine has no RDMA device", "libibverbs");
    }
}
