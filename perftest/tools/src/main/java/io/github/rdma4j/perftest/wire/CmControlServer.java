// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Listens for a connection by rdma_cm. */
final class CmControlServer implements ControlServer {
    private static final Duration FOREVER = Duration.ofDays(365);

    private final SynchronousId listening;
    private final int port;

    private CmControlServer(SynchronousId listening) {
        this.listening = listening;
        this.port =
                listening.id().localAddress().map(InetSocketAddress::getPort).orElseThrow();
    }

    static ControlServer listen(MeetingPoint where) {
        SynchronousId listening = SynchronousId.create(PortSpace.TCP);
        try {
            listening.listen(where.listeningAddress(), 1);
            return new CmControlServer(listening);
        } catch (VerbsException failure) {
            listening.close();
            throw new HandshakeException(
                    "cannot listen on rdma_cm port " + where.port() + ": " + failure.getMessage(),
                    LocalAddress.remedy(where, failure.errno(), "rdma resource show cm_id"),
                    failure);
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ControlChannel accept(Duration limit, Duration timeout) {
        SynchronousId client = listening
                .getRequest(limit.isZero() ? FOREVER : limit)
                .orElseThrow(() -> ControlServer.noClient(port, limit, null));
        close();
        return CmControlChannel.accept(client, timeout);
    }

    @Override
    public void close() {
        listening.close();
    }
}
