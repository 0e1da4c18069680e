// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** How a work request ended ({@code enum ibv_wc_status}), with the usual cause of each failure. */
public enum WorkCompletionStatus {
    /** It worked. */
    SUCCESS("success", ""),
    /** The local buffer is smaller than the message. */
    LOC_LEN_ERR(
            "local length error",
            "the receive buffer is smaller than the message, or the message exceeds the port's maximum"),
    /** The queue pair itself is inconsistent. */
    LOC_QP_OP_ERR(
            "local QP operation error", "the adapter found the queue pair inconsistent while it processed the request"),
    /** The end-to-end context is inconsistent. */
    LOC_EEC_OP_ERR("local EE context operation error", ""),
    /** The local memory key does not allow the access. */
    LOC_PROT_ERR(
            "local protection error",
            "the local memory region does not cover the buffer or lacks LOCAL_WRITE, or was closed while the request was under way"),
    /** The queue pair failed before; this request was not started. */
    WR_FLUSH_ERR(
            "work request flushed",
            "an earlier request failed, or the queue pair was closed: look for the first failure"),
    /** Binding a memory window failed. */
    MW_BIND_ERR("memory window bind error", "the memory region does not allow binding, or lacks the rights asked for"),
    /** The peer's answer made no sense. */
    BAD_RESP_ERR("bad response", "the peer answered with an unexpected opcode"),
    /** The peer wrote outside the local buffer. */
    LOC_ACCESS_ERR("local access error", "a protection fault on a local buffer while the peer wrote with immediate"),
    /** The peer refused the request as invalid. */
    REM_INV_REQ_ERR(
            "remote invalid request",
            "the peer's receive buffer is too small, or its queue pair does not allow the operation"),
    /** The peer refused the access. */
    REM_ACCESS_ERR(
            "remote access error",
            "the remote key is wrong or was invalidated, the range lies outside the peer's region, or region or queue pair lack the remote right"),
    /** The peer could not complete the request. */
    REM_OP_ERR(
            "remote operation error", "the peer failed while it processed the request; its own completion tells more"),
    /** The peer did not answer. */
    RETRY_EXC_ERR(
            "transport retry counter exceeded",
            "the peer is gone, its queue pair is not connected to this one, the path is broken (GID, MTU, VLAN, firewall of UDP 4791), or the timeout is too short"),
    /** The peer had no receive posted. */
    RNR_RETRY_EXC_ERR("receiver-not-ready retry counter exceeded", "the peer posts receives too late or too few"),
    /** Reserved. */
    LOC_RDD_VIOL_ERR("local RDD violation", ""),
    /** Reserved. */
    REM_INV_RD_REQ_ERR("remote invalid RD request", ""),
    /** The peer aborted. */
    REM_ABORT_ERR("remote aborted", ""),
    /** Reserved. */
    INV_EECN_ERR("invalid EE context number", ""),
    /** Reserved. */
    INV_EEC_STATE_ERR("invalid EE context state", ""),
    /** The adapter failed. */
    FATAL_ERR("fatal adapter error", "see the kernel log"),
    /** The peer's response did not come in time. */
    RESP_TIMEOUT_ERR("response timeout", ""),
    /** Anything else. */
    GENERAL_ERR("general transport error", "the vendor error code tells more"),
    /** Tag matching. */
    TM_ERR("tag matching error", ""),
    /** Tag matching, message without a full match. */
    TM_RNDV_INCOMPLETE("tag matching rendezvous incomplete", ""),
    /** Not known to this library. */
    UNKNOWN("unknown status", "");

    private static final WorkCompletionStatus[] BY_CODE = values();

    private final String text;
    private final String usualCause;

    WorkCompletionStatus(String text, String usualCause) {
        this.text = text;
        this.usualCause = usualCause;
    }

    static WorkCompletionStatus ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? BY_CODE[code] : UNKNOWN;
    }

    /** {@return what it means, in words} */
    public String text() {
        return text;
    }

    /** {@return what usually causes it; an empty string where nothing can be said} */
    public String usualCause() {
        return usualCause;
    }
}
