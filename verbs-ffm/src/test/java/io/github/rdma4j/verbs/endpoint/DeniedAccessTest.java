// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.NativeLibraryException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A JVM that denies native access says how to allow it, also where no library of rdma-core is loaded. */
class DeniedAccessTest {
    @Test
    void whatNeedsTheCLibraryAloneSaysHowToAllowIt() throws Exception {
        List<String> command = ChildJvm.command(Program.class.getName(), List.of("--illegal-native-access=deny"));
        assertThat(command.remove("--enable-native-access=ALL-UNNAMED")).isTrue();
        assertThat(ChildJvm.run(command))
                .hasSize(6)
                .allMatch(line ->
                        line.startsWith("loading libc.so.6 failed: Illegal native access from an unnamed module")
                                && line.contains("Remedy: start the JVM with --enable-native-access="));
    }

    /** Twice: the second answer is the same, and no error of class loading. */
    static final class Program {
        public static void main(String[] arguments) {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7471);
            for (int n = 0; n < 2; n++) {
                tell(() -> EndpointServer.bind(address, config -> config.transport(Transport.TCP)));
                tell(() -> Endpoint.connect(address, config -> config.transport(Transport.TCP), Duration.ofSeconds(1)));
                tell(EventPoller::open);
            }
        }

        private static void tell(Runnable call) {
            try {
                call.run();
            } catch (NativeLibraryException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
