// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl.internal;

import io.github.rdma4j.gpudirect.nccl.NcclUnavailableException;
import io.github.rdma4j.gpudirect.nccl.NcclUnavailableException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The functions of one library. Collectives and point-to-point calls are exact calls. Functions that create and end
 * communicators take milliseconds, and use {@link #call}.
 */
public final class NcclCalls {
    /** Names a library file to use instead of the system's; tests select their stand-in with it. */
    public static final String PROPERTY = "io.github.rdma4j.nccl.library";

    private static final Map<String, NcclCalls> OPENED = new ConcurrentHashMap<>();
    private static final long LONGEST_TEXT = 4096;

    private final NcclLibrary library;
    private final MethodHandle[] handles = new MethodHandle[NcclFunction.values().length];
    private final int version;

    private NcclCalls(NcclLibrary library) {
        this.library = library;
        for (NcclFunction function : NcclFunction.values()) {
            handles[function.ordinal()] = library.find(function);
        }
        // The basic functions. They are not a static field, because their bindings need native access; if that is
        // denied, opening the library has already failed.
        List<NcclFunction> first = List.of(
                NcclFunction.GET_VERSION,
                NcclFunction.GET_ERROR_STRING,
                NcclFunction.GET_UNIQUE_ID,
                NcclFunction.COMM_INIT_RANK,
                NcclFunction.COMM_DESTROY,
                NcclFunction.COMM_ABORT,
                NcclFunction.COMM_GET_ASYNC_ERROR,
                NcclFunction.GROUP_START,
                NcclFunction.GROUP_END,
                NcclFunction.ALL_REDUCE);
        for (NcclFunction function : first) {
            if (!has(function)) {
                throw new NcclUnavailableException(
                        Reason.LIBRARY_TOO_OLD,
                        library.file() + " has no " + function.symbol(),
                        "install NCCL 2.4 or later");
            }
        }
        version = askVersion();
    }

    /**
     * Returns the selected library. After a failure, the next call tries again.
     *
     * @return its functions
     * @throws NcclUnavailableException if it cannot be opened, or is too old
     */
    public static NcclCalls require() {
        return OPENED.computeIfAbsent(
                System.getProperty(PROPERTY, NcclLibrary.SONAME), file -> new NcclCalls(NcclLibrary.open(file)));
    }

    private int askVersion() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
            int result = call(NcclFunction.GET_VERSION, number.address());
            if (result != 0) {
                throw new NcclUnavailableException(
                        Reason.LIBRARY_TOO_OLD,
                        library.file() + " does not report its version: ncclGetVersion() returned " + result,
                        "install NCCL again");
            }
            return number.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /** {@return the file of the library} */
    public String file() {
        return library.file();
    }

    /** {@return its version, as NCCL_VERSION_CODE} */
    public int version() {
        return version;
    }

    /** {@return whether the library has a function} */
    public boolean has(NcclFunction function) {
        return handles[function.ordinal()] != null;
    }

    /** Calls a function for which {@link #has} is true, with arguments of exactly the types of its signature. */
    public int call(NcclFunction function, Object... arguments) {
        try {
            return (int) handles[function.ordinal()].invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls a function of two pointers exactly, because ncclCommGetAsyncError is called repeatedly. */
    public int pair(NcclFunction function, long first, long second) {
        try {
            return (int) handles[function.ordinal()].invokeExact(first, second);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls ncclGroupStart or ncclGroupEnd. */
    public int group(NcclFunction function) {
        try {
            return (int) handles[function.ordinal()].invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls a function with two addresses, a count, a type, and one more number: an operation or a rank. */
    public int collective(
            NcclFunction function,
            long send,
            long receive,
            long count,
            int type,
            int number,
            long communicator,
            long stream) {
        try {
            return (int)
                    handles[function.ordinal()].invokeExact(send, receive, count, type, number, communicator, stream);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls ncclAllGather or ncclAlltoAll. */
    public int collective(
            NcclFunction function, long send, long receive, long count, int type, long communicator, long stream) {
        try {
            return (int) handles[function.ordinal()].invokeExact(send, receive, count, type, communicator, stream);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls ncclReduce. */
    public int reduce(
            long send, long receive, long count, int type, int operation, int root, long communicator, long stream) {
        try {
            return (int) handles[NcclFunction.REDUCE.ordinal()].invokeExact(
                    send, receive, count, type, operation, root, communicator, stream);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls ncclSend or ncclRecv. */
    public int peer(
            NcclFunction function, long address, long count, int type, int peer, long communicator, long stream) {
        try {
            return (int) handles[function.ordinal()].invokeExact(address, count, type, peer, communicator, stream);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns NCCL's text for a result. */
    public String errorString(int result) {
        try {
            return text((long) handles[NcclFunction.GET_ERROR_STRING.ordinal()].invokeExact(result));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns NCCL's text for its last error; an empty string if there is none, or NCCL is too old. */
    public String lastError(long communicator) {
        if (!has(NcclFunction.GET_LAST_ERROR)) {
            return "";
        }
        try {
            return text((long) handles[NcclFunction.GET_LAST_ERROR.ordinal()].invokeExact(communicator));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns a C string; empty for a null pointer. */
    public static String text(long address) {
        return address == 0
                ? ""
                : MemorySegment.ofAddress(address)
                        .reinterpret(LONGEST_TEXT)
                        .getString(0)
                        .strip();
    }

    /** For the catch clause around a downcall, which declares Throwable. */
    private static AssertionError unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            throw exception;
        }
        return new AssertionError("a downcall cannot throw this", e);
    }
}
