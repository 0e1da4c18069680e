// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoftRoceContainerTest {
    // Never started, so nothing to close.
    @SuppressWarnings("resource")
    private final SoftRoceContainer container = new SoftRoceContainer();

    @Test
    void itsOptionsAreThoseOfTheScript() {
        container
                .withCpus(2)
                .withMemory(1024)
                .withDevices(4)
                .withTimeout(Duration.ofMinutes(1))
                .withBootTimeout(Duration.ofSeconds(30));

        assertThat(container.commandLine(List.of("ibv_devinfo", "-v")))
                .containsExactly(
                        "/usr/local/bin/softroce",
                        "--quiet",
                        "--cpus",
                        "2",
                        "--memory",
                        "1024",
                        "--devices",
                        "4",
                        "--timeout",
                        "60",
                        "--boot-timeout",
                        "30",
                        "--",
                        "ibv_devinfo",
                        "-v");
    }

    @Test
    void valuesOutOfRangeAreRefusedInWords() {
        assertThatThrownBy(() -> container.withCpus(0)).hasMessage("cpus is 0, not from 1 to 64");
        assertThatThrownBy(() -> container.withMemory(100)).hasMessage("memory is 100, not from 512 to 1048576");
        assertThatThrownBy(() -> container.withDevices(33)).hasMessage("devices is 33, not from 0 to 32");
        assertThatThrownBy(() -> container.withTimeout(Duration.ZERO))
                .hasMessageStartingWith("timeout in seconds is 0");
        assertThatThrownBy(() -> container.withProject(Path.of("/no/such/folder")))
                .hasMessage("/no/such/folder is no folder");
        assertThatThrownBy(() -> container.withReadable(Path.of("/no/such/file")))
                .hasMessage("/no/such/file does not exist");
    }

    @Test
    void secondStartMountsNothingTwice() {
        container.configure();
        int once = container.getCreateContainerCmdModifiers().size();
        container.configure();
        assertThat(container.getCreateContainerCmdModifiers()).hasSize(once);
    }

    @Test
    void commandBeforeTheStartIsRefusedInWords() {
        assertThatThrownBy(() -> container.run("true"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("call start()");
    }
}
