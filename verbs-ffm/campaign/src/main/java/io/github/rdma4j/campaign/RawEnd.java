// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.IntConsumer;

/**
 * One end of a run with queue pairs only. A TCP connection carries the data that both need about each other, followed
 * by one byte: an end that has received everything waits for the other end.
 */
final class RawEnd {
    private static final int ANSWER_MILLIS = 60_000;
    private static final int END_MILLIS = 20_000;

    private RawEnd() {}

    /** @param begin called when both are connected */
    static EndReport client(InetSocketAddress server, Peer.Orders orders, Runnable begin) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(server, ANSWER_MILLIS);
            return talk(1, socket, orders, begin);
        }
    }

    /** @param port gets the server's port */
    static EndReport server(InetSocketAddress address, Peer.Orders orders, IntConsumer port) throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(address);
            port.accept(server.getLocalPort());
            server.setSoTimeout(2 * ANSWER_MILLIS);
            try (Socket socket = server.accept()) {
                return talk(2, socket, orders, () -> {});
            }
        }
    }

    private static EndReport talk(int side, Socket socket, Peer.Orders orders, Runnable begin) throws Exception {
        socket.setSoTimeout(ANSWER_MILLIS);
        socket.setTcpNoDelay(true);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        try (DeviceContext device = DeviceContext.open(Device.list().getFirst().name())) {
            Other other = new Other();
            RawTalk talk = orders.load() == Load.DATAGRAMS
                    ? new Datagrams(side, device, orders, other)
                    : new Pairs(side, device, orders, other);
            byte[] mine = talk.hello();
            out.write(mine);
            talk.connect(in.readNBytes(mine.length));
            out.write(1);
            in.readNBytes(1);
            socket.setSoTimeout(0);
            Thread listener = Thread.ofPlatform().daemon().start(() -> other.listen(in));
            begin.run();
            EndReport report = talk.run();
            if (report.whole()) {
                awaitOther(listener, out);
            }
            return report;
        }
    }

    private static void awaitOther(Thread listener, OutputStream out) throws InterruptedException {
        try {
            out.write(1);
            listener.join(END_MILLIS);
        } catch (IOException e) {
            // It has gone, and has reported why.
        }
    }

    /** The other end's messages over TCP. */
    static final class Other {
        private volatile boolean hasAll;
        private volatile boolean isGone;

        private void listen(InputStream in) {
            try {
                hasAll = in.read() >= 0;
                isGone = !hasAll;
            } catch (IOException e) {
                isGone = true;
            }
        }

        /** {@return whether it has reported that it has received everything} */
        boolean hasAll() {
            return hasAll;
        }

        /** {@return whether it has ended without that} */
        boolean isGone() {
            return isGone;
        }
    }
}
