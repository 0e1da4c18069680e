// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.ibv_async_event;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import io.github.rdma4j.verbs.bindings.ibv_qp_ex;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.bindings.rdma_cm_event;
import io.github.rdma4j.verbs.bindings.rdma_conn_param;
import io.github.rdma4j.verbs.bindings.sockaddr_storage;
import java.lang.foreign.MemorySegment;
import java.util.StringJoiner;

/** C structures for the trace: the fields that users care about most, by their names in C. */
final class TraceStructures {
    static final TraceConstants ACCESS = new TraceConstants(
            "IBV_ACCESS_",
            "LOCAL_WRITE",
            "REMOTE_WRITE",
            "REMOTE_READ",
            "REMOTE_ATOMIC",
            "MW_BIND",
            "ZERO_BASED",
            "ON_DEMAND",
            "HUGETLB",
            "RELAXED_ORDERING");
    static final TraceConstants REREGISTRATION =
            new TraceConstants("IBV_REREG_MR_CHANGE_", "TRANSLATION", "PD", "ACCESS");
    static final TraceConstants MASK = new TraceConstants(
            "IBV_QP_",
            "STATE",
            "CUR_STATE",
            "EN_SQD_ASYNC_NOTIFY",
            "ACCESS_FLAGS",
            "PKEY_INDEX",
            "PORT",
            "QKEY",
            "AV",
            "PATH_MTU",
            "TIMEOUT",
            "RETRY_CNT",
            "RNR_RETRY",
            "RQ_PSN",
            "MAX_QP_RD_ATOMIC",
            "ALT_PATH",
            "MIN_RNR_TIMER",
            "SQ_PSN",
            "MAX_DEST_RD_ATOMIC",
            "PATH_MIG_STATE",
            "CAP",
            "DEST_QPN",
            "RATE_LIMIT");
    static final TraceConstants PORT_SPACES = new TraceConstants("RDMA_PS_", "IPOIB", "TCP", "UDP", "IB");
    static final TraceConstants ASYNC_EVENTS = new TraceConstants(
            "IBV_EVENT_",
            "CQ_ERR",
            "QP_FATAL",
            "QP_REQ_ERR",
            "QP_ACCESS_ERR",
            "COMM_EST",
            "SQ_DRAINED",
            "PATH_MIG",
            "PATH_MIG_ERR",
            "DEVICE_FATAL",
            "PORT_ACTIVE",
            "PORT_ERR",
            "LID_CHANGE",
            "PKEY_CHANGE",
            "SM_CHANGE",
            "SRQ_ERR",
            "SRQ_LIMIT_REACHED",
            "QP_LAST_WQE_REACHED",
            "CLIENT_REREGISTER",
            "GID_CHANGE",
            "WQ_FATAL");
    static final TraceConstants COMPLETION_OPCODES = new TraceConstants(
            "IBV_WC_",
            "SEND",
            "RDMA_WRITE",
            "RDMA_READ",
            "COMP_SWAP",
            "FETCH_ADD",
            "BIND_MW",
            "LOCAL_INV",
            "TSO",
            "ATOMIC_WRITE",
            "RECV",
            "RECV_RDMA_WITH_IMM",
            "TM_ADD",
            "TM_DEL",
            "TM_SYNC",
            "TM_RECV",
            "TM_NO_TAG");

    private static final TraceConstants STATUSES = new TraceConstants(
            "IBV_WC_",
            "SUCCESS",
            "LOC_LEN_ERR",
            "LOC_QP_OP_ERR",
            "LOC_EEC_OP_ERR",
            "LOC_PROT_ERR",
            "WR_FLUSH_ERR",
            "MW_BIND_ERR",
            "BAD_RESP_ERR",
            "LOC_ACCESS_ERR",
            "REM_INV_REQ_ERR",
            "REM_ACCESS_ERR",
            "REM_OP_ERR",
            "RETRY_EXC_ERR",
            "RNR_RETRY_EXC_ERR",
            "LOC_RDD_VIOL_ERR",
            "REM_INV_RD_REQ_ERR",
            "REM_ABORT_ERR",
            "INV_EECN_ERR",
            "INV_EEC_STATE_ERR",
            "FATAL_ERR",
            "RESP_TIMEOUT_ERR",
            "GENERAL_ERR",
            "TM_ERR",
            "TM_RNDV_INCOMPLETE");
    private static final TraceConstants OPCODES = new TraceConstants(
            "IBV_WR_",
            "RDMA_WRITE",
            "RDMA_WRITE_WITH_IMM",
            "SEND",
            "SEND_WITH_IMM",
            "RDMA_READ",
            "ATOMIC_CMP_AND_SWP",
            "ATOMIC_FETCH_AND_ADD",
            "LOCAL_INV",
            "BIND_MW",
            "SEND_WITH_INV",
            "TSO",
            "ATOMIC_WRITE");
    private static final TraceConstants SEND_FLAGS =
            new TraceConstants("IBV_SEND_", "FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM");
    private static final TraceConstants STATES =
            new TraceConstants("IBV_QPS_", "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR");
    private static final TraceConstants TYPES =
            new TraceConstants("IBV_QPT_", "RC", "UC", "UD", "RAW_PACKET", "XRC_SEND", "XRC_RECV", "DRIVER");
    private static final TraceConstants EVENTS = new TraceConstants(
            "RDMA_CM_EVENT_",
            "ADDR_RESOLVED",
            "ADDR_ERROR",
            "ROUTE_RESOLVED",
            "ROUTE_ERROR",
            "CONNECT_REQUEST",
            "CONNECT_RESPONSE",
            "CONNECT_ERROR",
            "UNREACHABLE",
            "REJECTED",
            "ESTABLISHED",
            "DISCONNECTED",
            "DEVICE_REMOVAL",
            "MULTICAST_JOIN",
            "MULTICAST_ERROR",
            "ADDR_CHANGE",
            "TIMEWAIT_EXIT");

    private static final long RDMA_ADDRESS =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long RDMA_KEY =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ATOMIC = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic$offset();

    /** The maximum number of elements of a chain or list that are shown; the number of the others follows. */
    private static final int SHOWN = 16;

    private TraceStructures() {}

    static String pointer(long address) {
        return address == 0 ? "NULL" : "0x" + Long.toHexString(address);
    }

    static String string(long address) {
        return '"' + memory(address, Integer.MAX_VALUE).getString(0) + '"';
    }

    private static MemorySegment memory(long address, long size) {
        return MemorySegment.ofAddress(address).reinterpret(size);
    }

    private static String hex(int number) {
        return "0x" + Integer.toHexString(number);
    }

    /** A chain of {@code struct ibv_send_wr}. */
    static String sends(long first) {
        Chain chain = new Chain();
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + ibv_send_wr.next$offset())) {
            if (chain.isShown()) {
                chain.add(send(memory(wr, ibv_send_wr.sizeof())));
            }
        }
        return chain.toString();
    }

    private static String send(MemorySegment wr) {
        int opcode = ibv_send_wr.opcode(wr);
        String name = OPCODES.one(opcode);
        Fields fields = new Fields();
        fields.add("wr_id", Long.toUnsignedString(ibv_send_wr.wr_id(wr)));
        fields.add("opcode", name);
        fields.add("length", length(ibv_send_wr.sg_list(wr), ibv_send_wr.num_sge(wr)));
        fields.add("num_sge", ibv_send_wr.num_sge(wr));
        fields.add("send_flags", SEND_FLAGS.flags(ibv_send_wr.send_flags(wr)));
        if (name.contains("RDMA")) {
            fields.add("remote_addr", pointer(NativeMemory.getLong(wr.address() + RDMA_ADDRESS)));
            fields.add("rkey", hex(NativeMemory.getInt(wr.address() + RDMA_KEY)));
        } else if (name.contains("ATOMIC")) {
            long atomic = wr.address() + ATOMIC;
            fields.add(
                    "remote_addr", pointer(NativeMemory.getLong(atomic + ibv_send_wr.wr.atomic.remote_addr$offset())));
            fields.add("rkey", hex(NativeMemory.getInt(atomic + ibv_send_wr.wr.atomic.rkey$offset())));
        }
        return fields.toString();
    }

    /** A chain of {@code struct ibv_recv_wr}. */
    static String receives(long first) {
        Chain chain = new Chain();
        for (long at = first; at != 0; at = NativeMemory.getLong(at + ibv_recv_wr.next$offset())) {
            if (chain.isShown()) {
                MemorySegment wr = memory(at, ibv_recv_wr.sizeof());
                chain.add(new Fields()
                        .add("wr_id", Long.toUnsignedString(ibv_recv_wr.wr_id(wr)))
                        .add("length", length(ibv_recv_wr.sg_list(wr), ibv_recv_wr.num_sge(wr)))
                        .add("num_sge", ibv_recv_wr.num_sge(wr))
                        .toString());
            }
        }
        return chain.toString();
    }

    private static long length(MemorySegment list, int entries) {
        long length = 0;
        for (int i = 0; i < entries; i++) {
            long entry = list.address() + i * ibv_sge.sizeof();
            length += Integer.toUnsignedLong(NativeMemory.getInt(entry + ibv_sge.length$offset()));
        }
        return length;
    }

    /** An array of {@code struct ibv_wc}. */
    static String completions(long first, int count) {
        Chain chain = new Chain();
        for (int i = 0; i < count; i++) {
            if (chain.isShown()) {
                chain.add(completion(memory(first + i * ibv_wc.sizeof(), ibv_wc.sizeof())));
            }
        }
        return chain.toString();
    }

    /** After a failure only the number, the status, the queue pair and the driver's code are valid. */
    private static String completion(MemorySegment wc) {
        int status = ibv_wc.status(wc);
        Fields fields = new Fields();
        fields.add("wr_id", Long.toUnsignedString(ibv_wc.wr_id(wc)));
        fields.add("status", STATUSES.one(status));
        if (status == 0) {
            fields.add("opcode", COMPLETION_OPCODES.one(ibv_wc.opcode(wc)));
            fields.add("byte_len", Integer.toUnsignedString(ibv_wc.byte_len(wc)));
        } else {
            fields.add("vendor_err", hex(ibv_wc.vendor_err(wc)));
        }
        return fields.add("qp_num", hex(ibv_wc.qp_num(wc))).toString();
    }

    /** The completion at which an extended completion queue stands. */
    static String current(long queue) {
        MemorySegment cq = memory(queue, ibv_cq_ex.sizeof());
        return new Fields(queue)
                .add("wr_id", Long.toUnsignedString(ibv_cq_ex.wr_id(cq)))
                .add("status", STATUSES.one(ibv_cq_ex.status(cq)))
                .toString();
    }

    /** The values that an extended queue pair uses for the next request. */
    static String request(long queuePair) {
        MemorySegment qp = memory(queuePair, ibv_qp_ex.sizeof());
        return new Fields(queuePair)
                .add("wr_id", Long.toUnsignedString(ibv_qp_ex.wr_id(qp)))
                .add("wr_flags", SEND_FLAGS.flags(ibv_qp_ex.wr_flags(qp)))
                .toString();
    }

    /** {@code struct ibv_qp_init_attr}, or {@code ibv_qp_init_attr_ex}, which begins alike. */
    static String creation(long attributes) {
        MemorySegment init = memory(attributes, ibv_qp_init_attr.sizeof());
        MemorySegment cap = ibv_qp_init_attr.cap(init);
        return new Fields()
                .add("qp_type", TYPES.one(ibv_qp_init_attr.qp_type(init)))
                .add("send_cq", pointer(ibv_qp_init_attr.send_cq(init).address()))
                .add("recv_cq", pointer(ibv_qp_init_attr.recv_cq(init).address()))
                .add("srq", pointer(ibv_qp_init_attr.srq(init).address()))
                .add("max_send_wr", ibv_qp_cap.max_send_wr(cap))
                .add("max_recv_wr", ibv_qp_cap.max_recv_wr(cap))
                .add("max_send_sge", ibv_qp_cap.max_send_sge(cap))
                .add("max_recv_sge", ibv_qp_cap.max_recv_sge(cap))
                .add("max_inline_data", ibv_qp_cap.max_inline_data(cap))
                .toString();
    }

    /** {@code struct ibv_qp_attr}: the most important fields of the mask. */
    static String attributes(long attributes, long mask) {
        MemorySegment attr = memory(attributes, ibv_qp_attr.sizeof());
        String named = MASK.flags(mask) + '|';
        Fields fields = new Fields();
        if (named.contains("IBV_QP_STATE|")) {
            fields.add("qp_state", STATES.one(ibv_qp_attr.qp_state(attr)));
        }
        if (named.contains("IBV_QP_ACCESS_FLAGS|")) {
            fields.add("qp_access_flags", ACCESS.flags(ibv_qp_attr.qp_access_flags(attr)));
        }
        if (named.contains("IBV_QP_PORT|")) {
            fields.add("port_num", ibv_qp_attr.port_num(attr));
        }
        if (named.contains("IBV_QP_QKEY|")) {
            fields.add("qkey", hex(ibv_qp_attr.qkey(attr)));
        }
        if (named.contains("IBV_QP_PATH_MTU|")) {
            fields.add("path_mtu", "IBV_MTU_" + (128 << ibv_qp_attr.path_mtu(attr)));
        }
        if (named.contains("IBV_QP_DEST_QPN|")) {
            fields.add("dest_qp_num", hex(ibv_qp_attr.dest_qp_num(attr)));
        }
        if (named.contains("IBV_QP_TIMEOUT|")) {
            fields.add("timeout", ibv_qp_attr.timeout(attr));
        }
        if (named.contains("IBV_QP_RETRY_CNT|")) {
            fields.add("retry_cnt", ibv_qp_attr.retry_cnt(attr));
        }
        if (named.contains("IBV_QP_RNR_RETRY|")) {
            fields.add("rnr_retry", ibv_qp_attr.rnr_retry(attr));
        }
        return fields.toString();
    }

    /** {@code struct ibv_async_event}. */
    static String asyncEvent(long event) {
        int type = ibv_async_event.event_type(memory(event, ibv_async_event.sizeof()));
        return new Fields().add("event_type", ASYNC_EVENTS.one(type)).toString();
    }

    /** {@code struct rdma_cm_event}: its status is an errno, or the peer's reject reason. */
    static String event(long event) {
        MemorySegment fields = memory(event, rdma_cm_event.sizeof());
        int status = rdma_cm_event.status(fields);
        return new Fields()
                .add("event", EVENTS.one(rdma_cm_event.event(fields)))
                .add("status", status < 0 ? status + " " + ErrnoName.of(-status) : Integer.toString(status))
                .add("id", pointer(rdma_cm_event.id(fields).address()))
                .add("listen_id", pointer(rdma_cm_event.listen_id(fields).address()))
                .toString();
    }

    /** {@code struct rdma_conn_param}. */
    static String connection(long parameters) {
        MemorySegment param = memory(parameters, rdma_conn_param.sizeof());
        return new Fields()
                .add("private_data_len", Byte.toUnsignedInt(rdma_conn_param.private_data_len(param)))
                .add("responder_resources", Byte.toUnsignedInt(rdma_conn_param.responder_resources(param)))
                .add("initiator_depth", Byte.toUnsignedInt(rdma_conn_param.initiator_depth(param)))
                .add("retry_count", rdma_conn_param.retry_count(param))
                .add("rnr_retry_count", rdma_conn_param.rnr_retry_count(param))
                .add("qp_num", hex(rdma_conn_param.qp_num(param)))
                .toString();
    }

    /** {@code struct sockaddr}. */
    static String socketAddress(long address) {
        return SocketAddresses.read(memory(address, sockaddr_storage.sizeof()))
                .map(read -> "{%s, port %d}".formatted(read.getAddress().getHostAddress(), read.getPort()))
                .orElse(pointer(address));
    }

    /** The fields of one structure. */
    private static final class Fields {
        private final StringJoiner text = new StringJoiner(", ", "{", "}");

        Fields() {}

        /** For an object that is not only read, whose address comes first. */
        Fields(long address) {
            text.add(pointer(address));
        }

        Fields add(String name, Object value) {
            text.add(name + '=' + value);
            return this;
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    /** Structures in a chain, of which the first are shown. */
    private static final class Chain {
        private final StringJoiner shown = new StringJoiner(", ");
        private int count;

        boolean isShown() {
            count++;
            return count <= SHOWN;
        }

        void add(String structure) {
            shown.add(structure);
        }

        @Override
        public String toString() {
            String rest = count > SHOWN ? ", and %d more".formatted(count - SHOWN) : "";
            return count == 1 ? shown.toString() : '[' + shown.toString() + rest + ']';
        }
    }
}
