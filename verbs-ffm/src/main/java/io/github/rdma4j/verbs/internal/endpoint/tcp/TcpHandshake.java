// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What rdma_cm carries as private data, over TCP: the client sends its {@link Hello}, and the server answers with its
 * own, each in {@value #BYTES} bytes. More bytes may follow on both sides. No method waits.
 */
public final class TcpHandshake implements AutoCloseable {
    /** A server's hello with as many of the program's bytes as there can be. */
    public static final int BYTES = Hello.HEADER + EndpointConfig.MAX_PRIVATE_DATA + Hello.LIFE_BYTES;

    /** The most bytes that a side sends behind its hello. */
    public static final int MORE_BYTES = 64;

    private static final int MOST_BYTES = BYTES + MORE_BYTES;

    private static final String GONE = "the other side closed the connection before the handshake was complete";
    /** A server resets the connection if it has not read the hello, and otherwise closes it. */
    private static final String CONNECT_AGAIN =
            "connect again: a server that is closed, or that too many clients connect"
                    + " to at a time, gives up those that are not accepted yet (EndpointServer.counters()). If it happens again,"
                    + " see that an endpoint server, and no other program, listens on this port";

    private static final ValueLayout.OfInt FIRST_WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final StreamSocket socket;
    private final String operation;
    private final MemoryRegion memory = MemoryRegion.withoutAdapter(2L * MOST_BYTES, AccessFlag.LOCAL_WRITE);
    private int sent;
    private int toSend;
    private int received;

    /** @param operation that failures name */
    public TcpHandshake(StreamSocket socket, String operation) {
        this.socket = socket;
        this.operation = operation;
    }

    /** Queues the hello, which {@link #sendRest()} sends. */
    public void queueHello(byte[] hello) {
        MemorySegment.copy(hello, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, hello.length);
        toSend = BYTES;
    }

    /** Queues bytes that {@link #sendRest()} sends behind the hello. */
    public void queueMore(byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, toSend, bytes.length);
        toSend += bytes.length;
    }

    public boolean hasQueued() {
        return toSend > 0;
    }

    /** Whether everything is sent. */
    public boolean sendRest() {
        if (sent < toSend) {
            long more = socket.send(memory.segment(), sent, toSend - sent);
            if (more < 0) {
                throw broken((int) -more);
            }
            sent += (int) more;
        }
        return sent == toSend;
    }

    /**
     * Returns the hello of the other side; null if it is not complete yet. Returns bytes that are no hello at once: the
     * other side may never send as many, for example a client of iWARP, which uses TCP's ports.
     */
    public byte[] receiveHello() {
        return receive(BYTES) ? bytes(0, BYTES) : null;
    }

    /**
     * Returns bytes that the other side has sent behind its hello; null if they are not complete yet.
     *
     * @param from the number of bytes to skip behind the hello
     * @param length the number of bytes
     */
    public byte[] receiveMore(int from, int length) {
        return receive(BYTES + from + length) ? bytes(BYTES + from, length) : null;
    }

    /**
     * Checks that the other side, whose hello is complete, has not closed the connection: a client that does not wait
     * any longer must not be accepted. The other side sends nothing more before it has an answer.
     *
     * @throws VerbsException if it has closed it
     */
    public void requirePeer() {
        receive(BYTES + 1);
    }

    private byte[] bytes(int from, int length) {
        return memory.segment().asSlice(MOST_BYTES + from, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Receives up to a number of bytes. Returns false if some are missing. */
    private boolean receive(int length) {
        while (received < length && !isSomethingElse()) {
            long more = socket.receive(memory.segment(), MOST_BYTES + received, length - received);
            if (more == StreamSocket.END) {
                throw ACCESS.endpointException(operation, GONE, CONNECT_AGAIN);
            }
            if (more < 0) {
                throw broken((int) -more);
            }
            if (more == 0) {
                return false;
            }
            received += (int) more;
        }
        return true;
    }

    private boolean isSomethingElse() {
        return received >= Integer.BYTES && !Hello.isMagic(memory.segment().get(FIRST_WORD, MOST_BYTES));
    }

    private VerbsException broken(int errno) {
        return errno == Errno.ECONNRESET
                ? new VerbsException(operation, errno, GONE, CONNECT_AGAIN)
                : new VerbsException(operation, errno, "", "");
    }

    @Override
    public void close() {
        memory.close();
    }
}
