// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of a group that need no device. */
class EndpointGroupTest {
    private static EndpointGroup closedGroup() {
        EndpointGroup group = EndpointGroup.open();
        group.close();
        return group;
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "RDMA_OR_TCP"})
    void closedGroupRefusesBindAndConnect(Transport transport) {
        EndpointGroup group = closedGroup();
        Consumer<EndpointConfig> configuration =
                config -> config.transport(transport).group(group);
        assertThatThrownBy(() -> EndpointServer.bind(TcpPair.ANY_PORT, configuration))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the endpoint group is closed")
                .hasMessageContaining("EndpointConfig.group");
        assertThatThrownBy(() -> Endpoint.connect(TcpPair.ANY_PORT, configuration, Duration.ofSeconds(5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the endpoint group is closed");
    }

    @Test
    void overTcpAGroupMeansNothing() {
        EndpointGroup group = closedGroup();
        try (EndpointServer server = EndpointServer.bind(
                TcpPair.ANY_PORT, config -> config.transport(Transport.TCP).group(group))) {
            assertThat(server.isOpen()).isTrue();
        }
    }
}
