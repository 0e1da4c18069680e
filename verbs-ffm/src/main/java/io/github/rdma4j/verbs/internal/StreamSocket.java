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
 * A TCP socket of the kernel's, non-blocking, with the descriptors that pollers of this library wait for. The JDK has
 * the same inside its channels, and tells nobody its descriptor: a thread could not wait for a socket and an adapter
 * together.
 *
 * <p>What is readable when the socket is ready is an epoll(7) instance with this socket in it, since a poller asks for
 * reading only. It is asked again after each event ({@link #arm}), as a completion channel is.
 *
 * <p>Thread safety: none; its owner has a lock.
 */
public final class StreamSocket implements AutoCloseable {
    /** What {@link #receive} gives when the peer has ended its stream. */
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

    /** Of {@code struct tcp_info}, whose fields stay where they are (linux/tcp.h). */
    private static final int INFO_BYTES = 160;

    private static final int INFO_RETRANSMITS = 2;
    private static final int INFO_PROBES = 3;
    private static final int INFO_UNACKED = 24;
    private static final int INFO_LAST_ACK = 56;
    private static final int INFO_NOT_SENT = 144;

    /** A window that is full is asked after again and again; so many questions without an answer are no accident. */
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
    /** Negative of a socket that listens, which is waited for by itself. */
    private final int epoll;

    private final MemorySegment event;
    private final MemorySegment info = Arena.ofAuto().allocate(INFO_BYTES + Long.BYTES, Long.BYTES);
    /** For the two descriptors; null of a socket that listens. */
    private final ReadinessWaiter readable;

    private final ReadinessWaiter eventful;
    private volatile boolean open = true;
    /** Of a socket that listens: a connection for which no second descriptor was left, or -1. */
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
            // The descriptor stays the caller's.
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
     * Begins to connect. {@link #arm} for writing tells when it is decided, and {@link #connectFailure} how.
     *
     * @param operation for the message of an exception
     * @param local where from; null for what the routing table says
     * @param remote where to
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
     * Waits for connections at an address.
     *
     * @param operation for the message of an exception
     * @param address of this machine, or the wildcard address, which takes IPv4 and IPv6 as Java's sockets do; port 0
     *     takes any
     * @param backlog how many the kernel keeps until they are accepted
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
     * Takes a connection, without waiting. One for which the kernel cannot give all that it needs waits for the next
     * call, here or in the kernel.
     *
     * @param operation for the message of an exception
     * @return the connection; null if there is none, or none any more
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel cannot give what it needs ({@link #isShortage}), or
     *     no more come
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
     * Whether a failure of {@link #accept} may be over after a while, and the connection waits for that.
     *
     * @param failure what it has thrown
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
        return Failures.of(operation, errno, "a client waits until there is room for it", "");
    }

    /** -1 if there is none. */
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
                        "the socket listens no more: somebody has ended it, as ss -K does",
                        "close the server, and bind it anew");
            }
            // Of a connection that broke before it was taken accept(2) tells its own error: that is nobody's failure.
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

    /** The number of bytes that the kernel has written behind {@link #info}'s start; 0 if it refuses. */
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

    /** {@return why it did not connect, as an errno; 0 if it has} */
    public int connectFailure() {
        return getOption(SOL_SOCKET, SO_ERROR, Integer.BYTES) == 0 ? Errno.EIO : info.get(JAVA_INT, 0);
    }

    /**
     * Has the kernel ask after a silent peer, whose own kernel answers; whole seconds, one at least each.
     *
     * @param timeout until a dead one is given up, about; the connection then ends with ETIMEDOUT
     */
    public void keepAlive(Duration timeout) {
        int seconds = (int) Math.min(Integer.MAX_VALUE, timeout.toSeconds());
        setOption(IPPROTO_TCP, TCP_KEEPIDLE, Math.clamp(seconds / 2, 1, Short.MAX_VALUE));
        setOption(IPPROTO_TCP, TCP_KEEPINTVL, Math.clamp(seconds / (2 * KEEPALIVES), 1, Short.MAX_VALUE));
        setOption(IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVES);
        setOption(SOL_SOCKET, SO_KEEPALIVE, 1);
    }

    /** {@return whether the peer's kernel has everything that was sent} */
    public boolean isAcknowledged() {
        return getOption(IPPROTO_TCP, TCP_INFO, INFO_BYTES) >= INFO_NOT_SENT + Integer.BYTES
                && info.get(JAVA_INT, INFO_UNACKED) == 0
                && info.get(JAVA_INT, INFO_NOT_SENT) == 0;
    }

    /**
     * Whether the peer's kernel answers, as far as that is known.
     *
     * @param patience in milliseconds
     * @return false if it has acknowledged nothing for so long, though this side's kernel has asked again
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

    /** {@return the peer's address; null if there is none any more} */
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
     * Gives bytes to the kernel, as many as it takes now.
     *
     * @param memory native memory
     * @param offset of the first byte
     * @param length how many
     * @return how many it has taken, 0 if it has no room; a negative errno if the connection is broken
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
     * Takes bytes that have come.
     *
     * @param memory native memory
     * @param offset where the first byte goes
     * @param length the most, above 0
     * @return how many there were, 0 for none; {@link #END} if none will come; a negative errno if the connection is
     *     broken
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

    /** {@return how many wake-ups there were, for {@link #await}} */
    public long wakeUps() {
        return readable.wakeUps();
    }

    /** Ends the waits that are under way. Unlike all else here, any thread may call it, and {@link #await}. */
    public void wakeUp() {
        readable.wakeAll();
        eventful.wakeAll();
    }

    /**
     * Waits until there is something to read, or, if it was armed for that, room to write; a virtual thread holds no
     * carrier meanwhile.
     *
     * @param nanos how long at most
     * @param seen of {@link #wakeUps()}: one that came since then ends the wait
     * @param armed whether to wait for what {@link #arm} has asked for, and not for reading alone
     * @return false if the thread is interrupted
     */
    public boolean await(long nanos, long seen, boolean armed) {
        ReadinessWaiter waiter = armed ? eventful : readable;
        return waiter.await(nanos, seen) != ReadinessWaiter.Outcome.INTERRUPTED;
    }

    /**
     * From now on, what comes makes the descriptor readable, until {@link #takeEvent()}; so does what has come and was
     * not taken.
     *
     * @param writable whether room for writing counts, too
     */
    public void arm(boolean writable) {
        arm(true, writable);
    }

    /**
     * Arms for one of the two directions or both; the end of the connection counts in any case.
     *
     * @param readable whether what comes counts
     * @param writable whether room for writing counts
     */
    public void arm(boolean readable, boolean writable) {
        int events = EPOLLONESHOT | (readable ? FileDescriptors.READABLE : 0) | (writable ? EPOLLOUT : 0);
        FileDescriptors.epollAskAgain(epoll, descriptor, events, 0);
    }

    /** {@return whether there was an event; from now on there is none until it is armed again} */
    public boolean takeEvent() {
        return FileDescriptors.epollWait(epoll, event, 0) > 0;
    }

    /** Ends both directions; what was sent before still arrives. */
    public void shutDown() {
        try {
            int ignored = (int) SHUTDOWN.invokeExact(NativeCalls.capture(), descriptor, SHUT_RDWR);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * What is readable when there is an event.
     *
     * @return the descriptor, which stays this object's
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

    /** Closes it; what was sent before still arrives. Twice does nothing. */
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
