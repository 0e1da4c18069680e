// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OptionMixTest {
    @Test
    void seedMakesTheSameMixAgain() {
        assertThat(OptionMix.of(42)).isEqualTo(OptionMix.of(42)).isNotEqualTo(OptionMix.of(43));
    }

    @Test
    void noneIsRefusedByUs() {
        for (long seed = 0; seed < 200; seed++) {
            OptionMix mix = OptionMix.of(seed);
            for (String host : List.of("", " host")) {
                List<String> arguments = List.of((mix.options() + host).split(" "));
                RunParameters parameters =
                        RunParameters.parse(Tool.ofCommand(mix.tool()).orElseThrow(), arguments);
                assertThat(parameters.isServer()).isEqualTo(host.isEmpty());
            }
        }
    }

    @Test
    void theyAreOfAllKinds() {
        List<OptionMix> mixes =
                LongStream.range(0, 1000).mapToObj(OptionMix::of).toList();
        for (Tool tool : Tool.values()) {
            assertThat(mixes).anyMatch(mix -> mix.tool().equals(tool.command()));
        }
        for (String option :
                List.of("-R", "-z", "-c UD", "-c UC", "-e", "-D", "-l", "-b", "-q", "-Q", "-r", "-o", "-x")) {
            assertThat(mixes).anyMatch(mix -> (mix.options() + " ").contains(option + " "));
        }
    }
}
