// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is said when the limit on locked memory is too low. The limit is one of the process, and root is above it, so the
 * registration happens in a JVM of its own, without that privilege.
 */
@Tag("device")
class LockedMemoryDeviceTest {
    private static final int LIMIT = 65_536;

    @Test
    void theMessageNamesTheLimitAndTheRemedy() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        "setpriv",
                        "--bounding-set=-ipc_lock",
                        "prlimit",
                        "--memlock=" + LIMIT + ":" + LIMIT,
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Registration.class.getName()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output)
                .contains("ENOMEM")
                .contains("length=1048576")
                .contains("RLIMIT_MEMLOCK is " + LIMIT + " bytes")
                .contains("Remedy: raise the limit: 'ulimit -l unlimited'");
    }

    /** Registers more than the limit and prints what comes of it. */
    static final class Registration {
        public static void main(String[] arguments) {
            try (DeviceContext context = TestDevice.open();
                    Arena arena = Arena.ofConfined()) {
                System.out.println(context.allocateProtectionDomain().registerMemory(arena.allocate(1 << 20)));
            } catch (VerbsException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
