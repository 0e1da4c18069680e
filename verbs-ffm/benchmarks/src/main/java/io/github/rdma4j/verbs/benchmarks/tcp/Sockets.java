// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Blocking {@link SocketChannel}s: one write for each message and its length, and reads into a large buffer. */
final class Sockets extends Contestant {
    private final List<SocketChannel> open = new ArrayList<>();

    Sockets(TcpCase what) throws IOException {
        super(what);
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), what.connections())) {
            for (int i = 0; i < what.connections(); i++) {
                SocketChannel client = open(SocketChannel.open(server.getLocalAddress()));
                SocketChannel served = open(server.accept());
                AtomicLong counter = counter();
                if (what.pattern() == TcpCase.Pattern.STREAM) {
                    start(() -> send(client));
                    start(() -> receive(served, counter));
                } else {
                    start(() -> ask(client, counter));
                    start(() -> answer(served));
                }
            }
        }
    }

    private SocketChannel open(SocketChannel socket) throws IOException {
        open.add(socket);
        return socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    private ByteBuffer message() {
        return ByteBuffer.allocateDirect(Integer.BYTES + what.message()).putInt(0, what.message());
    }

    private void send(SocketChannel socket) throws IOException {
        ByteBuffer message = message();
        while (!stopped) {
            send(socket, message);
        }
    }

    private void receive(SocketChannel socket, AtomicLong counter) throws IOException {
        Reader reader = new Reader(socket);
        while (!stopped) {
            receive(reader);
            count(counter);
        }
    }

    private void receive(Reader reader) throws IOException {
        for (int i = 0; i < what.messages(); i++) {
            reader.read();
        }
    }

    private void send(SocketChannel socket, ByteBuffer message) throws IOException {
        for (int i = 0; i < what.messages(); i++) {
            message.clear();
            while (message.hasRemaining()) {
                socket.write(message);
            }
        }
    }

    private void ask(SocketChannel socket, AtomicLong counter) throws IOException {
        ByteBuffer message = message();
        Reader reader = new Reader(socket);
        while (!stopped) {
            send(socket, message);
            receive(reader);
            count(counter);
        }
    }

    private void answer(SocketChannel socket) throws IOException {
        ByteBuffer message = message();
        Reader reader = new Reader(socket);
        while (!stopped) {
            receive(reader);
            send(socket, message);
        }
    }

    @Override
    void end() throws IOException {
        for (SocketChannel socket : open) {
            socket.close();
        }
    }

    /** Finds the messages in received data. */
    private static final class Reader {
        private final SocketChannel socket;
        private final ByteBuffer bytes =
                ByteBuffer.allocateDirect(2 * TcpCase.LONGEST_MESSAGE).limit(0);

        Reader(SocketChannel socket) {
            this.socket = socket;
        }

        /** Reads a message without copying its bytes. */
        void read() throws IOException {
            await(Integer.BYTES);
            int length = bytes.getInt();
            await(length);
            bytes.position(bytes.position() + length);
        }

        private void await(int count) throws IOException {
            while (bytes.remaining() < count) {
                bytes.compact();
                int read = socket.read(bytes);
                bytes.flip();
                if (read < 0) {
                    throw new EOFException("the peer has closed");
                }
            }
        }
    }
}
