// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arguments are read as getopt_long(3) reads them for the C tools. */
class GetoptArgumentsTest {
    /** No tool has it, so that C ends there whatever stands before. */
    private static final String UNKNOWN = "--no-such-option";

    /** Each prefix of each name that the help of the installed tool lists, asked of that tool. */
    @Test
    void everyAbbreviationThatTheInstalledToolTakesIsTaken() throws Exception {
        Set<String> prefixes = new TreeSet<>();
        for (String names : OptionHelp.ofC("").keySet()) {
            String name = names.substring(names.indexOf("--") + 2);
            for (int end = 1; end <= name.length(); end++) {
                prefixes.add(name.substring(0, end));
            }
        }
        List<String> wrong = new ArrayList<>();
        int taken = 0;
        for (String prefix : prefixes) {
            String expanded = LongNames.expand(prefix);
            if (isTakenByC(prefix)) {
                taken++;
                if (expanded == null || !expanded.startsWith(prefix)) {
                    wrong.add(prefix + " becomes " + expanded);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(taken).isGreaterThan(500);
    }

    private static boolean isTakenByC(String prefix) throws Exception {
        Process process = new ProcessBuilder("ib_write_lat", "--" + prefix, UNKNOWN, UNKNOWN)
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return !text.contains("option '--" + prefix + "' is ambiguous")
                && !text.contains("unrecognized option '--" + prefix + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "run, run_infinitely",
        "report_g, report_gbits",
        "no, noPeak", // ambiguous from 25.01 on
        "use-, use-srq",
        "inline, inline_size", // ambiguous in 4.5
        "com, comm_rdma_cm",
        "data_v, ", // data_validation and data_validation_debug
        "data_validation, data_validation",
        "report-hist, report-histogram", // which C's table misspells
        "report-histogrm, report-histogram",
        "s, ",
        "zzz, ",
    })
    void abbreviationMeansWhatItMeansInSomeVersion(String abbreviation, String name) {
        assertThat(LongNames.expand(abbreviation)).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({
        "-s64 -n100",
        "-s 64 -n 100",
        "-s=64 -n=100",
        "--size=64 --iters=100",
        "--size 64 --iters 100",
        "--si 64 --it 100 -F",
        "-Fs64 -Fn100",
        "-FFn 100 -Fs 64",
    })
    void valueStandsInAnyPlace(String arguments) {
        List<String> words = new ArrayList<>(List.of(arguments.split(" ")));
        for (int i = 0; i < 2; i++) {
            RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, words);
            assertThat(parameters.size()).isEqualTo(64);
            assertThat(parameters.iterations()).isEqualTo(100);
            // Also behind the host.
            words.addFirst("host");
        }
    }

    @Test
    void hostFollowsTwoDashes() {
        assertThat(RunParameters.parse(Tool.WRITE_LATENCY, List.of("-F", "--", "-host"))
                        .peer()
                        .server())
                .isEqualTo("-host");
    }

    @Test
    void nextArgumentIsTheValue() {
        assertThat(RunParameters.parse(Tool.WRITE_LATENCY, List.of("-d", "-F", "--ib-d", "--all"))
                        .path()
                        .device())
                .isEqualTo("--all");
    }

    @Test
    void flagWithAValueIsRefused() {
        assertThatThrownBy(() -> RunParameters.parse(Tool.WRITE_LATENCY, List.of("--all=1")))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--all takes no value");
    }
}
