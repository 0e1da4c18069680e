// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.time.Duration;

/** Connects the side that asks. */
public final class EchoClient {
    private EchoClient() {}

    /**
     * Opens all connections, one after the other.
     *
     * @param setting with the port that the server has taken
     * @param limit how long each may take
     * @return to be closed
     * @throws io.github.rdma4j.perftest.exit.RunFailedException when TCP does not connect
     * @throws io.github.rdma4j.verbs.VerbsException when an endpoint does not
     */
    public static Exchange connect(EchoSetting setting, Duration limit) {
        Channels channels = setting.transport().isOfEndpoints()
                ? new EndpointChannels(setting, limit)
                : new TcpChannels(setting, limit);
        return new Exchange(channels, setting.size());
    }
}
