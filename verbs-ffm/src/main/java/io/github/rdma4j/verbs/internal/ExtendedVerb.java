// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.ColdCalls.word;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

/**
 * The verbs outside the hot path that verbs.h makes inline through {@code struct verbs_context}: domains, flow rules,
 * counters, work queues, extended queries.
 */
public enum ExtendedVerb {
    /** ibv_alloc_td(3). */
    ALLOC_TD(verbs_context.alloc_td$offset()),
    /** ibv_dealloc_td(3). */
    DEALLOC_TD(verbs_context.dealloc_td$offset()),
    /** ibv_alloc_parent_domain(3). */
    ALLOC_PARENT_DOMAIN(verbs_context.alloc_parent_domain$offset()),
    /** ibv_open_xrcd(3). */
    OPEN_XRCD(verbs_context.open_xrcd$offset()),
    /** ibv_close_xrcd(3). */
    CLOSE_XRCD(verbs_context.close_xrcd$offset()),
    /** ibv_create_flow(3). */
    CREATE_FLOW(verbs_context.ibv_create_flow$offset()),
    /** ibv_destroy_flow(3). */
    DESTROY_FLOW(verbs_context.ibv_destroy_flow$offset()),
    /** ibv_create_flow_action_esp(3). */
    CREATE_FLOW_ACTION_ESP(verbs_context.create_flow_action_esp$offset()),
    /** ibv_modify_flow_action_esp(3). */
    MODIFY_FLOW_ACTION_ESP(verbs_context.modify_flow_action_esp$offset()),
    /** ibv_destroy_flow_action(3). */
    DESTROY_FLOW_ACTION(verbs_context.destroy_flow_action$offset()),
    /** ibv_create_counters(3). */
    CREATE_COUNTERS(verbs_context.create_counters$offset()),
    /** ibv_destroy_counters(3). */
    DESTROY_COUNTERS(verbs_context.destroy_counters$offset()),
    /** ibv_attach_counters_point_flow(3). */
    ATTACH_COUNTERS_POINT_FLOW(verbs_context.attach_counters_point_flow$offset()),
    /** ibv_read_counters(3). */
    READ_COUNTERS(verbs_context.read_counters$offset()),
    /** ibv_create_srq_ex(3), for what ibv_create_srq(3) cannot create. */
    CREATE_SRQ_EX(verbs_context.create_srq_ex$offset()),
    /** ibv_get_srq_num(3). */
    GET_SRQ_NUM(verbs_context.get_srq_num$offset()),
    /** ibv_post_srq_ops(3). */
    POST_SRQ_OPS(verbs_context.post_srq_ops$offset()),
    /** ibv_create_wq(3), without what the inline function does to the structure after it. */
    CREATE_WQ(verbs_context.create_wq$offset()),
    /** ibv_modify_wq(3). */
    MODIFY_WQ(verbs_context.modify_wq$offset()),
    /** ibv_destroy_wq(3). */
    DESTROY_WQ(verbs_context.destroy_wq$offset()),
    /** ibv_create_rwq_ind_table(3). */
    CREATE_RWQ_IND_TABLE(verbs_context.create_rwq_ind_table$offset()),
    /** ibv_destroy_rwq_ind_table(3). */
    DESTROY_RWQ_IND_TABLE(verbs_context.destroy_rwq_ind_table$offset()),
    /** ibv_modify_qp_rate_limit(3). */
    MODIFY_QP_RATE_LIMIT(verbs_context.modify_qp_rate_limit$offset()),
    /** ibv_query_device_ex(3). */
    QUERY_DEVICE_EX(verbs_context.query_device_ex$offset()),
    /** ibv_query_port(3). */
    QUERY_PORT(verbs_context.query_port$offset()),
    /** ibv_query_rt_values_ex(3). */
    QUERY_RT_VALUES(verbs_context.query_rt_values$offset());

    private final long offset;

    ExtendedVerb(long offset) {
        this.offset = offset;
    }

    /**
     * Returns whether this library and this provider have the verb. A provider can have an entry that only refuses.
     *
     * @param context the device's context
     * @return whether there is an entry
     */
    public boolean isThere(MemorySegment context) {
        return entry(context).address() != 0;
    }

    /**
     * Creates an object, by a verb of the shape {@code struct x *verb(struct y *, struct x_attr *)}.
     *
     * @param operation the verb with its arguments, for the message
     * @param context the device's context
     * @param subject the first argument
     * @param attributes the second
     * @return the object, never NULL
     */
    public MemorySegment create(
            String operation, MemorySegment context, MemorySegment subject, MemorySegment attributes) {
        return create(operation, context, subject, attributes, errno -> Failures.of(operation, errno));
    }

    /**
     * Creates an object whose refusal has causes of its own; see {@link #create(String, MemorySegment, MemorySegment,
     * MemorySegment)}.
     *
     * @param operation the verb with its arguments, for the message
     * @param context the device's context
     * @param subject the first argument
     * @param attributes the second
     * @param refused explains the errno of the verb
     * @return the object, never NULL
     */
    public MemorySegment create(
            String operation,
            MemorySegment context,
            MemorySegment subject,
            MemorySegment attributes,
            IntFunction<VerbsException> refused) {
        MemorySegment entry = entry(context);
        if (entry.address() == 0) {
            throw Failures.of(operation, Errno.EOPNOTSUPP);
        }
        MemorySegment created = ColdCalls.pointer(entry, subject, attributes);
        if (created.address() == 0) {
            throw refused.apply(NativeCalls.lastErrno());
        }
        return created;
    }

    /**
     * Calls a verb of the shape {@code int verb(struct x *)}.
     *
     * @param context the device's context
     * @param subject the argument
     * @return 0 or an errno
     */
    public int call(MemorySegment context, MemorySegment subject) {
        MemorySegment entry = entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, subject);
    }

    /**
     * Calls a verb of the shape {@code int verb(struct x *, struct y *)}.
     *
     * @param context the device's context
     * @param subject the first argument
     * @param argument the second
     * @return 0 or an errno
     */
    public int call(MemorySegment context, MemorySegment subject, MemorySegment argument) {
        MemorySegment entry = entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, subject, argument);
    }

    /**
     * Calls a verb of the shape {@code int verb(struct x *, struct y *, struct z *)}.
     *
     * @param context the device's context
     * @param subject the first argument
     * @param first the second
     * @param second the third
     * @return 0 or an errno
     */
    public int call(MemorySegment context, MemorySegment subject, MemorySegment first, MemorySegment second) {
        MemorySegment entry = entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, subject, first, second);
    }

    /**
     * ibv_read_counters(3); only for {@link #READ_COUNTERS}.
     *
     * @param context the device's context
     * @param counters the object
     * @param values receives the values, 64 bits each
     * @param count how many
     * @param flags of {@code enum ibv_read_counters_flags}
     * @return 0 or an errno
     */
    public static int readCounters(
            MemorySegment context, MemorySegment counters, MemorySegment values, int count, int flags) {
        MemorySegment entry = READ_COUNTERS.entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, counters, values, word(count), word(flags));
    }

    /**
     * The provider's part of ibv_query_device_ex(3).
     *
     * @param context the device's context
     * @param attributes a zeroed {@code struct ibv_device_attr_ex}; its size goes along
     * @return 0 or an errno
     */
    public static int queryDevice(MemorySegment context, MemorySegment attributes) {
        MemorySegment entry = QUERY_DEVICE_EX.entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, context, MemorySegment.NULL, attributes, word(attributes.byteSize()));
    }

    /**
     * The library's part of ibv_query_port(3).
     *
     * @param context the device's context
     * @param port from 1
     * @param attributes a zeroed {@code struct ibv_port_attr} of any version; its size goes along
     * @return 0 or an errno
     */
    public static int queryPort(MemorySegment context, int port, MemorySegment attributes) {
        MemorySegment entry = QUERY_PORT.entry(context);
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, context, word(port), attributes, word(attributes.byteSize()));
    }

    private MemorySegment entry(MemorySegment context) {
        return NativeCalls.extendedEntry(context, offset);
    }
}
