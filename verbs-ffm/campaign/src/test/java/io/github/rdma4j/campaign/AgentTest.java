// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AgentTest {
    @TempDir
    Path folder;

    @Test
    void onlyOrdersWithTheSecretRun() throws Exception {
        Path file = folder.resolve("made");
        try (Agent agent = new Agent(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "s3cret")) {
            Thread thread = Thread.ofPlatform().start(agent::serve);
            Remote remote = new Remote(agent.address(), "s3cret");
            for (String start : List.of("", "shell\t", "\tshell\t", "s3cre\tshell\t", "s3crets\tshell\t")) {
                assertThat(answer(agent, start + "touch " + file + "\n"))
                        .as(start)
                        .isEmpty();
            }
            assertThat(answer(agent, "")).isEmpty();
            assertThatThrownBy(() -> new Remote(agent.address(), "other").shell("touch " + file))
                    .hasMessageContaining("did not answer");
            assertThat(file).doesNotExist();
            remote.shell("touch " + file);
            assertThat(file).exists();
            remote.end();
            thread.join();
        }
    }

    @Test
    void agentOfOneMachineListensOnLoopbackOnly() throws Exception {
        assertThat(Campaign.agent(false, "192.0.2.2").getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(Campaign.agent(true, "192.0.2.2").getHostString()).isEqualTo("192.0.2.2");
    }

    private static String answer(Agent agent, String order) throws IOException {
        try (Socket socket =
                new Socket(agent.address().getAddress(), agent.address().getPort())) {
            socket.getOutputStream().write(order.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
