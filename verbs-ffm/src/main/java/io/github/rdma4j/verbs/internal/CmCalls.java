// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.LibRdmaCm;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of librdmacm, which return -1 and leave the cause in errno; here they return 0 or that errno. Whoever uses
 * this class has called {@link NativeLibraries#requireConnectionManager()} before.
 */
public final class CmCalls {
    private static final MethodHandle CREATE_EVENT_CHANNEL = NativeCalls.errnoHandle(
            LibRdmaCm.rdma_create_event_channel$address(), LibRdmaCm.rdma_create_event_channel$descriptor());
    private static final MethodHandle CREATE_ID =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_create_id$address(), LibRdmaCm.rdma_create_id$descriptor());
    private static final MethodHandle DESTROY_ID =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_destroy_id$address(), LibRdmaCm.rdma_destroy_id$descriptor());
    private static final MethodHandle BIND =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_bind_addr$address(), LibRdmaCm.rdma_bind_addr$descriptor());
    private static final MethodHandle RESOLVE_ADDRESS =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_resolve_addr$address(), LibRdmaCm.rdma_resolve_addr$descriptor());
    private static final MethodHandle RESOLVE_ROUTE =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_resolve_route$address(), LibRdmaCm.rdma_resolve_route$descriptor());
    private static final MethodHandle CONNECT =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_connect$address(), LibRdmaCm.rdma_connect$descriptor());
    private static final MethodHandle ESTABLISH =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_establish$address(), LibRdmaCm.rdma_establish$descriptor());
    private static final MethodHandle LISTEN =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_listen$address(), LibRdmaCm.rdma_listen$descriptor());
    private static final MethodHandle ACCEPT =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_accept$address(), LibRdmaCm.rdma_accept$descriptor());
    private static final MethodHandle REJECT =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_reject$address(), LibRdmaCm.rdma_reject$descriptor());
    private static final MethodHandle REJECT_ECE =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_reject_ece$address(), LibRdmaCm.rdma_reject_ece$descriptor());
    private static final MethodHandle NOTIFY =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_notify$address(), LibRdmaCm.rdma_notify$descriptor());
    private static final MethodHandle DISCONNECT =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_disconnect$address(), LibRdmaCm.rdma_disconnect$descriptor());
    private static final MethodHandle JOIN_MULTICAST = NativeCalls.errnoHandle(
            LibRdmaCm.rdma_join_multicast$address(), LibRdmaCm.rdma_join_multicast$descriptor());
    private static final MethodHandle JOIN_MULTICAST_EX = NativeCalls.errnoHandle(
            LibRdmaCm.rdma_join_multicast_ex$address(), LibRdmaCm.rdma_join_multicast_ex$descriptor());
    private static final MethodHandle LEAVE_MULTICAST = NativeCalls.errnoHandle(
            LibRdmaCm.rdma_leave_multicast$address(), LibRdmaCm.rdma_leave_multicast$descriptor());
    private static final MethodHandle GET_EVENT =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_get_cm_event$address(), LibRdmaCm.rdma_get_cm_event$descriptor());
    private static final MethodHandle SET_OPTION =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_set_option$address(), LibRdmaCm.rdma_set_option$descriptor());
    private static final MethodHandle MIGRATE =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_migrate_id$address(), LibRdmaCm.rdma_migrate_id$descriptor());
    private static final MethodHandle INIT_QUEUE_PAIR_ATTRIBUTES =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_init_qp_attr$address(), LibRdmaCm.rdma_init_qp_attr$descriptor());
    private static final MethodHandle SET_LOCAL_ECE =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_set_local_ece$address(), LibRdmaCm.rdma_set_local_ece$descriptor());
    private static final MethodHandle GET_REMOTE_ECE = NativeCalls.errnoHandle(
            LibRdmaCm.rdma_get_remote_ece$address(), LibRdmaCm.rdma_get_remote_ece$descriptor());
    private static final MethodHandle GET_DEVICES =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_get_devices$address(), LibRdmaCm.rdma_get_devices$descriptor());
    private static final MethodHandle GET_ADDRESS_INFO =
            NativeCalls.errnoHandle(LibRdmaCm.rdma_getaddrinfo$address(), LibRdmaCm.rdma_getaddrinfo$descriptor());

    private CmCalls() {}

    private static int errno(int result) {
        return result == 0 ? 0 : NativeCalls.lastErrno();
    }

    /**
     * rdma_create_event_channel(3).
     *
     * @return the channel, or NULL with {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment createEventChannel() {
        try {
            return (MemorySegment) CREATE_EVENT_CHANNEL.invokeExact(NativeCalls.capture());
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_get_devices(3).
     *
     * @param count where the number of devices goes, an int
     * @return the array of contexts, or NULL with {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment getDevices(MemorySegment count) {
        try {
            return (MemorySegment) GET_DEVICES.invokeExact(NativeCalls.capture(), count);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_getaddrinfo(3), whose failures are those of getaddrinfo(3) where errno says nothing.
     *
     * @param node a host, or NULL
     * @param service a port, or NULL
     * @param hints a {@code struct rdma_addrinfo}, or NULL
     * @param result where the list goes
     * @return what it returns: 0, -1 with {@link NativeCalls#lastErrno()}, or an EAI value
     */
    public static int getAddressInfo(
            MemorySegment node, MemorySegment service, MemorySegment hints, MemorySegment result) {
        try {
            return (int) GET_ADDRESS_INFO.invokeExact(NativeCalls.capture(), node, service, hints, result);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_create_id(3).
     *
     * @param channel the {@code struct rdma_event_channel}
     * @param id where the new id goes
     * @param context the user's pointer
     * @param portSpace of {@code enum rdma_port_space}
     * @return 0 or an errno
     */
    public static int createId(MemorySegment channel, MemorySegment id, MemorySegment context, int portSpace) {
        try {
            return errno((int) CREATE_ID.invokeExact(NativeCalls.capture(), channel, id, context, portSpace));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_destroy_id(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int destroyId(MemorySegment id) {
        try {
            return errno((int) DESTROY_ID.invokeExact(NativeCalls.capture(), id));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_bind_addr(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param address a {@code struct sockaddr}
     * @return 0 or an errno
     */
    public static int bind(MemorySegment id, MemorySegment address) {
        try {
            return errno((int) BIND.invokeExact(NativeCalls.capture(), id, address));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
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
        try {
            return errno(
                    (int) RESOLVE_ADDRESS.invokeExact(NativeCalls.capture(), id, source, destination, milliseconds));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_resolve_route(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param milliseconds how long the kernel tries
     * @return 0 or an errno
     */
    public static int resolveRoute(MemorySegment id, int milliseconds) {
        try {
            return errno((int) RESOLVE_ROUTE.invokeExact(NativeCalls.capture(), id, milliseconds));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_connect(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param parameters a {@code struct rdma_conn_param}
     * @return 0 or an errno
     */
    public static int connect(MemorySegment id, MemorySegment parameters) {
        try {
            return errno((int) CONNECT.invokeExact(NativeCalls.capture(), id, parameters));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_establish(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int establish(MemorySegment id) {
        try {
            return errno((int) ESTABLISH.invokeExact(NativeCalls.capture(), id));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_listen(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param backlog how many requests may wait
     * @return 0 or an errno
     */
    public static int listen(MemorySegment id, int backlog) {
        try {
            return errno((int) LISTEN.invokeExact(NativeCalls.capture(), id, backlog));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_accept(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param parameters a {@code struct rdma_conn_param}
     * @return 0 or an errno
     */
    public static int accept(MemorySegment id, MemorySegment parameters) {
        try {
            return errno((int) ACCEPT.invokeExact(NativeCalls.capture(), id, parameters));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_reject(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param privateData what goes to the peer, or NULL
     * @param length in bytes
     * @return 0 or an errno
     */
    public static int reject(MemorySegment id, MemorySegment privateData, byte length) {
        try {
            return errno((int) REJECT.invokeExact(NativeCalls.capture(), id, privateData, length));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_reject_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param privateData what goes to the peer, or NULL
     * @param length in bytes
     * @return 0 or an errno
     */
    public static int rejectEce(MemorySegment id, MemorySegment privateData, byte length) {
        try {
            return errno((int) REJECT_ECE.invokeExact(NativeCalls.capture(), id, privateData, length));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_notify(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param event of {@code enum ibv_event_type}
     * @return 0 or an errno
     */
    public static int notify(MemorySegment id, int event) {
        try {
            return errno((int) NOTIFY.invokeExact(NativeCalls.capture(), id, event));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_disconnect(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @return 0 or an errno
     */
    public static int disconnect(MemorySegment id) {
        try {
            return errno((int) DISCONNECT.invokeExact(NativeCalls.capture(), id));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
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
        try {
            return errno((int) JOIN_MULTICAST.invokeExact(NativeCalls.capture(), id, address, context));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
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
        try {
            return errno((int) JOIN_MULTICAST_EX.invokeExact(NativeCalls.capture(), id, attributes, context));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_leave_multicast(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param address a {@code struct sockaddr}
     * @return 0 or an errno
     */
    public static int leaveMulticast(MemorySegment id, MemorySegment address) {
        try {
            return errno((int) LEAVE_MULTICAST.invokeExact(NativeCalls.capture(), id, address));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_get_cm_event(3).
     *
     * @param channel the {@code struct rdma_event_channel}
     * @param event where the event goes
     * @return 0 or an errno
     */
    public static int getEvent(MemorySegment channel, MemorySegment event) {
        try {
            return errno((int) GET_EVENT.invokeExact(NativeCalls.capture(), channel, event));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
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
        try {
            return errno((int) SET_OPTION.invokeExact(NativeCalls.capture(), id, level, option, value, length));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_migrate_id(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param channel the {@code struct rdma_event_channel}
     * @return 0 or an errno
     */
    public static int migrate(MemorySegment id, MemorySegment channel) {
        try {
            return errno((int) MIGRATE.invokeExact(NativeCalls.capture(), id, channel));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_init_qp_attr(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param attributes a {@code struct ibv_qp_attr} whose state is set
     * @param mask where the mask goes
     * @return 0 or an errno
     */
    public static int initQueuePairAttributes(MemorySegment id, MemorySegment attributes, MemorySegment mask) {
        try {
            return errno((int) INIT_QUEUE_PAIR_ATTRIBUTES.invokeExact(NativeCalls.capture(), id, attributes, mask));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_set_local_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param ece a {@code struct ibv_ece}
     * @return 0 or an errno
     */
    public static int setLocalEce(MemorySegment id, MemorySegment ece) {
        try {
            return errno((int) SET_LOCAL_ECE.invokeExact(NativeCalls.capture(), id, ece));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * rdma_get_remote_ece(3).
     *
     * @param id the {@code struct rdma_cm_id}
     * @param ece a {@code struct ibv_ece}
     * @return 0 or an errno
     */
    public static int getRemoteEce(MemorySegment id, MemorySegment ece) {
        try {
            return errno((int) GET_REMOTE_ECE.invokeExact(NativeCalls.capture(), id, ece));
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
