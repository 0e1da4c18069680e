// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.netlink;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A netlink socket, which the JDK does not have. For use by one thread. */
public final class NetlinkSocket implements AutoCloseable {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_ROUTE = 0;
    private static final int NETLINK_GENERIC = 16;
    private static final int NETLINK_RDMA = 20;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final long LIMIT_SECONDS = 2;
    /** Messages for others may arrive before the answer. */
    private static final int MOST_MESSAGES = 16;

    /** The kernel sends at most this much at once to a receiver with a buffer of this size. */
    private static final int LARGEST = 64 * 1024;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SOCKET = function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SET_OPTION =
            function("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SEND =
            function("send", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle RECEIVE =
            function("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(STATE);
    private final MemorySegment buffer = arena.allocate(LARGEST);
    private final int descriptor;

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    }

    /**
     * To the RDMA subsystem.
     *
     * @throws NetlinkException where the kernel has no such sockets: no RDMA, or none for this container
     */
    public static NetlinkSocket toRdma() throws NetlinkException {
        return new NetlinkSocket(
                NETLINK_RDMA,
                "no RDMA netlink socket can be opened: ib_core is not loaded, or"
                        + " this network namespace may not use it");
    }

    /**
     * To the network subsystem.
     *
     * @throws NetlinkException where this process may not have one
     */
    public static NetlinkSocket toNetwork() throws NetlinkException {
        return new NetlinkSocket(NETLINK_ROUTE, "this process cannot open a netlink socket");
    }

    /**
     * Joins the parts that have a name instead of a number.
     *
     * @throws NetlinkException where this process may not have one
     */
    public static NetlinkSocket toGeneric() throws NetlinkException {
        return new NetlinkSocket(NETLINK_GENERIC, "this process cannot open a generic netlink socket");
    }

    private NetlinkSocket(int part, String failing) throws NetlinkException {
        try {
            descriptor = (int) SOCKET.invokeExact(state, AF_NETLINK, SOCK_RAW_CLOEXEC, part);
            if (descriptor < 0) {
                arena.close();
                throw new NetlinkException(failing);
            }
            MemorySegment limit = arena.allocate(LONG.byteSize() * 2, LONG.byteAlignment());
            limit.set(LONG, 0, LIMIT_SECONDS);
            int _ = (int)
                    SET_OPTION.invokeExact(state, descriptor, SOL_SOCKET, SO_RCVTIMEO, limit, (int) limit.byteSize());
        } catch (NetlinkException | RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new AssertionError("a downcall cannot throw this", failure);
        }
    }

    /** Sends a request. */
    public void send(byte[] message) throws NetlinkException {
        MemorySegment.copy(message, 0, buffer, ValueLayout.JAVA_BYTE, 0, message.length);
        check(call(SEND, message.length), "send");
    }

    /**
     * Receives a message, which the next call overwrites. Waits at most two seconds.
     *
     * @throws NetlinkException if no message arrives
     */
    public ByteBuffer receive() throws NetlinkException {
        long length = check(call(RECEIVE, LARGEST), "recv");
        return buffer.asSlice(0, length).asByteBuffer();
    }

    /**
     * Sends a request for one object, and waits for the answer.
     *
     * @param request with this sequence number
     * @param family the bytes before the attributes of the answer
     * @return the answer's attributes; empty if the kernel does not report the object
     * @throws NetlinkException if the kernel refuses, or does not answer
     */
    public List<NetlinkMessages.Attribute> request(byte[] request, int sequence, int family) throws NetlinkException {
        send(request);
        List<List<NetlinkMessages.Attribute>> messages = new ArrayList<>();
        for (int i = 0; i < MOST_MESSAGES && messages.isEmpty(); i++) {
            if (NetlinkMessages.read(receive(), sequence, family, messages)) {
                break;
            }
        }
        return messages.isEmpty() ? List.of() : messages.getFirst();
    }

    private long call(MethodHandle function, long length) {
        try {
            return (long) function.invokeExact(state, descriptor, buffer, length, 0);
        } catch (Throwable failure) {
            throw new AssertionError("a downcall cannot throw this", failure);
        }
    }

    private long check(long result, String function) throws NetlinkException {
        if (result < 0) {
            throw new NetlinkException("netlink: " + function + " failed (errno " + (int) ERRNO.get(state, 0L) + ")");
        }
        return result;
    }

    @Override
    public void close() {
        try {
            int _ = (int) CLOSE.invokeExact(state, descriptor);
        } catch (Throwable failure) {
            throw new AssertionError("a downcall cannot throw this", failure);
        }
        arena.close();
    }
}
