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
 * What the C library offers for waiting on a file descriptor: ppoll(2), epoll(7), eventfd(2), and fcntl(2) to make
 * reading from one return at once. The JDK has all of this inside, and lends it to nobody.
 */
public final class FileDescriptors {
    /** An {@code EPOLLIN} that stays: reported as long as there is something to read. */
    public static final int READABLE = 0x001;
    /** {@code EPOLLIN | EPOLLONESHOT}: reported once, then silent until it is asked for again. */
    public static final int READABLE_ONCE = READABLE | 1 << 30;

    /** In the place of a number: the machine does not have the call. */
    static final int NO_SUCH_CALL = -1;
    /** In the place of a number: a signal has ended the wait. */
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
     * {@code struct epoll_event}: 32 bits of events, then 64 bits of the user's. It is packed on x86-64, where the
     * kernel takes it from programs of 32 bits as it is, and on no other architecture.
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

    /** Null on a machine without it: Linux has it from 5.11 on, the GNU C library from 2.35 on. */
    private static final FunctionDescriptor WAIT_NANOS =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle EPOLL_WAIT_NANOS =
            NativeCalls.optionalPlainSystemHandle("epoll_pwait2", WAIT_NANOS).orElse(null);
    private static final MethodHandle EPOLL_WAIT_NANOS_WITH_ERRNO =
            NativeCalls.optionalSystemHandle("epoll_pwait2", WAIT_NANOS).orElse(null);

    /**
     * Per thread: the descriptors and the timeout of ppoll. Allocating memory costs as much as the call. The value is
     * of a class of the JDK: a class of this library would keep the library's class loader alive as long as the thread.
     */
    private static final ThreadLocal<MemorySegment[]> POLL_ARGUMENTS =
            ThreadLocal.withInitial(() -> new MemorySegment[] {
                Arena.ofAuto().allocate(2 * POLL_FD_SIZE, Long.BYTES),
                Arena.ofAuto().allocate(JAVA_LONG, 2)
            });

    private FileDescriptors() {}

    /**
     * Waits until one of two descriptors can be read, or has failed, which its next read tells (ppoll(2)).
     *
     * @param first a descriptor
     * @param second another
     * @param nanos how long to wait at most; not negative
     * @return false after the time; true if one of them is ready, or a signal came: look again
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
     * Makes reading from a descriptor fail with EAGAIN where it would wait (fcntl(2), O_NONBLOCK).
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
     * Whether an errno of a read from a non-blocking descriptor means that there is nothing yet, or that a signal came.
     *
     * @param errno what the read left
     * @return true if it is no failure
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
     * Puts a descriptor into the set.
     *
     * @param epoll the set
     * @param descriptor what to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key comes back when it is ready
     */
    static void epollAdd(int epoll, int descriptor, int events, long key) {
        int errno = epollControl(epoll, EPOLL_CTL_ADD, descriptor, events, key);
        if (errno != 0) {
            throw Failures.of("epoll_ctl(%d)".formatted(descriptor), errno);
        }
    }

    /**
     * Asks for a descriptor, whether it is in the set or not; the kernel looks anew whether it is ready.
     *
     * @param epoll the set
     * @param descriptor what to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key comes back when it is ready
     */
    static void epollAsk(int epoll, int descriptor, int events, long key) {
        if (!epollAskAgain(epoll, descriptor, events, key)) {
            epollAdd(epoll, descriptor, events, key);
        }
    }

    /**
     * Asks again for a descriptor that is in the set; the kernel looks anew whether it is ready.
     *
     * @param epoll the set
     * @param descriptor what to watch
     * @param events {@link #READABLE} or {@link #READABLE_ONCE}
     * @param key comes back when it is ready
     * @return false if it is not in the set
     */
    static boolean epollAskAgain(int epoll, int descriptor, int events, long key) {
        int errno = epollControl(epoll, EPOLL_CTL_MOD, descriptor, events, key);
        if (errno != 0 && errno != Errno.ENOENT) {
            throw Failures.of("epoll_ctl(%d)".formatted(descriptor), errno);
        }
        return errno == 0;
    }

    /** 0 or the errno. */
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
     * Takes a descriptor out of the set; one that is closed has left it already.
     *
     * @param epoll the set
     * @param descriptor what is not to be watched any more
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
     * Room for the answers of {@link #epollWait}.
     *
     * @param arena that owns it
     * @param count of descriptors that one call can report
     * @return the room
     */
    static MemorySegment allocateEvents(Arena arena, int count) {
        return arena.allocate(EPOLL_EVENT_SIZE * count, Long.BYTES);
    }

    /**
     * Which descriptors of a set are ready (epoll_wait(2)).
     *
     * @param epoll the set
     * @param events from {@link #allocateEvents}
     * @param milliseconds how long to wait, 0 not at all, -1 for ever
     * @return how many are; 0 also when a signal came
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
     * Waits until descriptors of a set are ready, a signal comes, or the time is over (epoll_pwait2(2)). After a
     * failure it is called again, without waiting, by a call that asks for the errno: who succeeds does not pay for
     * that. What does not fail again was a signal.
     *
     * @param timeout two words to write to
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
                // EPERM is what a container's filter says of a call that came after it.
                case Errno.ENOSYS, Errno.EPERM -> NO_SUCH_CALL;
                default -> throw Failures.of("epoll_pwait2()", NativeCalls.lastErrno());
            };
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * The key of a descriptor that is ready.
     *
     * @param events what {@link #epollWait} filled
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
