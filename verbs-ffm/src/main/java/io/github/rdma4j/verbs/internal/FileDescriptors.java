// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/**
 * The C library's functions to wait for a file descriptor: ppoll(2), epoll(7), eventfd(2), and fcntl(2) to make reads
 * non-blocking. The JDK uses them internally, but does not expose them.
 */
public final class FileDescriptors {
    /** A persistent {@code EPOLLIN}: reported as long as there is something to read. */
    public static final int READABLE = 0x001;
    /** {@code EPOLLIN | EPOLLONESHOT}: reported once, then silent until it is requested again. */
    public static final int READABLE_ONCE = READABLE | 1 << 30;

    /** Returned instead of a number if the machine does not have the call. */
    static final int NO_SUCH_CALL = -1;
    /** Returned instead of a number if a signal has ended the wait. */
    static final int SIGNALLED = -2;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLL_CTL_MOD = 3;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    private static final short POLLIN = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** {@code struct pollfd}: fd, events, revents. */
    private static final long POLL_FD_SIZE = 8;

    private static final long POLL_EVENTS = 4;

    /**
     * {@code struct epoll_event}: 32 bits of events, then 64 bits of user data. On x86-64 only, it is packed, so that
     * 32-bit programs have the same layout.
     */
    private static final long EPOLL_DATA = System.getProperty("os.arch").equals("aarch64") ? 8 : 4;

    private static final long EPOLL_EVENT_SIZE = EPOLL_DATA + Long.BYTES;

    private static final MethodHandle PPOLL =
            NativeCalls.systemHandle("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle FCNTL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("fcntl"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
                    Linker.Option.firstVariadicArg(2),
                    Linker.Option.captureCallState("errno"));
    private static final MethodHandle EVENTFD =
            NativeCalls.systemHandle("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle READ =
            NativeCalls.systemHandle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE =
            NativeCalls.systemHandle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle CLOSE =
            NativeCalls.systemHandle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CREATE =
            NativeCalls.systemHandle("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL = NativeCalls.systemHandle(
            "epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle EPOLL_WAIT = NativeCalls.systemHandle(
            "epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));

    /** Null on a machine without it: Linux has it since 5.11, the GNU C library since 2.35. */
    private static final FunctionDescriptor WAIT_NANOS =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle EPOLL_WAIT_NANOS =
            NativeCalls.optionalPlainSystemHandle("epoll_pwait2", WAIT_NANOS).orElse(null);
    private static final MethodHandle EPOLL_WAIT_NANOS_WITH_ERRNO =
            NativeCalls.optionalSystemHandle("epoll_pwait2", WAIT_NANOS).orElse(null);

    /**
     * Per thread: the descriptors and the timeout of ppoll. Allocating memory costs as much as the call. The value is
     * of a JDK class: a class of this library would keep the library's class loader alive as long as the thread.
     */
    private static final ThreadLocal<MemorySegment[]> POLL_ARGUMENTS =
            ThreadLocal.withInitial(() -> new MemorySegment[] {
                Arena.ofAuto().allocate(2 * POLL_FD_SIZE, Long.BYTES),
                Arena.ofAuto().allocate(JAVA_LONG, 2)
            });

    private FileDescriptors() {}

    /**
     * Waits until one of two descriptors is readable or has failed, which its next read reports (ppoll(2)).
     *
     * @param first a descriptor
     * @param second another
     * @param nanos the maximum wait; not negative
     * @return false after the timeout; true if one of them is ready, or a signal arrived: check again
     */
    static boolean poll(int first, int second, long nanos) {
        try {
            MemorySegment[] arguments = POLL_ARGUMENTS.get();
            MemorySegment descriptors = arguments[0];
            descriptors.set(JAVA_INT, 0, first);
            descriptors.set(JAVA_SHORT, POLL_EVENTS, POLLIN);
            descriptors.set(JAVA_INT, POLL_FD_SIZE, second);
            descriptors.set(JAVA_SHORT, POLL_FD_SIZE + POLL_EVENTS, POLLIN);
            MemorySegment timeout = arguments[1];
            timeout.setAtIndex(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timeout.setAtIndex(JAVA_LONG, 1, nanos % NANOS_PER_SECOND);
            int ready = (int) PPOLL.invokeExact(NativeCalls.capture(), descriptors, 2L, timeout, MemorySegment.NULL);
            if (ready < 0 && NativeCalls.lastErrno() != EINTR) {
                throw Failures.of("ppoll(" + first + ")", NativeCalls.lastErrno());
            }
            return ready != 0;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Makes reads from a descriptor fail with EAGAIN instead of waiting (fcntl(2), O_NONBLOCK).
     *
     * @param descriptor an open descriptor
     */
    public static void setNonBlocking(int descriptor) {
        try {
            int flags = (int) FCNTL.invokeExact(NativeCalls.capture(), descriptor, F_GETFL, 0);
            int result = flags < 0
                    ? flags
                    : (int) FCNTL.invokeExact(NativeCalls.capture(), descriptor, F_SETFL, flags | O_NONBLOCK);
            if (result < 0) {
                throw Failures.of("fcntl(%d, O_NONBLOCK)".formatted(descriptor), NativeCalls.lastErrno());
            }
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Returns whether an errno of a read from a non-blocking descriptor means that there is no data yet, or that a
     * signal arrived.
     *
     * @param errno the errno of the read
     * @return true if it is not a failure
     */
    public static boolean isNothingYet(int errno) {
        return errno == EAGAIN || errno == EINTR;
    }

    /** {@return a new counter that can be waited for, non-blocking (eventfd(2))} */
    static int createEventFd() {
        try {
            int descriptor = (int) EVENTFD.invokeExact(NativeCalls.capture(), 0, CLOSE_ON_EXEC | O_NONBLOCK);
            return created("eventfd()", descriptor);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Makes an eventfd readable.
     *
     * @param descriptor from {@link #createEventFd()}
     */
    static void signal(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            // A full counter (EAGAIN) is readable already.
            long ignored = (long) WRITE.invokeExact(
                    NativeCalls.capture(), descriptor, arena.allocateFrom(JAVA_LONG, 1L), (long) Long.BYTES);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Makes an eventfd unreadable again.
     *
     * @param descriptor from {@link #createEventFd()}
     * @return whether it was readable
     */
    static boolean drain(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            return (long) READ.invokeExact(
                            NativeCalls.capture(), descriptor, arena.allocate(JAVA_LONG), (long) Long.BYTES)
                    > 0;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Closes a descriptor.
     *
     * @param descriptor made here
     */
    static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(NativeCalls.capture(), descriptor);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /** {@return a new set of descriptors to watch (epoll_create1(2))} */
    static int createEpoll() {
        try {
            return created("epoll_create1()", (int) EPOLL_CREATE.invokeExact(NativeCalls.capture(), CLOSE_ON_EXEC));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static int created(String call, int descriptor) {
        if (descriptor < 0) {
            throw Failures.of(call, NativeCalls.lastErrno());
        }
        return descriptor;
    }

    /**
     * Adds a descriptor to the set.
     *
     * @param epoll the set
     * @param descriptor the descriptor to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key returned when the descriptor is ready
     */
    static void epollAdd(int epoll, int descriptor, int events, long key) {
        int errno = epollControl(epoll, EPOLL_CTL_ADD, descriptor, events, key);
        if (errno != 0) {
            throw Failures.of("epoll_ctl(%d)".formatted(descriptor), errno);
        }
    }

    /**
     * Requests a descriptor, whether it is in the set or not; the kernel checks again whether it is ready.
     *
     * @param epoll the set
     * @param descriptor the descriptor to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key returned when the descriptor is ready
     */
    static void epollAsk(int epoll, int descriptor, int events, long key) {
        if (!epollAskAgain(epoll, descriptor, events, key)) {
            epollAdd(epoll, descriptor, events, key);
        }
    }

    /**
     * Requests a descriptor in the set again; the kernel checks again whether it is ready.
     *
     * @param epoll the set
     * @param descriptor the descriptor to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key returned when the descriptor is ready
     * @return false if it is not in the set
     */
    static boolean epollAskAgain(int epoll, int descriptor, int events, long key) {
        int errno = epollControl(epoll, EPOLL_CTL_MOD, descriptor, events, key);
        if (errno != 0 && errno != Errno.ENOENT) {
            throw Failures.of("epoll_ctl(%d)".formatted(descriptor), errno);
        }
        return errno == 0;
    }

    /** Returns 0 or the errno. */
    private static int epollControl(int epoll, int operation, int descriptor, int events, long key) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(EPOLL_EVENT_SIZE, Long.BYTES);
            event.set(JAVA_INT, 0, events);
            event.set(ValueLayout.JAVA_LONG_UNALIGNED, EPOLL_DATA, key);
            int result = (int) EPOLL_CTL.invokeExact(NativeCalls.capture(), epoll, operation, descriptor, event);
            return result == 0 ? 0 : NativeCalls.lastErrno();
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Removes a descriptor from the set; a closed one has left it already.
     *
     * @param epoll the set
     * @param descriptor the descriptor to remove
     */
    static void epollRemove(int epoll, int descriptor) {
        try {
            int ignored = (int)
                    EPOLL_CTL.invokeExact(NativeCalls.capture(), epoll, EPOLL_CTL_DEL, descriptor, MemorySegment.NULL);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Allocates the buffer for the results of {@link #epollWait}.
     *
     * @param arena the owner of the buffer
     * @param count the number of descriptors that one call can report
     * @return the buffer
     */
    static MemorySegment allocateEvents(Arena arena, int count) {
        return arena.allocate(EPOLL_EVENT_SIZE * count, Long.BYTES);
    }

    /**
     * Waits for descriptors of a set to be ready (epoll_wait(2)).
     *
     * @param epoll the set
     * @param events from {@link #allocateEvents}
     * @param milliseconds how long to wait; 0 does not wait, -1 waits forever
     * @return how many are ready; also 0 if a signal arrived
     */
    static int epollWait(int epoll, MemorySegment events, int milliseconds) {
        try {
            int capacity = (int) (events.byteSize() / EPOLL_EVENT_SIZE);
            int count = (int) EPOLL_WAIT.invokeExact(NativeCalls.capture(), epoll, events, capacity, milliseconds);
            if (count < 0 && NativeCalls.lastErrno() != EINTR) {
                throw Failures.of("epoll_wait()", NativeCalls.lastErrno());
            }
            return Math.max(count, 0);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Waits until descriptors of a set are ready, a signal arrives, or the timeout expires (epoll_pwait2(2)). The first
     * call does not capture errno, which would make it slower; after a failure it is called again with errno, without
     * waiting. If it does not fail again, a signal was the cause.
     *
     * @param timeout two words, which are overwritten
     * @return how many are ready; {@link #SIGNALLED} after a signal, {@link #NO_SUCH_CALL} if this machine has no such
     *     call
     */
    static int epollWaitNanos(int epoll, MemorySegment events, MemorySegment timeout, long nanos) {
        if (EPOLL_WAIT_NANOS == null) {
            return NO_SUCH_CALL;
        }
        try {
            long time = NativeMemory.structure(timeout.address());
            NativeMemory.putLong(time, nanos / NANOS_PER_SECOND);
            NativeMemory.putLong(time + Long.BYTES, nanos % NANOS_PER_SECOND);
            int capacity = (int) (events.byteSize() / EPOLL_EVENT_SIZE);
            int count = (int) EPOLL_WAIT_NANOS.invokeExact(epoll, events.address(), capacity, timeout.address(), 0L);
            if (count < 0) {
                timeout.fill((byte) 0);
                count = (int) EPOLL_WAIT_NANOS_WITH_ERRNO.invokeExact(
                        NativeCalls.capture(), epoll, events.address(), capacity, timeout.address(), 0L);
                count = count == 0 ? SIGNALLED : count;
            }
            Reference.reachabilityFence(events);
            Reference.reachabilityFence(timeout);
            if (count != -1) {
                return count;
            }
            return switch (NativeCalls.lastErrno()) {
                // EPERM is the result of a container's filter that is older than the call.
                case Errno.ENOSYS, Errno.EPERM -> NO_SUCH_CALL;
                default -> throw Failures.of("epoll_pwait2()", NativeCalls.lastErrno());
            };
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Returns the key of a ready descriptor.
     *
     * @param events the buffer that {@link #epollWait} filled
     * @param index less than its result
     * @return the key that it was added with
     */
    static long readyKey(MemorySegment events, int index) {
        long key =
                NativeMemory.getLong(NativeMemory.structure(events.address()) + index * EPOLL_EVENT_SIZE + EPOLL_DATA);
        Reference.reachabilityFence(events);
        return key;
    }
}
