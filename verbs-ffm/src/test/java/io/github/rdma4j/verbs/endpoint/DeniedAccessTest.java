// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** In a JVM that denies native access, every first call reports how to allow it. */
class DeniedAccessTest {
    @Test
    void firstCallsOfAProgramSayHowToAllowIt() throws Exception {
        List<String> command = ChildJvm.command(Program.class.getName(), List.of("--illegal-native-access=deny"));
        assertThat(command.remove("--enable-native-access=ALL-UNNAMED")).isTrue();
        assertThat(ChildJvm.run(command))
                .hasSize(18)
                .allMatch(line ->
                        line.matches("loading lib(c|ibverbs|rdmacm)\\.so\\.\\d failed: Illegal native access from"
                                + " an unnamed module .* Start the JVM with --enable-native-access=.*"));
    }

    /** Twice: the second answer is the same, and no error of class loading. */
    static final class Program {
        public static void main(String[] arguments) {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7471);
            // A program may use these constants and classes before its first call.
            Objects.requireNonNull(List.of(AccessFlag.REMOTE_READ, SendFlags.SIGNALED, EndpointGroup.open()));
            for (int n = 0; n < 2; n++) {
                for (Transport transport : Transport.values()) {
                    report(() -> EndpointServer.bind(address, config -> config.transport(transport)));
                }
                report(() ->
                        Endpoint.connect(address, config -> config.transport(Transport.TCP), Duration.ofSeconds(1)));
                report(() -> Endpoint.connect(address, Duration.ofSeconds(1)));
                report(() -> SynchronousId.create(PortSpace.UDP));
                report(Device::list);
                report(EventPoller::open);
            }
        }

        private static void report(Runnable call) {
            try {
                call.run();
            } catch (NativeLibraryException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
