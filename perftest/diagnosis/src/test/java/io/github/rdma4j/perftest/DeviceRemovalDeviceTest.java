// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.watch.resource.Resources;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.SoftDevice;
import io.github.rdma4j.verbs.VerbsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device that is taken away while a program uses it: one of its own, since librdmacm keeps those that it has used
 * open until the process ends.
 */
@Tag("device")
@Tag("changes-machine")
@Tag("full")
@Timeout(600)
class DeviceRemovalDeviceTest {
    private static final SoftDevice DEVICE = new SoftDevice("pulled", 7);
    private static final long LIMIT_SECONDS = 60;

    private Process user;

    private static Process start(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String text(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes());
        } catch (IOException failure) {
            return failure.toString();
        }
    }

    @BeforeEach
    void aDeviceOfItsOwn() throws Exception {
        DEVICE.make();
        user = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EndpointUser.class.getName(),
                        DEVICE.address().getAddress().getHostAddress())
                .redirectErrorStream(true)
                .start();
    }

    @AfterEach
    void theDeviceGoes() throws Exception {
        user.destroyForcibly().waitFor();
        DEVICE.close();
    }

    private static List<String> names() {
        return Device.list().stream().map(Device::name).toList();
    }

    private void exchangesMessages(BufferedReader answers) throws IOException {
        user.outputWriter().write("go\n");
        user.outputWriter().flush();
        assertThat(answers.readLine()).isEqualTo(EndpointUser.ANSWER);
    }

    private static Duration await(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(LIMIT_SECONDS));
            Thread.onSpinWait();
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** SoftRoCE cannot cut its users off: the kernel hides the device from others, and waits for its users to end. */
    @Test
    void itsUsersGoOnAndItGoesWithTheLastOne() throws Exception {
        BufferedReader answers = user.inputReader();
        exchangesMessages(answers);
        Optional<String> only = Optional.of(DEVICE.name());
        assertThat(Resources.read(only).queuePairs()).anyMatch(owner -> owner.pid() == user.pid());
        Watcher watcher = new Watcher(new Sampler(Path.of("/"), only), System.nanoTime());

        Process removal = start("rdma", "link", "del", DEVICE.name());
        try {
            Duration hidden = await(() -> !names().contains(DEVICE.name()));
            for (int i = 0; i < 3; i++) {
                exchangesMessages(answers);
            }
            assertThat(removal.isAlive()).isTrue();
            assertThatThrownBy(() -> DeviceContext.open(DEVICE.name()))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining(DEVICE.name());
            assertThat(watcher.sample(System.nanoTime()).worse()).isEmpty();

            user.outputWriter().close();
            assertThat(user.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(user.exitValue()).as(() -> text(user)).isZero();
            Duration ended = await(() -> !removal.isAlive());
            assertThat(removal.exitValue()).as(() -> text(removal)).isZero();
            assertThat(watcher.sample(System.nanoTime()).worse())
                    .containsExactly(DEVICE.name() + "/1: the device has gone");
            System.out.println("hidden after " + hidden.toMillis() + " ms; gone " + ended.toMillis()
                    + " ms after the end of its last user");
        } finally {
            removal.destroyForcibly();
        }
    }
}
