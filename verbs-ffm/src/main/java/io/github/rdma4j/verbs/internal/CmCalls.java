// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.ColdCalls.word;

import java.lang.foreign.MemorySegment;

/**
 * The calls of librdmacm. In C they return -1 and report the cause in errno; here they return 0 or that errno. Callers
 * must first call {@link NativeLibraries#requireConnectionManager()}.
 */
public final class CmCalls {
    private static final ExportedFunction CREATE_EVENT_CHANNEL = function("rdma_create_event_channel");
    private static final ExportedFunction CREATE_ID = function("rdma_create_id");
    private static final ExportedFunction DESTROY_ID = function("rdma_destroy_id");
    private static final ExportedFunction BIND = function("rdma_bind_addr");
    private static final ExportedFunction RESOLVE_ADDRESS = function("rdma_resolve_addr");
    private static final ExportedFunction RESOLVE_ROUTE = function("rdma_resolve_route");
    private static final ExportedFunction CONNECT = function("rdma_connect");
    private static final ExportedFunction ESTABLISH = function("rdma_establish");
    private static final ExportedFunction LISTEN = function("rdma_listen");
    private static final ExportedFunction ACCEPT = function("rdma_accept");
    private static final ExportedFunction REJECT = function("rdma_reject");
    private static final ExportedFunction REJECT_ECE = function("rdma_reject_ece");
    private static final ExportedFunction NOTIFY = function("rdma_notify");
    private static final ExportedFunction DISCONNECT = function("rdma_disconnect");
    private static final ExportedFunction JOIN_MULTICAST = function("rdma_join_multicast");
    private static final ExportedFunction JOIN_MULTICAST_EX = function("rdma_join_multicast_ex");
    private static final ExportedFunction LEAVE_MULTICAST = function("rdma_leave_multicast");
    /** The operation of a failed channel, for exceptions. */
    public static final String GET_EVENT_OPERATION = "rdma_get_cm_event()";

    private static final ExportedFunction GET_EVENT = function("rdma_get_cm_event");
    private static final ExportedFunction SET_OPTION = function("rdma_set_option");
    private static final ExportedFunction MIGRATE = function("rdma_migrate_id");
    private static final ExportedFunction INIT_QUEUE_PAIR_ATTRIBUTES = function("rdma_init_qp_attr");
    private static final ExportedFunction SET_LOCAL_ECE = function("rdma_set_local_ece");
    private static final ExportedFunction GET_REMOTE_ECE = function("rdma_get_remote_ece");
    private static final ExportedFunction GET_DEVICES = function("rdma_get_devices");
    private static final ExportedFunction GET_ADDRESS_INFO = function("rdma_getaddrinfo");
    private static final ExportedFunction DESTROY_EVENT_CHANNEL = function("rdma_destroy_event_channel");
    private static final ExportedFunction ACKNOWLEDGE = function("rdma_ack_cm_event");
    private static final ExportedFunction FREE_DEVICES = function("rdma_free_devices");
    private static final ExportedFunction FREE_ADDRESS_INFO = function("rdma_freeaddrinfo");

    private CmCalls() {}

    private static ExportedFunction function(String symbol) {
        return new ExportedFunction(NativeLibraries.CONNECTION_MANAGER, symbol);
    }

    private static int errno(int result) {
        return result == 0 ? 0 : NativeCalls.lastErrno();
    }

    /**
     * rdma_create_event_channel(3).
     *
     * @return the channel, or NULL with {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment createEventChannel() {
        return CREATE_EVENT_CHANNEL.pointer();
    }

    /**
     * rdma_destroy_event_channel(3).
     *
     * @param channel the {@code struct rdma_event_channel}
     */
    public static void destroyEventChannel(MemorySegment channel) {
        DESTROY_EVENT_CHANNEL.call(channel);
    }

    /**
     * rdma_get_devices(3).
     *
     * @param count receives the number of devices, an int
     * @return the array of contexts, or NULL with {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment getDevices(MemorySegment count) {
        return GET_DEVICES.pointer(count);
    }

    /**
     * rdma_free_devices(3).
     *
     * @param list what {@link #getDevices} returned
     */
    public static void freeDevices(MemorySegment list) {
        FREE_DEVICES.call(list);
    }

    /**
     * rdma_getaddrinfo(3). If it leaves no errno, its failures are getaddrinfo(3) errors.
     *
     * @param node a host, or NULL
     * @param service a port, or NULL
     * @param hints a {@code struct rdma_addrinfo}, or NULL
     * @param result receives the list
     * @return 0, -1 with {@link NativeCalls#lastErrno()}, or an EAI value of getaddrinfo(3)
     */
    public static int getAddressInfo(
            MemorySegment node, MemorySegment service, MemorySegment hints, MemorySegment result) {
        return GET_ADDRESS_INFO.number(node, service, hints, result);
    }

    /**
     * rdma_freeaddrinfo(3).
     *
     * @param list what {@link #getAddressInfo} stored
     */
    public static void freeAddressInfo(MemorySegment list) {
        FREE_ADDRESS_INFO.call(list);
    }

    /**
     * rdma_create_id(3).
     *
     * @param channel the {@code struct rdma_event_channel}
     * @param id receives the new id
     * @param context the user's pointer
     * @param portSpace of {@code enum rdma_port_space}
     * @return 0 or an errno
     */
    public static int createId(MemorySegment channel, MemorySegment id, MemorySegment context, int portSpace) {
        return errno(CREATE_ID.number(channel, id, context, word(portSpace)));
    }

    /**
     * rdma_destroy_id(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int destroyId(MemorySegment id) {
        return errno(DESTROY_ID.number(id));
    }

    /**
     * rdma_bind_addr(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param address a {@code struct sockaddr}
     * @return 0 or an errno
     */
    public static int bind(MemorySegment id, MemorySegment address) {
        return errno(BIND.number(id, address));
    }

    /**
     * rdma_resolve_addr(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param source a {@code struct sockaddr}, or NULL
     * @param destination a {@code struct sockaddr}
     * @param milliseconds how long the kernel tries
     * @return 0 or an errno
     */
    public static int resolveAddress(
            MemorySegment id, MemorySegment source, MemorySegment destination, int milliseconds) {
        return errno(RESOLVE_ADDRESS.number(id, source, destination, word(milliseconds)));
    }

    /**
     * rdma_resolve_route(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param milliseconds how long the kernel tries
     * @return 0 or an errno
     */
    public static int resolveRoute(MemorySegment id, int milliseconds) {
        return errno(RESOLVE_ROUTE.number(id, word(milliseconds)));
    }

    /**
     * rdma_connect(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param parameters a {@code struct rdma_conn_param}
     * @return 0 or an errno
     */
    public static int connect(MemorySegment id, MemorySegment parameters) {
        return errno(CONNECT.number(id, parameters));
    }

    /**
     * rdma_establish(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int establish(MemorySegment id) {
        return errno(ESTABLISH.number(id));
    }

    /**
     * rdma_listen(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param backlog how many requests may wait
     * @return 0 or an errno
     */
    public static int listen(MemorySegment id, int backlog) {
        return errno(LISTEN.number(id, word(backlog)));
    }

    /**
     * rdma_accept(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param parameters a {@code struct rdma_conn_param}
     * @return 0 or an errno
     */
    public static int accept(MemorySegment id, MemorySegment parameters) {
        return errno(ACCEPT.number(id, parameters));
    }

    /**
     * rdma_reject(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param privateData the data for the peer, or NULL
     * @param length in bytes
     * @return 0 or an errno
     */
    public static int reject(MemorySegment id, MemorySegment privateData, byte length) {
        return errno(REJECT.number(id, privateData, word(Byte.toUnsignedLong(length))));
    }

    /**
     * rdma_reject_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param privateData the data for the peer, or NULL
     * @param length in bytes
     * @return 0 or an errno
     */
    public static int rejectEce(MemorySegment id, MemorySegment privateData, byte length) {
        return errno(REJECT_ECE.number(id, privateData, word(Byte.toUnsignedLong(length))));
    }

    /**
     * rdma_notify(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param event of {@code enum ibv_event_type}
     * @return 0 or an errno
     */
    public static int notify(MemorySegment id, int event) {
        return errno(NOTIFY.number(id, word(event)));
    }

    /**
     * rdma_disconnect(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int disconnect(MemorySegment id) {
        return errno(DISCONNECT.number(id));
    }

    /**
     * rdma_join_multicast(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param address a {@code struct sockaddr}
     * @param context the user's pointer
     * @return 0 or an errno
     */
    public static int joinMulticast(MemorySegment id, MemorySegment address, MemorySegment context) {
        return errno(JOIN_MULTICAST.number(id, address, context));
    }

    /**
     * rdma_join_multicast_ex(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param attributes a {@code struct rdma_cm_join_mc_attr_ex}
     * @param context the user's pointer
     * @return 0 or an errno
     */
    public static int joinMulticastEx(MemorySegment id, MemorySegment attributes, MemorySegment context) {
        return errno(JOIN_MULTICAST_EX.number(id, attributes, context));
    }

    /**
     * rdma_leave_multicast(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param address a {@code struct sockaddr}
     * @return 0 or an errno
     */
    public static int leaveMulticast(MemorySegment id, MemorySegment address) {
        return errno(LEAVE_MULTICAST.number(id, address));
    }

    /**
     * rdma_get_cm_event(3).
     *
     * @param channel the {@code struct rdma_event_channel}
     * @param event receives the event
     * @return 0 or an errno
     */
    public static int getEvent(MemorySegment channel, MemorySegment event) {
        return errno(GET_EVENT.number(channel, event));
    }

    /**
     * rdma_ack_cm_event(3), which cannot fail.
     *
     * @param event the {@code struct rdma_cm_event}
     */
    public static void acknowledge(MemorySegment event) {
        ACKNOWLEDGE.call(event);
    }

    /**
     * rdma_set_option(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param level of the option
     * @param option of the level
     * @param value of the option
     * @param length in bytes
     * @return 0 or an errno
     */
    public static int setOption(MemorySegment id, int level, int option, MemorySegment value, long length) {
        return errno(SET_OPTION.number(id, word(level), word(option), value, word(length)));
    }

    /**
     * rdma_migrate_id(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param channel the {@code struct rdma_event_channel}
     * @return 0 or an errno
     */
    public static int migrate(MemorySegment id, MemorySegment channel) {
        return errno(MIGRATE.number(id, channel));
    }

    /**
     * rdma_init_qp_attr(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param attributes a {@code struct ibv_qp_attr} whose state is set
     * @param mask receives the mask
     * @return 0 or an errno
     */
    public static int initQueuePairAttributes(MemorySegment id, MemorySegment attributes, MemorySegment mask) {
        return errno(INIT_QUEUE_PAIR_ATTRIBUTES.number(id, attributes, mask));
    }

    /**
     * rdma_set_local_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param ece a {@code struct ibv_ece}
     * @return 0 or an errno
     */
    public static int setLocalEce(MemorySegment id, MemorySegment ece) {
        return errno(SET_LOCAL_ECE.number(id, ece));
    }

    /**
     * rdma_get_remote_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param ece a {@code struct ibv_ece}
     * @return 0 or an errno
     */
    public static int getRemoteEce(MemorySegment id, MemorySegment ece) {
        return errno(GET_REMOTE_ECE.number(id, ece));
    }
}
