// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Echoes over endpoints: each message goes back from the buffer that it has come in. */
final class EndpointEchoServer extends EchoServer {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final EndpointGroup group;
    private final EndpointServer server;
    private final EndpointSelector selector;
    private final List<Endpoint> endpoints = new ArrayList<>();

    /** One client. */
    private static final class Client {
        private final Endpoint endpoint;

        /** Without an answer yet, in order. */
        private final List<HeldMessage> waiting = new ArrayList<>();

        private final List<MemorySegment> answers = new ArrayList<>();
        private final MessageHandler handler = this::hold;

        Client(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        void serve() {
            try {
                answer();
                int got = endpoint.poll(handler);
                answer();
                if (got == Endpoint.CLOSED_BY_PEER) {
                    close();
                }
            } catch (ConnectionLostException _) {
                // The client knows why, or is gone.
                close();
            }
        }

        private void hold(Message message) {
            HeldMessage held = message.hold();
            waiting.add(held);
            answers.add(held.segment());
        }

        /** Answers all messages of one poll with one doorbell, as far as the send queue has space. */
        private void answer() {
            int sent = answers.isEmpty() ? 0 : Math.max(0, endpoint.trySendAll(answers));
            for (int i = 0; i < sent; i++) {
                waiting.get(i).close();
            }
            waiting.subList(0, sent).clear();
            answers.subList(0, sent).clear();
        }

        private void close() {
            waiting.forEach(HeldMessage::close);
            waiting.clear();
            answers.clear();
            endpoint.close();
        }
    }

    EndpointEchoServer(EchoSetting setting) {
        group = EndpointGroup.open(setting.connections());
        try {
            server = EndpointServer.bind(
                    new InetSocketAddress(setting.address(), setting.port()),
                    config -> EndpointChannels.configure(setting, group, config));
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
        group.close();
    }
}
