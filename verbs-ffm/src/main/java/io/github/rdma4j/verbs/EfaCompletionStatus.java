// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.Remedies;

/**
 * The result of a work request on an Elastic Fabric Adapter ({@code enum efa_io_comp_status}), which completions have
 * as their vendor error. It is more precise than {@link WorkCompletionStatus}: libefa maps several results to one
 * status, and libefa of rdma-core 44 maps {@link #REMOTE_ERROR_BAD_ADDRESS} and {@link #REMOTE_ERROR_UNKNOWN_PEER} to
 * {@link WorkCompletionStatus#GENERAL_ERR}.
 *
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public enum EfaCompletionStatus {
    /** The request succeeded. */
    OK(0, "", ""),
    /** The queue pair is in the error state or was destroyed. */
    FLUSHED(1, "the queue pair was moved to the error state before the request ended", "create another queue pair"),
    /** The queue pair has failed. */
    LOCAL_ERROR_QP_INTERNAL_ERROR(
            2, "the queue pair has failed inside the adapter", "close the queue pair and create another one"),
    /** The operation is not supported. */
    LOCAL_ERROR_UNSUPPORTED_OP(
            3, "the adapter does not support the operation", "compare it with DeviceContext.queryEfa"),
    /** The address handle is invalid. */
    LOCAL_ERROR_INVALID_AH(
            4,
            "the address handle was closed while the request was outstanding",
            "keep the address handle open until its requests have completed"),
    /** The local memory key does not allow the access. */
    LOCAL_ERROR_INVALID_LKEY(
            5,
            "the local region does not cover the memory, lacks LOCAL_WRITE, or was closed while the request was"
                    + " outstanding",
            "keep the region open until the completion is polled"),
    /** The message is too long. */
    LOCAL_ERROR_BAD_LENGTH(
            6,
            "the message is longer than the adapter sends at once",
            "send at most PortAttributes.maxMessageSize, and read or write at most EfaDeviceAttributes.maxRdmaSize"),
    /** The peer's memory key does not allow the access. */
    REMOTE_ERROR_BAD_ADDRESS(
            7,
            "the remote key is wrong, the range lies outside the peer's region, or the region lacks the remote right;"
                    + " of a send, the peer's machine is down or has no EFA",
            "compare address, length and key with what the peer announced, and register with REMOTE_READ or"
                    + " REMOTE_WRITE"),
    /** The peer has reset the connection. */
    REMOTE_ERROR_ABORT(8, "the peer's adapter has ended the connection", "check that the peer's process still runs"),
    /** The peer's queue pair does not exist or has failed. */
    REMOTE_ERROR_BAD_DEST_QPN(
            9,
            "the peer has no such queue pair, it is in the error state, or its Q_Key differs",
            "compare number and Q_Key with what the peer announced"),
    /** The peer has no receive posted. */
    REMOTE_ERROR_RNR(10, "the peer posts receives too late or too few", "post more receives, or raise rnrRetry"),
    /** The peer's receive is smaller than the message. */
    REMOTE_ERROR_BAD_LENGTH(11, "the peer's receive is smaller than the message", "post longer receives at the peer"),
    /** The peer's answer is not understood. */
    REMOTE_ERROR_BAD_STATUS(12, "the peer's adapter has sent an unexpected answer", "update the adapters' drivers"),
    /** The peer does not answer any more. */
    LOCAL_ERROR_UNRESP_REMOTE(
            13, "the peer has answered before and does not answer now", "check that the peer's machine still runs"),
    /** The peer has no address handle for this side. */
    REMOTE_ERROR_UNKNOWN_PEER(
            14,
            "the target of a read or write has no address handle for this side",
            "have the peer call ProtectionDomain.createAddressHandle with this side's GID, and keep it open"),
    /** The peer has never answered. */
    LOCAL_ERROR_UNREACH_REMOTE(
            15,
            "the peer has never answered: its GID is wrong, or its security group does not admit all traffic of this"
                    + " one",
            "have both security groups admit all traffic from each other and to each other, and compare the GID"),
    /** The two sides use different features. */
    REMOTE_ERROR_FEATURE_MISMATCH(
            18,
            "the two queue pairs differ in a feature, such as unsolicited writes",
            "give both queue pairs the same SrdQueuePairConfig.unsolicitedWrites"),
    /** A status that this library has no name for. */
    UNKNOWN(-1, "the adapter is newer than this library", "look the vendor error up in efa_io_defs.h of rdma-core");

    private final int code;
    private final String cause;
    private final String remedy;

    EfaCompletionStatus(int code, String cause, String remedy) {
        this.code = code;
        this.cause = cause;
        this.remedy = remedy;
    }

    /**
     * Returns the status of a completion.
     *
     * @param vendorError {@link WorkCompletion#vendorError()} or {@link CompletionCursor#vendorError()}
     * @return the status; {@link #UNKNOWN} for an unknown number
     */
    public static EfaCompletionStatus ofVendorError(int vendorError) {
        for (EfaCompletionStatus status : values()) {
            if (status.code == vendorError) {
                return status;
            }
        }
        return UNKNOWN;
    }

    /** {@return the vendor error of completions; -1 for {@link #UNKNOWN}} */
    public int code() {
        return code;
    }

    /** {@return the usual cause, without a full stop; empty for {@link #OK}} */
    public String usualCause() {
        return cause;
    }

    /** {@return what to do, without a full stop; empty for {@link #OK}} */
    public String remedy() {
        return remedy;
    }

    /** {@return cause and remedy in one line; "success" for {@link #OK}} */
    public String describe() {
        return this == OK ? "success" : Remedies.append(cause, remedy);
    }
}
