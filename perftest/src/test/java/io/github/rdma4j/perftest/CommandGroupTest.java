// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Picocli only chooses the command. It must not change the arguments that a command's own parser accepts. */
class CommandGroupTest {
    private final List<String> received = new ArrayList<>();

    private final CommandGroup group = new CommandGroup(
            "program",
            List.of(
                    new Command("first", "The first", (arguments, _, _) -> {
                        received.addAll(arguments);
                        return 7;
                    }),
                    new Command("second", "The second", (_, _, _) -> {
                        throw new AssertionError("another command was asked for");
                    })));

    private int run(List<String> arguments) {
        return group.run(arguments, System.out, System.err);
    }

    @Test
    void commandReceivesArgumentsAsTyped() {
        List<String> arguments =
                List.of("-hV", "second", "", "@second", "--help", "'x'", "--", "-s", "--si=4", "first");
        List<String> all = new ArrayList<>(List.of("first"));
        all.addAll(arguments);
        assertThat(run(all)).isEqualTo(7);
        assertThat(received).isEqualTo(arguments);
    }

    @Test
    void commandNeedsNoArguments() {
        assertThat(run(List.of("first"))).isEqualTo(7);
        assertThat(received).isEmpty();
    }
}
