// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Echoes over endpoints: each message goes back from the buffer that it has come in. */
final class EndpointEchoServer extends EchoServer {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final EndpointServer server;
    private final EndpointSelector selector;
    private final List<Endpoint> endpoints = new ArrayList<>();

    /** One client. */
    private static final class Client {
        private final Endpoint endpoint;

        /** Without room for their answer, in order. */
        private final Queue<HeldMessage> waiting = new ArrayDeque<>();

        private final MessageHandler handler = this::answer;

        Client(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        void serve() {
            try {
                answerThoseThatWait();
                if (endpoint.poll(handler) == Endpoint.CLOSED_BY_PEER) {
                    close();
                }
            } catch (ConnectionLostException _) {
                // The client knows why, or is gone.
                close();
            }
        }

        private void answer(Message message) {
            if (!waiting.isEmpty() || endpoint.trySend(message.segment()) != Endpoint.OK) {
                waiting.add(message.hold());
            }
        }

        private void answerThoseThatWait() {
            while (!waiting.isEmpty() && endpoint.trySend(waiting.element().segment()) == Endpoint.OK) {
                waiting.remove().close();
            }
        }

        private void close() {
            waiting.forEach(HeldMessage::close);
            waiting.clear();
            endpoint.close();
        }
    }

    EndpointEchoServer(EchoSetting setting) {
        try {
            server = EndpointServer.bind(
                    new InetSocketAddress(setting.address(), setting.port()),
                    config -> EndpointChannels.configure(setting, config));
        } catch (VerbsException failure) {
            throw taken(setting, failure.getMessage());
        }
        selector = EndpointSelector.open();
        selector.add(server, this::accept);
    }

    private void accept(EndpointServer ready) {
        ready.accept(Duration.ZERO).ifPresent(endpoint -> {
            endpoints.add(endpoint);
            Client client = new Client(endpoint);
            selector.add(endpoint, _ -> client.serve());
        });
    }

    @Override
    public int port() {
        return server.address().getPort();
    }

    @Override
    void serve() {
        selector.select(LOOK);
    }

    @Override
    void wakeUp() {
        selector.wakeUp();
    }

    @Override
    void release() {
        selector.close();
        endpoints.forEach(Endpoint::abort);
        server.close();
    }
}
