// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return CompareCommand.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--bogus                              | Unknown option: '--bogus'",
                "extra                                | Unmatched argument",
                "--tools ib_swap_lat                  | there is no tool 'ib_swap_lat'",
                "--sizes x                            | --sizes: 'x' is not a whole number",
                "--sizes 4294967296                   | --sizes: 4294967296 is out of range",
                "--rounds 0                           | --rounds: 0 is out of range; allowed is 1 to 1000",
                "--rounds many                        | --rounds: 'many' is not a whole number; allowed is 1 to 1000",
                "-n 0                                 | -n/--iters: 0 is out of range",
                "-n -5                                | -n/--iters",
                "-i 0                                 | -i/--ib-port: 0 is out of range",
                "-x -1                                | -x/--gid-index",
                "-m 1000                              | -m/--mtu: 1000 is out of range",
                "-q 0                                 | -q/--qp: 0 is out of range",
                "-t 99999                             | -t/--tx-depth: 99999 is out of range",
                "-Q 0                                 | -Q/--cq-mod: 0 is out of range",
                "-c UD --tools ib_write_lat           | -c/--connection: UD",
                "-c XX                                | -c/--connection: 'XX' is no connection type",
                "-q 2 --tools ib_write_lat            | -q/--qp is for the bandwidth tools",
                "-p 70000                             | -p/--port: 70000 is out of range",
                "--timeout 0                          | --timeout: 0 is out of range",
                "--tools ib_atomic_bw --sizes ib_atomic_bw=4 | --sizes: the operands of ib_atomic_bw have 8 bytes",
                "--tcp sometimes                      | --tcp: 'sometimes' is not one of spin, block, none",
                "--c-path /no/such/folder             | --c-path: /no/such/folder is not a folder",
                "--out_json /no/such/folder/file      | --out_json: /no/such/folder/file cannot be written",
                "--expect nonsense                    | --expect: 'nonsense' is not of the form",
                "--expect ib_write_lat:4:best<=1      | --expect: ib_write_lat, 4 bytes is not among",
                "--peer beta:0                        | --peer: 'beta:0' is not HOST, HOST:PORT",
            })
    void badInputIsAnErrorInOneLine(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8).lines().toList())
                .hasSize(2)
                .satisfies(lines ->
                        assertThat(lines.getFirst()).startsWith("compare: ").contains(message))
                .last()
                .isEqualTo("Try 'rdma4j compare --help'.");
        assertThat(out.size()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--serve --rounds 3          | --rounds is not for --serve: give what is compared, and how, to --peer",
                "--serve --peer beta         | --peer is not for --serve",
                "--serve --port 70000        | -p/--port: 70000 is out of range",
                "--serve --timeout 0         | --timeout: 0 is out of range",
                "--serve --c-path /no/such   | --c-path: /no/such is not a folder",
            })
    void optionOfAnotherFormIsAnErrorInOneLine(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8).lines().toList())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("compare: ")
                .contains(message);
        assertThat(out.size()).isZero();
    }

    @Test
    void servedMachineHasAHelpOfItsOwn() {
        assertThat(run("--serve", "--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("compare --serve", "--port", "(default 18516)", "--timeout", "--c-path");
    }

    @Test
    void servedMachineWithoutClientTimesOut() {
        assertThat(run("--serve", "--port", "0", "--timeout", "1")).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("On the other machine, run: rdma4j compare --peer HOST:")
                .contains("no peer connected within 1 s (--timeout)");
    }

    @Test
    void missingCToolIsNamed(@TempDir Path empty) {
        assertThat(run("--tools", "ib_write_bw", "--c-path", empty.toString(), "--out_json", "/dev/null"))
                .isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("C's ib_write_bw is not in " + empty)
                .contains("install the package perftest");
    }

    @Test
    void lastOfAnOptionCounts(@TempDir Path empty) {
        assertThat(run("--rounds", "2000", "--rounds", "5", "--c-path", empty.toString()))
                .isEqualTo(1);
    }

    @Test
    void helpNamesTheOptions() {
        assertThat(run("--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--tools", "--sizes", "--rounds", "--c-path", "--out_json", "--expect", "--timeout")
                .contains("(default 15; fewer");
    }
}
