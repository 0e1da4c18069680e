// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.UnaryOperator;

/**
 * Stands between two doctors and changes their messages: so queue pairs are connected wrongly, as a broken network
 * would have it.
 */
final class Meddler implements AutoCloseable {
    private final ServerSocket listening;
    private final int server;
    private final UnaryOperator<Message> toServer;
    private final UnaryOperator<Message> toClient;

    /**
     * Stands there for one conversation.
     *
     * @param address at which it listens
     * @param server the port of the end that serves, at the same address
     * @param toServer changes the client's messages
     * @param toClient changes the server's messages
     */
    Meddler(String address, int server, UnaryOperator<Message> toServer, UnaryOperator<Message> toClient)
            throws IOException {
        this.listening = new ServerSocket(0, 1, InetAddress.getByName(address));
        this.server = server;
        this.toServer = toServer;
        this.toClient = toClient;
        Thread.ofPlatform().daemon().start(this::meet);
    }

    /** Where a client finds it. */
    int port() {
        return listening.getLocalPort();
    }

    private void meet() {
        try (Socket client = listening.accept();
                Socket other = new Socket(listening.getInetAddress(), server)) {
            Thread answers = Thread.ofPlatform().daemon().start(() -> pass(other, client, toClient));
            pass(client, other, toServer);
            answers.join();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes messages on until one side closes, and then closes the other side. */
    private static void pass(Socket from, Socket to, UnaryOperator<Message> change) {
        try {
            DataInputStream in = new DataInputStream(from.getInputStream());
            while (true) {
                byte[] start = new byte[Message.HEADER_BYTES];
                in.readFully(start);
                Message.Header header = Message.header(Protocol.DOCTOR, start);
                byte[] body = new byte[header.length()];
                in.readFully(body);
                to.getOutputStream()
                        .write(change.apply(Message.of(header, body)).encode(Protocol.DOCTOR));
            }
        } catch (IOException _) {
            try {
                to.shutdownOutput();
            } catch (IOException _) {
                // It has hung up as well.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
