// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/** The completion counters of rdma-core 65, whose structures are not in the bindings, which are of version 44. */
public final class CompletionCounterCalls {
    private static final int VERSION = 65;
    private static final FunctionDescriptor UPDATE = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG);
    private static final FunctionDescriptor READ = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
    private static final LaterVerbs QUERY_CAPABILITIES = new LaterVerbs(
            "_ibv_query_comp_cntr_caps", VERSION, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
    private static final LaterVerbs CREATE =
            new LaterVerbs("ibv_create_comp_cntr", VERSION, FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final LaterVerbs DESTROY =
            new LaterVerbs("ibv_destroy_comp_cntr", VERSION, FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final LaterVerbs SET = new LaterVerbs("ibv_set_comp_cntr", VERSION, UPDATE);
    private static final LaterVerbs SET_ERRORS = new LaterVerbs("ibv_set_err_comp_cntr", VERSION, UPDATE);
    private static final LaterVerbs INCREASE = new LaterVerbs("ibv_inc_comp_cntr", VERSION, UPDATE);
    private static final LaterVerbs INCREASE_ERRORS = new LaterVerbs("ibv_inc_err_comp_cntr", VERSION, UPDATE);
    private static final LaterVerbs READ_VALUE = new LaterVerbs("ibv_read_comp_cntr", VERSION, READ);
    private static final LaterVerbs READ_ERRORS = new LaterVerbs("ibv_read_err_comp_cntr", VERSION, READ);
    private static final LaterVerbs ATTACH = new LaterVerbs(
            "ibv_qp_attach_comp_cntr", VERSION, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));

    private static final long CAPABILITIES_SIZE = 16;
    private static final long INIT_ATTR_SIZE = 12;
    private static final long INIT_ATTR_TYPE = 4;
    private static final long ATTACH_ATTR_SIZE = 8;
    private static final long ATTACH_ATTR_OPERATIONS = 4;

    private CompletionCounterCalls() {}

    /**
     * ibv_query_comp_cntr_caps(3).
     *
     * @param operation for the message
     * @param context the device's context
     * @return the largest value, the number of counters, the bits of the operations
     */
    public static long[] queryCapabilities(String operation, MemorySegment context) {
        MemorySegment function = QUERY_CAPABILITIES.address();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment capabilities = arena.allocate(CAPABILITIES_SIZE, Long.BYTES);
            Failures.check(operation, (int) QUERY_CAPABILITIES
                    .handle()
                    .invokeExact(function, NativeCalls.capture(), context, capabilities, CAPABILITIES_SIZE));
            return new long[] {
                capabilities.get(JAVA_LONG, 0),
                Integer.toUnsignedLong(capabilities.get(JAVA_INT, Long.BYTES)),
                Integer.toUnsignedLong(capabilities.get(JAVA_INT, Long.BYTES + Integer.BYTES))
            };
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_create_comp_cntr(3).
     *
     * @param operation for the message
     * @param context the device's context
     * @param type of {@code enum ibv_comp_cntr_type}
     * @return the counter, never NULL
     */
    public static MemorySegment create(String operation, MemorySegment context, int type) {
        MemorySegment function = CREATE.address();
        MemorySegment created;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(INIT_ATTR_SIZE, Integer.BYTES);
            attributes.set(JAVA_INT, INIT_ATTR_TYPE, type);
            created = (MemorySegment) CREATE.handle().invokeExact(function, NativeCalls.capture(), context, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
        if (created.address() == 0) {
            throw Failures.of(operation, NativeCalls.lastErrno());
        }
        return created;
    }

    /**
     * ibv_destroy_comp_cntr(3).
     *
     * @param counter the counter
     * @return 0 or an errno
     */
    public static int destroy(MemorySegment counter) {
        MemorySegment function = DESTROY.address();
        try {
            return (int) DESTROY.handle().invokeExact(function, NativeCalls.capture(), counter);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_set_comp_cntr(3), ibv_inc_comp_cntr(3), and the same of the count of errors.
     *
     * @param counter the counter
     * @param ofErrors which of its two counts
     * @param increase whether the value is added
     * @param value to set or to add
     * @return 0 or an errno
     */
    public static int update(MemorySegment counter, boolean ofErrors, boolean increase, long value) {
        LaterVerbs verb = increase ? (ofErrors ? INCREASE_ERRORS : INCREASE) : (ofErrors ? SET_ERRORS : SET);
        MemorySegment function = verb.address();
        try {
            return (int) verb.handle().invokeExact(function, NativeCalls.capture(), counter, value);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_read_comp_cntr(3), ibv_read_err_comp_cntr(3).
     *
     * @param operation for the message
     * @param counter the counter
     * @param ofErrors which of its two counts
     * @return the value
     */
    public static long read(String operation, MemorySegment counter, boolean ofErrors) {
        LaterVerbs verb = ofErrors ? READ_ERRORS : READ_VALUE;
        MemorySegment function = verb.address();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_LONG);
            Failures.check(operation, (int) verb.handle().invokeExact(function, NativeCalls.capture(), counter, value));
            return value.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_qp_attach_comp_cntr(3).
     *
     * @param queuePair the queue pair
     * @param counter the counter
     * @param operations bits of {@code enum ibv_qp_attach_comp_cntr_op}
     * @return 0 or an errno
     */
    public static int attach(MemorySegment queuePair, MemorySegment counter, int operations) {
        MemorySegment function = ATTACH.address();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTACH_ATTR_SIZE, Integer.BYTES);
            attributes.set(JAVA_INT, ATTACH_ATTR_OPERATIONS, operations);
            return (int) ATTACH.handle().invokeExact(function, NativeCalls.capture(), queuePair, counter, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
