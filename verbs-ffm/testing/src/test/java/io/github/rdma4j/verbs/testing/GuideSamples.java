// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.PortState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Container.ExecResult;

/** The code in docs/softroce.md, word for word. A test of perftest compares them. */
final class GuideSamples {
    private GuideSamples() {}

    // No static class: it would be a test of this module.
    @SoftRoce
    class PortTest {
        @Test
        void isUp() {
            try (DeviceContext device = DeviceContext.open("rxe0")) {
                assertThat(device.port(1).state()).isEqualTo(PortState.ACTIVE);
            }
        }
    }

    static void testcontainers() throws Exception {
        try (SoftRoceContainer container =
                new SoftRoceContainer().withCpus(2).withMemory(1024).withProject(Path.of(""))) {
            container.start();
            ExecResult result = container.run(
                    "bash", "-c", "ib_write_bw -d rxe0 -x 1 & sleep 3; ib_write_bw -d rxe0 -x 1 127.0.0.1");
            assertThat(result.getExitCode()).isZero();
        }
    }
}
