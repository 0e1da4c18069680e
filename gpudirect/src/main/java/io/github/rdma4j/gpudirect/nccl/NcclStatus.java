// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * The result of a call of NCCL ({@code ncclResult_t}), with the cause and a remedy.
 *
 * @since 0.1.0
 */
public enum NcclStatus {
    /** Success. */
    SUCCESS(0, "ncclSuccess", "success", ""),
    /** A call of CUDA failed. */
    UNHANDLED_CUDA_ERROR(
            1,
            "ncclUnhandledCudaError",
            "a CUDA call failed inside NCCL",
            "check the device (nvidia-smi, and the kernel's log for Xid); after a lost context the"
                    + " process must end; otherwise start with NCCL_DEBUG=INFO, which names the call"),
    /** A system call failed: of the network or of shared memory. */
    SYSTEM_ERROR(
            2,
            "ncclSystemError",
            "a system call failed inside NCCL, or the other ranks cannot be reached",
            "check whether rank 0 is running and NCCL_SOCKET_IFNAME names the network that all ranks share; whether"
                    + " /dev/shm has free space and the limits of locked memory and open files suffice (ulimit -l, -n);"
                    + " NCCL_DEBUG=INFO names the call"),
    /** A defect of NCCL. */
    INTERNAL_ERROR(
            3,
            "ncclInternalError",
            "an internal error of NCCL: a defect, or overwritten memory",
            "start with NCCL_DEBUG=WARN and see NCCL's known issues for this version"),
    /** An argument is not valid. */
    INVALID_ARGUMENT(
            4,
            "ncclInvalidArgument",
            "an argument is not valid",
            "check count, type, root and memory; NCCL_DEBUG=WARN names" + " the argument"),
    /** The calls are incompatible. */
    INVALID_USAGE(
            5,
            "ncclInvalidUsage",
            "the call is incompatible with this or another rank: two ranks on one GPU, mixed calls in a group, or"
                    + " a communicator that has ended",
            "give each rank a GPU of its own, and let all ranks make the same calls in the same order"),
    /** Another rank has failed. */
    REMOTE_ERROR(
            6,
            "ncclRemoteError",
            "another rank has ended or aborted, or the network has failed",
            "abort this communicator, and make a new one with the remaining ranks; see the logs of the others for the"
                    + " first failure"),
    /** Not finished yet. */
    IN_PROGRESS(7, "ncclInProgress", "the call has not finished", "await it with a timeout"),
    /** A timeout of NCCL itself. */
    TIMEOUT(
            8,
            "ncclTimeout",
            "a timeout of NCCL itself has passed",
            "check whether all ranks are running; then abort this communicator"),
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

    /** {@return the meaning} */
    public String explanation() {
        return explanation;
    }

    /** {@return the remedy; an empty string if none is needed} */
    public String remedy() {
        return remedy;
    }

    /**
     * Returns the status with a number.
     *
     * @param number NCCL's number
     * @return the status; {@link #UNKNOWN} for others
     */
    public static NcclStatus of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN;
    }
}
