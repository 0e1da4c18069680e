// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.Remedies;

/**
 * The result of a work request ({@code enum ibv_wc_status}), with the usual cause of each failure and its remedy.
 *
 * @since 0.1.0
 */
public enum WorkCompletionStatus {
    /** The request succeeded. */
    SUCCESS("success", "", ""),
    /** The local buffer is smaller than the message. */
    LOC_LEN_ERR(
            "local length error",
            "the receive that the message went into is smaller than the message (a datagram's needs 40 bytes more), or"
                    + " what was sent exceeds the port's maximum",
            "post receives as long as the longest message, or send in pieces; the queue pair must be reset before it"
                    + " is used again"),
    /** The queue pair itself is inconsistent. */
    LOC_QP_OP_ERR(
            "local QP operation error",
            "of a receive on SoftRoCE, the receive is smaller than the message, or its region was closed before the"
                    + " completion; of a request on SoftRoCE, its region was closed, this host has lost the address,"
                    + " the route or the link to the peer, or an invalidation names no key of a bound window or of a"
                    + " region; on an adapter, the queue pair's type does not have the"
                    + " operation, or the request has more pieces than the queue pair was created for",
            "post receives that are as long as the longest message (of datagrams, 40 bytes longer), and close regions"
                    + " after the completion; for a"
                    + " request, see 'ip address' and 'ip route get' for the peer's address, invalidate each key once,"
                    + " and compare the request with the queue pair's type and sizes"),
    /** The end-to-end context is inconsistent. */
    LOC_EEC_OP_ERR(
            "local EE context operation error",
            "a status of reliable datagrams, which no adapter offers: the adapter or its driver is confused",
            "read the kernel log, and update driver and firmware"),
    /** The local memory key does not allow the access. */
    LOC_PROT_ERR(
            "local protection error",
            "the local memory region does not cover the buffer, lacks LOCAL_WRITE, or was closed while the request was"
                    + " outstanding; for GPU memory, it was freed or the adapter cannot reach it",
            "keep the region open until the completion is polled, and register with LOCAL_WRITE what receives, reads"
                    + " and atomics write to"),
    /** The queue pair failed before; this request was not started. */
    WR_FLUSH_ERR(
            "work request flushed",
            "the queue pair is in the error state: an earlier request failed, the peer disconnected, this side"
                    + " moved it there, or this side refused what the peer asked for",
            "look for the first completion that failed otherwise; this one has no cause of its own. If there is none,"
                    + " look at the peer's completions (REM_ACCESS_ERR, REM_INV_REQ_ERR) and this side's asynchronous"
                    + " events (QP_ACCESS_ERR, QP_REQ_ERR; SoftRoCE has none). Connect again, and post again what must"
                    + " not be lost"),
    /** Binding a memory window failed. */
    MW_BIND_ERR(
            "memory window bind error",
            "the memory region was not registered with MW_BIND, does not cover the range, or lacks LOCAL_WRITE for a"
                    + " window that is written to; or the window belongs to another queue pair",
            "register with MW_BIND and LOCAL_WRITE, and bind within the region"),
    /** The peer's response was invalid. */
    BAD_RESP_ERR(
            "bad response",
            "the peer responded with an operation that was not requested: another queue pair uses the same number, or"
                    + " packets of an earlier connection arrive",
            "give each connection its own packet sequence number (the default is random), and connect again"),
    /** The peer wrote outside the local buffer. */
    LOC_ACCESS_ERR(
            "local access error",
            "a write with immediate of the peer met a protection fault in this side's memory",
            "compare the peer's target address with the region that was announced to it"),
    /** The peer refused the request as invalid. */
    REM_INV_REQ_ERR(
            "remote invalid request",
            "the peer's receive is smaller than the message; of a write, read or atomic, its queue pair was made"
                    + " without the right; more reads and atomics came than it serves, or the two sides have different"
                    + " path MTUs",
            "post longer receives at the peer, also give its queue pair the right (QueuePairConfig.remoteAccess), keep"
                    + " maxReadAtomic at or below the peer's maxDestinationReadAtomic, and set the same pathMtu on both"
                    + " sides"),
    /** The peer refused the access. */
    REM_ACCESS_ERR(
            "remote access error",
            "the remote key is wrong or was invalidated, the range lies outside the peer's region, or region or queue"
                    + " pair lack the remote right; of an atomic, the address is no multiple of eight; or the peer's"
                    + " process is just ending, and its memory went first",
            "compare address, length and key with what the peer announced, and have the peer give REMOTE_WRITE,"
                    + " REMOTE_READ or REMOTE_ATOMIC to both its region and its queue pair; between endpoints, use a"
                    + " handle only while the peer keeps its memory exposed or granted"),
    /** The peer could not complete the request. */
    REM_OP_ERR(
            "remote operation error",
            "the peer failed while it processed the request: its receive is smaller than the message (SoftRoCE reports"
                    + " that so), its region was closed before the completion, or its process is ending",
            "post longer receives at the peer, and look at the peer's own completion, which says more"),
    /** The peer did not answer. */
    RETRY_EXC_ERR(
            "transport retry counter exceeded",
            "the peer is gone, its queue pair is not connected to this one, the path is broken (MTU; on RoCE GID, VLAN,"
                    + " firewall of UDP 4791; on InfiniBand LID, P_Key), or the timeout is too short",
            "see that the peer runs and has connected to this queue pair's number, ping it from this GID's address"
                    + " with packets of the path MTU (on InfiniBand: ibping its LID), and raise timeout and retryCount"
                    + " where the network is slow"),
    /** The peer had no receive posted. */
    RNR_RETRY_EXC_ERR(
            "receiver-not-ready retry counter exceeded",
            "the peer posts receives too late or too few",
            "post receives before the peer may send, post more of them, or set rnrRetry to 7, which"
                    + " waits forever"),
    /** Reserved. */
    LOC_RDD_VIOL_ERR(
            "local RDD violation",
            "a status of reliable datagrams, which no adapter offers: the adapter or its driver is confused",
            "read the kernel log, and update driver and firmware"),
    /** Reserved. */
    REM_INV_RD_REQ_ERR(
            "remote invalid RD request",
            "a status of reliable datagrams, which no adapter offers: the adapter or its driver is confused",
            "read the kernel log, and update driver and firmware"),
    /** The peer aborted. */
    REM_ABORT_ERR(
            "remote aborted",
            "the peer aborted the operation: its queue pair went to the error state while it processed the request",
            "read the peer's completions, and connect again"),
    /** Reserved. */
    INV_EECN_ERR(
            "invalid EE context number",
            "a status of reliable datagrams, which no adapter offers: the adapter or its driver is confused",
            "read the kernel log, and update driver and firmware"),
    /** Reserved. */
    INV_EEC_STATE_ERR(
            "invalid EE context state",
            "a status of reliable datagrams, which no adapter offers: the adapter or its driver is confused",
            "read the kernel log, and update driver and firmware"),
    /** The adapter failed. */
    FATAL_ERR(
            "fatal adapter error",
            "the adapter failed, or was reset or removed",
            "read the kernel log; open the device again once it is back"),
    /** The peer's response did not arrive in time. */
    RESP_TIMEOUT_ERR(
            "response timeout",
            "the peer acknowledged the request and then did not respond to it",
            "check that the peer runs, raise the timeout, and connect again"),
    /** Any other failure. */
    GENERAL_ERR(
            "general transport error",
            "a failure that the specification has no status for; the vendor error code has details",
            "look the vendor error up in the driver's sources, and read the kernel log"),
    /** Tag matching. */
    TM_ERR(
            "tag matching error",
            "an operation on the tag list of a shared receive queue failed: it is full, or its numbering does not"
                    + " follow the hardware's",
            "set the tag list's unexpected-message count again, and add fewer tags"),
    /** Tag matching, message without a full match. */
    TM_RNDV_INCOMPLETE(
            "tag matching rendezvous incomplete",
            "a rendezvous message matched a tag, but the adapter could not fetch its data",
            "fetch the data with a read, as the rendezvous header in the buffer says"),
    /** A status that this library has no name for. */
    UNKNOWN(
            "unknown status",
            "rdma-core is newer than this library",
            "look the code up in enum ibv_wc_status of the installed rdma-core");

    private static final WorkCompletionStatus[] BY_CODE = values();

    private final String text;
    private final String usualCause;
    private final String remedy;

    WorkCompletionStatus(String text, String usualCause, String remedy) {
        this.text = text;
        this.usualCause = usualCause;
        this.remedy = remedy;
    }

    static WorkCompletionStatus ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? BY_CODE[code] : UNKNOWN;
    }

    /** {@return the meaning in words} */
    public String text() {
        return text;
    }

    /** {@return the usual cause; an empty string for success} */
    public String usualCause() {
        return usualCause;
    }

    /** {@return the usual remedy; an empty string for success} */
    public String remedy() {
        return remedy;
    }

    /** {@return meaning, usual cause and remedy in one line} */
    public String describe() {
        return this == SUCCESS ? text : Remedies.append("%s; usual cause: %s".formatted(text, usualCause), remedy);
    }
}
