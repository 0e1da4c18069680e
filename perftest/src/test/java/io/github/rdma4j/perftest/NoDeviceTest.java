// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A device that cannot be found, on any machine: with devices, without, and without the library. */
class NoDeviceTest {
    @Test
    void deviceThatIsNotThereIsAnErrorThatExplains() {
        // Whatever the machine has, it has no device of this name: devices present are listed, otherwise the reason is
        // given.
        CommandRun run = Program.run("ib_write_bw -d no_such_device localhost");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("ib_write_bw: ")
                .containsAnyOf("present: ", "this machine has no RDMA device", "libibverbs");
    }
}
