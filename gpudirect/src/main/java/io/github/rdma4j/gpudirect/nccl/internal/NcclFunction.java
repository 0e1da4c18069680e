// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl.internal;

import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclAllGather;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclAllReduce;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclAlltoAll;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclBroadcast;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommAbort;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommCount;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommCuDevice;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommDeregister;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommDestroy;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommFinalize;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommGetAsyncError;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommInitAll;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommInitRank;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommInitRankConfig;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommMemStats;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommRegister;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommResume;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommRevoke;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommShrink;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommSplit;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommSuspend;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommUserRank;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommWindowDeregister;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclCommWindowRegister;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGather;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGetErrorString;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGetLastError;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGetUniqueId;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGetVersion;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGroupEnd;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGroupSimulateEnd;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclGroupStart;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclMemAlloc;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclMemFree;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclParamGetParameter;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclPutSignal;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclRecv;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclRedOpCreatePreMulSum;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclRedOpDestroy;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclReduce;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclReduceScatter;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclScatter;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclSend;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclSignal;
import io.github.rdma4j.gpudirect.nccl.bindings.PFN_ncclWaitSignal;
import java.lang.foreign.FunctionDescriptor;

/**
 * The bound functions, each with the first version of NCCL whose header declares it. 2.3.7 stands for all earlier
 * versions.
 */
public enum NcclFunction {
    /** ncclGetVersion. */
    GET_VERSION("ncclGetVersion", PFN_ncclGetVersion.descriptor(), 2, 3, 7),
    /** ncclGetErrorString. */
    GET_ERROR_STRING("ncclGetErrorString", PFN_ncclGetErrorString.descriptor(), 2, 3, 7),
    /** ncclGetLastError. */
    GET_LAST_ERROR("ncclGetLastError", PFN_ncclGetLastError.descriptor(), 2, 13, 4),
    /** ncclMemAlloc. */
    MEMORY_ALLOC("ncclMemAlloc", PFN_ncclMemAlloc.descriptor(), 2, 19, 1),
    /** ncclMemFree. */
    MEMORY_FREE("ncclMemFree", PFN_ncclMemFree.descriptor(), 2, 19, 1),
    /** ncclParamGetParameter. */
    PARAMETER("ncclParamGetParameter", PFN_ncclParamGetParameter.descriptor(), 2, 30, 4),
    /** ncclGetUniqueId. */
    GET_UNIQUE_ID("ncclGetUniqueId", PFN_ncclGetUniqueId.descriptor(), 2, 3, 7),
    /** ncclCommInitRank. */
    COMM_INIT_RANK("ncclCommInitRank", PFN_ncclCommInitRank.descriptor(), 2, 3, 7),
    /** ncclCommInitRankConfig. */
    COMM_INIT_RANK_CONFIG("ncclCommInitRankConfig", PFN_ncclCommInitRankConfig.descriptor(), 2, 14, 3),
    /** ncclCommInitAll. */
    COMM_INIT_ALL("ncclCommInitAll", PFN_ncclCommInitAll.descriptor(), 2, 3, 7),
    /** ncclCommSplit. */
    COMM_SPLIT("ncclCommSplit", PFN_ncclCommSplit.descriptor(), 2, 18, 1),
    /** ncclCommShrink. */
    COMM_SHRINK("ncclCommShrink", PFN_ncclCommShrink.descriptor(), 2, 27, 3),
    /** ncclCommRevoke. */
    COMM_REVOKE("ncclCommRevoke", PFN_ncclCommRevoke.descriptor(), 2, 28, 7),
    /** ncclCommFinalize. */
    COMM_FINALIZE("ncclCommFinalize", PFN_ncclCommFinalize.descriptor(), 2, 14, 3),
    /** ncclCommDestroy. */
    COMM_DESTROY("ncclCommDestroy", PFN_ncclCommDestroy.descriptor(), 2, 3, 7),
    /** ncclCommAbort. */
    COMM_ABORT("ncclCommAbort", PFN_ncclCommAbort.descriptor(), 2, 4, 2),
    /** ncclCommGetAsyncError. */
    COMM_GET_ASYNC_ERROR("ncclCommGetAsyncError", PFN_ncclCommGetAsyncError.descriptor(), 2, 4, 2),
    /** ncclCommCount. */
    COMM_COUNT("ncclCommCount", PFN_ncclCommCount.descriptor(), 2, 3, 7),
    /** ncclCommCuDevice. */
    COMM_CUDA_DEVICE("ncclCommCuDevice", PFN_ncclCommCuDevice.descriptor(), 2, 3, 7),
    /** ncclCommUserRank. */
    COMM_USER_RANK("ncclCommUserRank", PFN_ncclCommUserRank.descriptor(), 2, 3, 7),
    /** ncclCommSuspend. */
    COMM_SUSPEND("ncclCommSuspend", PFN_ncclCommSuspend.descriptor(), 2, 29, 7),
    /** ncclCommResume. */
    COMM_RESUME("ncclCommResume", PFN_ncclCommResume.descriptor(), 2, 29, 7),
    /** ncclCommMemStats. */
    COMM_MEMORY_STATS("ncclCommMemStats", PFN_ncclCommMemStats.descriptor(), 2, 29, 7),
    /** ncclCommRegister. */
    COMM_REGISTER("ncclCommRegister", PFN_ncclCommRegister.descriptor(), 2, 19, 1),
    /** ncclCommDeregister. */
    COMM_DEREGISTER("ncclCommDeregister", PFN_ncclCommDeregister.descriptor(), 2, 19, 1),
    /** ncclCommWindowRegister. */
    COMM_WINDOW_REGISTER("ncclCommWindowRegister", PFN_ncclCommWindowRegister.descriptor(), 2, 27, 3),
    /** ncclCommWindowDeregister. */
    COMM_WINDOW_DEREGISTER("ncclCommWindowDeregister", PFN_ncclCommWindowDeregister.descriptor(), 2, 27, 3),
    /** ncclRedOpCreatePreMulSum. */
    OPERATOR_CREATE_PRE_MUL_SUM("ncclRedOpCreatePreMulSum", PFN_ncclRedOpCreatePreMulSum.descriptor(), 2, 11, 4),
    /** ncclRedOpDestroy. */
    OPERATOR_DESTROY("ncclRedOpDestroy", PFN_ncclRedOpDestroy.descriptor(), 2, 11, 4),
    /** ncclReduce. */
    REDUCE("ncclReduce", PFN_ncclReduce.descriptor(), 2, 3, 7),
    /** ncclBroadcast. */
    BROADCAST("ncclBroadcast", PFN_ncclBroadcast.descriptor(), 2, 3, 7),
    /** ncclAllReduce. */
    ALL_REDUCE("ncclAllReduce", PFN_ncclAllReduce.descriptor(), 2, 3, 7),
    /** ncclReduceScatter. */
    REDUCE_SCATTER("ncclReduceScatter", PFN_ncclReduceScatter.descriptor(), 2, 3, 7),
    /** ncclAllGather. */
    ALL_GATHER("ncclAllGather", PFN_ncclAllGather.descriptor(), 2, 3, 7),
    /** ncclAlltoAll. */
    ALL_TO_ALL("ncclAlltoAll", PFN_ncclAlltoAll.descriptor(), 2, 28, 3),
    /** ncclGather. */
    GATHER("ncclGather", PFN_ncclGather.descriptor(), 2, 28, 3),
    /** ncclScatter. */
    SCATTER("ncclScatter", PFN_ncclScatter.descriptor(), 2, 28, 3),
    /** ncclSend. */
    SEND("ncclSend", PFN_ncclSend.descriptor(), 2, 7, 3),
    /** ncclRecv. */
    RECEIVE("ncclRecv", PFN_ncclRecv.descriptor(), 2, 7, 3),
    /** ncclPutSignal. */
    PUT_SIGNAL("ncclPutSignal", PFN_ncclPutSignal.descriptor(), 2, 29, 2),
    /** ncclSignal. */
    SIGNAL("ncclSignal", PFN_ncclSignal.descriptor(), 2, 29, 2),
    /** ncclWaitSignal. */
    WAIT_SIGNAL("ncclWaitSignal", PFN_ncclWaitSignal.descriptor(), 2, 29, 2),
    /** ncclGroupStart. */
    GROUP_START("ncclGroupStart", PFN_ncclGroupStart.descriptor(), 2, 3, 7),
    /** ncclGroupEnd. */
    GROUP_END("ncclGroupEnd", PFN_ncclGroupEnd.descriptor(), 2, 3, 7),
    /** ncclGroupSimulateEnd. */
    GROUP_SIMULATE_END("ncclGroupSimulateEnd", PFN_ncclGroupSimulateEnd.descriptor(), 2, 22, 3);

    private static final int HUNDRED = 100;
    private static final int LAST_SHORT_MINOR = 8;
    private static final int SHORT_MAJOR = 1000;
    private static final int MAJOR = 10_000;

    private final String symbol;
    private final FunctionDescriptor descriptor;
    private final int since;

    NcclFunction(String symbol, FunctionDescriptor descriptor, int major, int minor, int patch) {
        this.symbol = symbol;
        this.descriptor = descriptor;
        this.since = code(major, minor, patch);
    }

    /** {@return its name in nccl.h} */
    public String symbol() {
        return symbol;
    }

    /** {@return the first version that has it, as NCCL_VERSION_CODE} */
    public int since() {
        return since;
    }

    FunctionDescriptor descriptor() {
        return descriptor;
    }

    /** The format of NCCL_VERSION, which changed with 2.9. */
    public static int code(int major, int minor, int patch) {
        return (major <= 2 && minor <= LAST_SHORT_MINOR ? SHORT_MAJOR : MAJOR) * major + HUNDRED * minor + patch;
    }
}
