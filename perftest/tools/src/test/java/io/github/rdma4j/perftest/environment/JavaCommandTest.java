// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavaCommandTest {
    private static final Path JAVA = Path.of("/jdk/bin/java");

    @Test
    void startsFromTheClassPathWithTheSameFlags() {
        assertThat(JavaCommand.of(JAVA, List.of("-Xmx1g", "-XX:-TieredCompilation"), "a.jar:b", null, "a.Main"))
                .containsExactly(
                        "/jdk/bin/java",
                        "-Xmx1g",
                        "-XX:-TieredCompilation",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        "a.jar:b",
                        "a.Main");
    }

    @Test
    void startsFromTheModulePath() {
        assertThat(JavaCommand.of(JAVA, List.of("--enable-native-access=a.verbs"), "mods", "a.module", "a.Main"))
                .containsExactly(
                        "/jdk/bin/java", "--enable-native-access=a.verbs", "-p", "mods", "-m", "a.module/a.Main");
    }

    @Test
    void leavesOutWhatTwoJvmsCannotBothDo() {
        assertThat(JavaCommand.of(
                        JAVA, List.of("-agentlib:jdwp=transport=dt_socket,address=5005", "-Xint"), "x", null, "a.Main"))
                .contains("-Xint")
                .noneMatch(argument -> argument.contains("jdwp"));
    }
}
