// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A non-blocking TCP socket of the kernel, with the descriptors that this library's pollers wait for. The JDK's
 * channels hide their descriptors, so a thread could not wait for a socket and an adapter together.
 *
 * <p>The descriptor that is readable when the socket is ready is an epoll(7) instance with this socket in it, because a
 * poller only waits for reading. It must be armed again after each event ({@link #arm}), like a completion channel.
 *
 * <p>Thread safety: none; its owner has a lock.
 */
public final class StreamSocket implements AutoCloseable {
    /** The result of {@link #receive} after the peer has ended its stream. */
    public static final long END = Long.MIN_VALUE;

    private static final int SOCK_STREAM = 1;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;
    private static final int IPPROTO_TCP = 6;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_ERROR = 4;
    private static final int SO_KEEPALIVE = 9;
    private static final int TCP_NODELAY = 1;
    private static final int TCP_KEEPIDLE = 4;
    private static final int TCP_KEEPINTVL = 5;
    private static final int TCP_KEEPCNT = 6;
    private static final int TCP_INFO = 11;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int SHUT_RDWR = 2;
    private static final int EPOLLOUT = 4;
    private static final int EPOLLONESHOT = 1 << 30;
    private static final int ADDRESS_BYTES = 28;
    private static final int ROOM_FOR_ADDRESS = 128;

    /** The size of {@code struct tcp_info}, whose fields keep their offsets (linux/tcp.h). */
    private static final int INFO_BYTES = 160;

    private static final int INFO_RETRANSMITS = 2;
    private static final int INFO_PROBES = 3;
    private static final int INFO_UNACKED = 24;
    private static final int INFO_LAST_ACK = 56;
    private static final int INFO_NOT_SENT = 144;

    /** A full window is probed repeatedly; this many probes without a response are no coincidence. */
    private static final int PROBES_OF_THE_DEAD = 4;

    private static final int KEEPALIVES = 4;

    private static final MethodHandle SOCKET =
            NativeCalls.systemHandle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CONNECT = addressHandle("connect");
    private static final MethodHandle BIND = addressHandle("bind");
    private static final MethodHandle LISTEN =
            NativeCalls.systemHandle("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle ACCEPT =
            NativeCalls.systemHandle("accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle LOCAL = nameHandle("getsockname");
    private static final MethodHandle PEER = nameHandle("getpeername");
    private static final MethodHandle SET_OPTION = NativeCalls.systemHandle(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GET_OPTION = NativeCalls.systemHandle(
            "getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SEND = transferHandle("send");
    private static final MethodHandle RECEIVE = transferHandle("recv");
    private static final MethodHandle SHUTDOWN =
            NativeCalls.systemHandle("shutdown", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private final int descriptor;
    /** Negative for a listening socket, whose own descriptor is waited for. */
    private final int epoll;

    private final MemorySegment event;
    private final MemorySegment info = Arena.ofAuto().allocate(INFO_BYTES + Long.BYTES, Long.BYTES);
    /** Waits for the two descriptors; null for a listening socket. */
    private final ReadinessWaiter readable;

    private final ReadinessWaiter eventful;
    private volatile boolean open = true;
    /** For a listening socket: a connection for which no second descriptor was left, or -1. */
    private int halfAccepted = -1;

    private StreamSocket(int descriptor, boolean listens) {
        this.descriptor = descriptor;
        if (listens) {
            epoll = -1;
            event = null;
            readable = null;
            eventful = null;
            return;
        }
        int created = -1;
        try {
            setOption(IPPROTO_TCP, TCP_NODELAY, 1);
            created = FileDescriptors.createEpoll();
            FileDescriptors.epollAdd(created, descriptor, EPOLLONESHOT, 0);
            event = FileDescriptors.allocateEvents(Arena.ofAuto(), 1);
        } catch (Throwable e) {
            // The caller still owns the descriptor.
            if (created >= 0) {
                FileDescriptors.close(created);
            }
            throw e;
        }
        epoll = created;
        readable = new ReadinessWaiter(descriptor);
        eventful = new ReadinessWaiter(created);
    }

    private static MethodHandle addressHandle(String name) {
        return NativeCalls.systemHandle(name, FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    }

    private static MethodHandle nameHandle(String name) {
        return NativeCalls.systemHandle(name, FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    }

    private static MethodHandle transferHandle(String name) {
        return NativeCalls.systemHandle(name, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    }

    private static int family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ? AF_INET6 : AF_INET;
    }

    private static int create(String operation, InetSocketAddress address) {
        try {
            int created = (int) SOCKET.invokeExact(
                    NativeCalls.capture(), family(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            if (created < 0) {
                throw Failures.of(operation, NativeCalls.lastErrno());
            }
            return created;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Starts to connect. {@link #arm} for writing reports the end of the attempt, and {@link #connectFailure} its
     * result.
     *
     * @param operation for the message of an exception
     * @param local the local address; null for the routing table's choice
     * @param remote the address to connect to
     * @return the socket
     */
    public static StreamSocket connect(String operation, InetSocketAddress local, InetSocketAddress remote) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = SocketAddresses.write(arena, remote);
            InetSocketAddress source = SocketAddresses.toConnectFrom(local, remote);
            StreamSocket socket = ofDescriptor(create(operation, remote));
            try {
                if (source != null) {
                    socket.named(operation, BIND, SocketAddresses.write(arena, source));
                }
                int result = (int) CONNECT.invokeExact(NativeCalls.capture(), socket.descriptor, target, ADDRESS_BYTES);
                if (result != 0 && NativeCalls.lastErrno() != Errno.EINPROGRESS) {
                    throw Failures.of(operation, NativeCalls.lastErrno());
                }
                return socket;
            } catch (Throwable e) {
                socket.close();
                throw NativeCalls.unexpected(e);
            }
        }
    }

    private static StreamSocket ofDescriptor(int descriptor) {
        try {
            return new StreamSocket(descriptor, false);
        } catch (Throwable e) {
            FileDescriptors.close(descriptor);
            throw e;
        }
    }

    /**
     * Listens for connections at an address.
     *
     * @param operation for the message of an exception
     * @param address of this machine, or the wildcard address, which accepts IPv4 and IPv6 like Java's sockets; port 0
     *     selects a free port
     * @param backlog how many connections the kernel keeps until they are accepted
     * @return the socket, which is itself readable when there is one
     */
    public static StreamSocket listen(String operation, InetSocketAddress address, int backlog) {
        try (Arena arena = Arena.ofConfined()) {
            InetSocketAddress local = SocketAddresses.toBind(address);
            MemorySegment name = SocketAddresses.write(arena, local);
            StreamSocket socket = new StreamSocket(create(operation, local), true);
            try {
                socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1);
                if (family(local) == AF_INET6) {
                    socket.setOption(IPPROTO_IPV6, IPV6_V6ONLY, 0);
                }
                socket.named(operation, BIND, name);
                int result = (int) LISTEN.invokeExact(NativeCalls.capture(), socket.descriptor, backlog);
                if (result != 0) {
                    throw Failures.of(operation, NativeCalls.lastErrno());
                }
                return socket;
            } catch (Throwable e) {
                socket.close();
                throw NativeCalls.unexpected(e);
            }
        }
    }

    private void named(String operation, MethodHandle call, MemorySegment name) throws Throwable {
        int result = (int) call.invokeExact(NativeCalls.capture(), descriptor, name, ADDRESS_BYTES);
        if (result != 0) {
            throw Failures.of(operation, NativeCalls.lastErrno());
        }
    }

    /**
     * Accepts a connection, without waiting. If the kernel lacks resources for a connection, the connection waits for
     * the next call, here or in the kernel.
     *
     * @param operation for the message of an exception
     * @return the connection; null if there is none
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel lacks resources ({@link #isShortage}), or the socket
     *     no longer listens
     */
    public StreamSocket accept(String operation) {
        int accepted = halfAccepted >= 0 ? halfAccepted : acceptDescriptor(operation);
        if (accepted < 0) {
            return null;
        }
        halfAccepted = -1;
        try {
            return new StreamSocket(accepted, false);
        } catch (VerbsException e) {
            if (isShortage(e)) {
                halfAccepted = accepted;
                throw clientWaits(operation, e.errno());
            }
            FileDescriptors.close(accepted);
            throw e;
        } catch (Throwable e) {
            FileDescriptors.close(accepted);
            throw e;
        }
    }

    /**
     * Returns whether a failure of {@link #accept} may be temporary; the connection then waits.
     *
     * @param failure the exception of {@link #accept}
     * @return whether there was no descriptor or no memory
     */
    public static boolean isShortage(VerbsException failure) {
        return isShortage(failure.errno());
    }

    private static boolean isShortage(int errno) {
        return switch (errno) {
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.ENOBUFS -> true;
            default -> false;
        };
    }

    private static VerbsException clientWaits(String operation, int errno) {
        return Failures.of(operation, errno, "a client waits until there are resources for it", "");
    }

    /** Returns -1 if there is none. */
    private int acceptDescriptor(String operation) {
        try {
            int accepted = (int) ACCEPT.invokeExact(
                    NativeCalls.capture(),
                    descriptor,
                    MemorySegment.NULL,
                    MemorySegment.NULL,
                    SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (accepted >= 0) {
                return accepted;
            }
            int errno = NativeCalls.lastErrno();
            if (errno == Errno.EINVAL) {
                throw Failures.of(
                        operation,
                        errno,
                        "the socket no longer listens: another program, such as ss -K, has ended it",
                        "close the server, and bind it again");
            }
            // accept(2) reports the error of a connection that broke before it was accepted; that is not a failure of
            // the listening socket.
            if (isShortage(errno)) {
                throw clientWaits(operation, errno);
            }
            return -1;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private void setOption(int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) SET_OPTION.invokeExact(
                    NativeCalls.capture(),
                    descriptor,
                    level,
                    option,
                    arena.allocateFrom(JAVA_INT, value),
                    Integer.BYTES);
            if (result != 0) {
                throw Failures.of("setsockopt(%d, %d)".formatted(level, option), NativeCalls.lastErrno());
            }
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /** Returns the number of bytes that the kernel has written to {@link #info}; 0 if it refuses. */
    private int getOption(int level, int option, int size) {
        try {
            MemorySegment length = info.asSlice(INFO_BYTES);
            length.set(JAVA_INT, 0, size);
            int result = (int) GET_OPTION.invokeExact(NativeCalls.capture(), descriptor, level, option, info, length);
            return result == 0 ? length.get(JAVA_INT, 0) : 0;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /** {@return the errno of a failed connect; 0 if it succeeded} */
    public int connectFailure() {
        return getOption(SOL_SOCKET, SO_ERROR, Integer.BYTES) == 0 ? NativeCalls.lastErrno() : info.get(JAVA_INT, 0);
    }

    /**
     * Makes the kernel probe a silent peer, whose kernel responds; in whole seconds, at least one each.
     *
     * @param timeout the approximate time until a dead peer is detected; the connection then ends with ETIMEDOUT
     */
    public void keepAlive(Duration timeout) {
        int seconds = (int) Math.min(Integer.MAX_VALUE, timeout.toSeconds());
        setOption(IPPROTO_TCP, TCP_KEEPIDLE, Math.clamp(seconds / 2, 1, Short.MAX_VALUE));
        setOption(IPPROTO_TCP, TCP_KEEPINTVL, Math.clamp(seconds / (2 * KEEPALIVES), 1, Short.MAX_VALUE));
        setOption(IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVES);
        setOption(SOL_SOCKET, SO_KEEPALIVE, 1);
    }

    /** {@return whether the peer's kernel has received everything that was sent} */
    public boolean isAcknowledged() {
        return getOption(IPPROTO_TCP, TCP_INFO, INFO_BYTES) >= INFO_NOT_SENT + Integer.BYTES
                && info.get(JAVA_INT, INFO_UNACKED) == 0
                && info.get(JAVA_INT, INFO_NOT_SENT) == 0;
    }

    /**
     * Returns whether the peer's kernel responds, as far as that is known.
     *
     * @param patience in milliseconds
     * @return false if it has acknowledged nothing for that long, although this side's kernel has probed it
     */
    public boolean peerAnswers(long patience) {
        if (getOption(IPPROTO_TCP, TCP_INFO, INFO_BYTES) < INFO_LAST_ACK + Integer.BYTES) {
            return false;
        }
        boolean asksAgain = info.get(JAVA_INT, INFO_UNACKED) != 0 && info.get(JAVA_BYTE, INFO_RETRANSMITS) != 0
                || Byte.toUnsignedInt(info.get(JAVA_BYTE, INFO_PROBES)) >= PROBES_OF_THE_DEAD;
        return !asksAgain || Integer.toUnsignedLong(info.get(JAVA_INT, INFO_LAST_ACK)) < patience;
    }

    /** {@return this side's address; null if there is none} */
    public InetSocketAddress localAddress() {
        return name(LOCAL);
    }

    /** {@return the peer's address; null if there is none any longer} */
    public InetSocketAddress peerAddress() {
        return name(PEER);
    }

    private InetSocketAddress name(MethodHandle call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(ROOM_FOR_ADDRESS, Long.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, ROOM_FOR_ADDRESS);
            int result = (int) call.invokeExact(NativeCalls.capture(), descriptor, room, length);
            return result == 0 ? SocketAddresses.read(room).orElse(null) : null;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Sends as many bytes as the kernel accepts now.
     *
     * @param memory native memory
     * @param offset of the first byte
     * @param length the number of bytes
     * @return how many it has accepted, 0 if its buffer is full; a negative errno if the connection is broken
     */
    public long send(MemorySegment memory, long offset, long length) {
        try {
            long sent = (long) SEND.invokeExact(
                    NativeCalls.capture(), descriptor, memory.asSlice(offset, length), length, MSG_NOSIGNAL);
            return sent < 0 ? nothingYetOr(NativeCalls.lastErrno()) : sent;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static long nothingYetOr(int errno) {
        return FileDescriptors.isNothingYet(errno) ? 0 : -errno;
    }

    /**
     * Receives bytes that have arrived.
     *
     * @param memory native memory
     * @param offset the position of the first byte
     * @param length the maximum number of bytes, above 0
     * @return the number of bytes, 0 for none; {@link #END} after the end of the stream; a negative errno if the
     *     connection is broken
     */
    public long receive(MemorySegment memory, long offset, long length) {
        try {
            long received = (long)
                    RECEIVE.invokeExact(NativeCalls.capture(), descriptor, memory.asSlice(offset, length), length, 0);
            if (received < 0) {
                return nothingYetOr(NativeCalls.lastErrno());
            }
            return received == 0 ? END : received;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Returns the number of wake-ups so far, for {@link #await}. An interrupt of a thread that waits counts only for
     * waits of the same kind.
     *
     * @param armed as in the call of {@link #await}
     * @return the number
     */
    public long wakeUps(boolean armed) {
        return waiter(armed).wakeUps();
    }

    private ReadinessWaiter waiter(boolean armed) {
        return armed ? eventful : readable;
    }

    /**
     * Ends the waits in progress. Unlike the other methods, this one and {@link #await} may be called from any thread.
     */
    public void wakeUp() {
        readable.wakeAll();
        eventful.wakeAll();
    }

    /**
     * Waits until there is something to read or, if armed for it, space to write; a virtual thread releases its carrier
     * meanwhile.
     *
     * @param nanos the maximum wait
     * @param seen the result of {@link #wakeUps}: a later wake-up ends the wait
     * @param armed whether to wait for the directions of {@link #arm}, and not only for reading
     * @return false if the thread is interrupted
     */
    public boolean await(long nanos, long seen, boolean armed) {
        return waiter(armed).await(nanos, seen) != ReadinessWaiter.Outcome.INTERRUPTED;
    }

    /**
     * Arms the socket: data that arrives, or has arrived and was not read, makes the descriptor readable until
     * {@link #takeEvent()}.
     *
     * @param writable whether space for writing also counts
     */
    public void arm(boolean writable) {
        arm(true, writable);
    }

    /**
     * Arms the socket for one or both directions; the end of the connection always counts.
     *
     * @param readable whether arriving data counts
     * @param writable whether space for writing counts
     */
    public void arm(boolean readable, boolean writable) {
        int events = EPOLLONESHOT | (readable ? FileDescriptors.READABLE : 0) | (writable ? EPOLLOUT : 0);
        FileDescriptors.epollAsk(epoll, descriptor, events, 0);
    }

    /**
     * Makes the descriptor readable whenever there is something to read, or space to write, for as long as there is,
     * until {@link #arm} or {@link #reportNothing}. The end of the connection is something to read.
     *
     * @param readable whether data counts
     * @param writable whether space for writing counts
     */
    public void report(boolean readable, boolean writable) {
        int events = (readable ? FileDescriptors.READABLE : 0) | (writable ? EPOLLOUT : 0);
        FileDescriptors.epollAsk(epoll, descriptor, events, 0);
    }

    /** Keeps the descriptor from becoming readable. */
    public void reportNothing() {
        FileDescriptors.epollRemove(epoll, descriptor);
    }

    /** {@return whether there was an event; there are no more events until it is armed again} */
    public boolean takeEvent() {
        return FileDescriptors.epollWait(epoll, event, 0) > 0;
    }

    /** Shuts down both directions; data that was sent before still arrives. */
    public void shutDown() {
        try {
            int ignored = (int) SHUTDOWN.invokeExact(NativeCalls.capture(), descriptor, SHUT_RDWR);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Returns the descriptor that is readable when there is an event.
     *
     * @return the descriptor, which this object owns
     */
    public int fileDescriptor() {
        if (!open) {
            throw new IllegalStateException("the socket is closed");
        }
        return epoll >= 0 ? epoll : descriptor;
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public boolean isOpen() {
        return open;
    }

    /** Closes the socket; data that was sent before still arrives. Does nothing if it is closed already. */
    @Override
    public void close() {
        if (open) {
            open = false;
            if (epoll >= 0) {
                readable.close();
                eventful.close();
                FileDescriptors.close(epoll);
            }
            if (halfAccepted >= 0) {
                FileDescriptors.close(halfAccepted);
            }
            FileDescriptors.close(descriptor);
        }
    }
}
