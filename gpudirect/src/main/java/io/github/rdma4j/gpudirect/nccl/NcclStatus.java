// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * What NCCL says of a call ({@code ncclResult_t}), with the cause in words and what can be done about it.
 *
 * @since 0.1.0
 */
public enum NcclStatus {
    /** It went well. */
    SUCCESS(0, "ncclSuccess", "success", ""),
    /** CUDA refused something. */
    UNHANDLED_CUDA_ERROR(
            1,
            "ncclUnhandledCudaError",
            "a call of CUDA failed inside NCCL",
            "see what CUDA says of the device (nvidia-smi, and the kernel's log for Xid); after a lost context the"
                    + " process must end; else start with NCCL_DEBUG=INFO, which names the call"),
    /** A call of the system failed: a network, shared memory. */
    SYSTEM_ERROR(
            2,
            "ncclSystemError",
            "a call of the system failed inside NCCL, or the other ranks cannot be reached",
            "see whether rank 0 still runs and NCCL_SOCKET_IFNAME names the network that all ranks share; whether"
                    + " /dev/shm has room and the limits of locked memory and open files suffice (ulimit -l, -n);"
                    + " NCCL_DEBUG=INFO names the call"),
    /** A defect of NCCL. */
    INTERNAL_ERROR(
            3,
            "ncclInternalError",
            "an internal error of NCCL: a defect, or memory that somebody has overwritten",
            "start with NCCL_DEBUG=WARN and see NCCL's known issues for this version"),
    /** An argument that NCCL does not take. */
    INVALID_ARGUMENT(
            4,
            "ncclInvalidArgument",
            "an argument is not valid",
            "see that count, type, root and memory are as this rank's communicator wants them; NCCL_DEBUG=WARN names"
                    + " the argument"),
    /** Calls that do not go together. */
    INVALID_USAGE(
            5,
            "ncclInvalidUsage",
            "the call does not go with what this or another rank does: two ranks on one GPU, a mixture in a group, or"
                    + " a communicator that is over",
            "give each rank a GPU of its own, and let all ranks make the same calls in the same order"),
    /** Another rank is gone. */
    REMOTE_ERROR(
            6,
            "ncclRemoteError",
            "another rank has ended or aborted, or the network has failed",
            "abort this communicator, and make a new one with the remaining ranks; see the logs of the others for the"
                    + " first failure"),
    /** Not over yet. */
    IN_PROGRESS(7, "ncclInProgress", "the call is not over yet", "await it, with a time limit"),
    /** NCCL's own limit. */
    TIMEOUT(
            8,
            "ncclTimeout",
            "a time limit of NCCL's own was over",
            "see whether all ranks still run; then abort this communicator"),
    /** A number that this library does not know. */
    UNKNOWN(-1, "ncclResult_t", "a result that rdma4j does not know", "see nccl.h of the installed version");

    private final int number;
    private final String nativeName;
    private final String explanation;
    private final String remedy;

    NcclStatus(int number, String nativeName, String explanation, String remedy) {
        this.number = number;
        this.nativeName = nativeName;
        this.explanation = explanation;
        this.remedy = remedy;
    }

    /** {@return its number in nccl.h; −1 for {@link #UNKNOWN}} */
    public int number() {
        return number;
    }

    /** {@return its name in nccl.h} */
    public String nativeName() {
        return nativeName;
    }

    /** {@return what it means} */
    public String explanation() {
        return explanation;
    }

    /** {@return what can be done about it; an empty string where nothing needs to be} */
    public String remedy() {
        return remedy;
    }

    /**
     * The status of a number.
     *
     * @param number as NCCL gave it
     * @return the status; {@link #UNKNOWN} for others
     */
    public static NcclStatus of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN;
    }
}
