// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.endpoint.TcpPair;
import io.github.rdma4j.verbs.internal.StreamSocket;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests and answers of one connection: their order and acknowledgement, and how long the peer may read nothing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpOutputTest {
    private static final int MOST = 2;

    private final MemoryRegion buffer = MemoryRegion.withoutAdapter(4096, AccessFlag.LOCAL_WRITE);
    private final MemoryRegion large = MemoryRegion.withoutAdapter(1 << 26, AccessFlag.LOCAL_WRITE);
    private StreamSocket socket;
    private Socket peer;
    private DataInputStream in;
    private TcpOutput output;

    @BeforeEach
    void connect() throws IOException {
        try (StreamSocket listener = StreamSocket.listen("listening", TcpPair.ANY_PORT, 1)) {
            InetSocketAddress address = listener.localAddress();
            peer = new Socket(address.getAddress(), address.getPort());
            in = new DataInputStream(peer.getInputStream());
            while (socket == null) {
                socket = listener.accept("accepting");
            }
        }
        output = new TcpOutput(socket, buffer.segment(), MOST, MOST);
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        socket.close();
        buffer.close();
        large.close();
    }

    private void read() {
        output.request(TcpFrame.READ, 0, 0, 8, 0, 0, null, 0);
    }

    /** Kind and count of the next frame. */
    private String next() throws IOException {
        MemorySegment header = MemorySegment.ofArray(in.readNBytes(TcpFrame.HEADER));
        byte kind = TcpFrame.kind(header, 0);
        in.readNBytes(TcpFrame.size(kind) - TcpFrame.HEADER);
        in.readNBytes(TcpFrame.hasData(kind) ? TcpFrame.length(header, 0) : 0);
        return kind + " " + TcpFrame.count(header, 0);
    }

    @Test
    void answersOvertakeReadsThatAreHeldBackAndNoOthers() throws IOException {
        for (int i = 0; i < MOST + 1; i++) {
            read();
        }
        output.message(0, null, 0, 0);
        output.answer(7);
        assertThat(output.send()).isZero();
        assertThat(next()).isEqualTo(TcpFrame.READ + " 0");
        assertThat(next()).isEqualTo(TcpFrame.READ + " 0");
        assertThat(next()).isEqualTo(TcpFrame.VALUE + " 0");
        assertThat(output.isBlocked())
                .as("waits for the peer and not for the kernel")
                .isFalse();
        output.answered();
        assertThat(output.send()).isZero();
        assertThat(next()).isEqualTo(TcpFrame.READ + " 1");
        assertThat(next()).isEqualTo(TcpFrame.MESSAGE + " 1");
    }

    @Test
    void acknowledgementIsSentThoughReadsAreHeldBack() throws IOException {
        for (int i = 0; i < MOST + 1; i++) {
            read();
        }
        output.send();
        output.served();
        output.acknowledge();
        output.send();
        assertThat(next()).isEqualTo(TcpFrame.READ + " 0");
        assertThat(next()).isEqualTo(TcpFrame.READ + " 0");
        assertThat(next()).isEqualTo(TcpFrame.ACKNOWLEDGEMENT + " 1");
        assertThat(output.owed()).isZero();
    }

    @Test
    void countNeverIncludesAnAnswerThatWaits() throws IOException {
        output.served();
        output.answer(large, 0, (int) large.length());
        output.answer(7);
        output.served();
        assertThat(output.isFull()).isTrue();
        assertThat(output.owed()).isEqualTo(1);
        output.send();
        assertThat(output.isBlocked()).isTrue();
        assertThat(output.owed()).as("behind the answer that has begun").isZero();
        output.message(0, null, 0, 0);
        Thread sender = Thread.ofVirtual().start(() -> {
            while (output.isBlocked()) {
                output.send();
                Thread.onSpinWait();
            }
        });
        assertThat(next()).isEqualTo(TcpFrame.DATA + " 1");
        assertThat(next()).isEqualTo(TcpFrame.VALUE + " 2");
        assertThat(next()).isEqualTo(TcpFrame.MESSAGE + " 4");
        join(sender);
        assertThat(output.isFull()).isFalse();
        assertThat(output.owed()).isZero();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void timeCountsOnlyWhileAnAnswerWaitsAndThePeerReadsNothing() throws IOException {
        output.message(0, large.segment(), 0, (int) large.length());
        output.send();
        assertThat(output.isBlocked()).isTrue();
        assertThat(output.stalled(0, 10)).isZero();
        assertThat(output.stalled(10, 10)).as("a message is no answer").isZero();
        output.answer(7);
        assertThat(output.stalled(20, 10)).isZero();
        assertThat(output.stalled(25, 10)).isEqualTo(5);
        assertThat(output.stalled(1000, 10)).as("this side has stood still").isEqualTo(15);
        assertThat(output.stalled(1010, 10)).isEqualTo(25);
        // The kernel reports a socket writable only when much space is free.
        long more = large.length() / 2;
        while (more > 0) {
            more -= in.skip(Math.min(more, in.available()));
            output.send();
        }
        assertThat(output.stalled(1020, 10)).as("the peer has read").isZero();
    }
}
