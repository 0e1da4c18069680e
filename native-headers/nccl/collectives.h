/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The umbrella header. As with cuFile, the library is opened at run time, where it is there, so what is needed of each
 * function is its signature as the type of a pointer, and no symbol. With RDMA4J_CHECK_SIGNATURES the compiler compares
 * each with the declaration in nccl.h.
 */
#include <nccl.h>

#ifdef RDMA4J_CHECK_SIGNATURES
#define SIGNATURE(result, function, ...) \
    typedef result (*PFN_##function)(__VA_ARGS__); \
    _Static_assert(__builtin_types_compatible_p(PFN_##function, __typeof__(&function)), #function " is declared otherwise")
#else
#define SIGNATURE(result, function, ...) typedef result (*PFN_##function)(__VA_ARGS__)
#endif

/* The library */
SIGNATURE(ncclResult_t, ncclGetVersion, int *version);
SIGNATURE(const char*, ncclGetErrorString, ncclResult_t result);
SIGNATURE(const char*, ncclGetLastError, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclMemAlloc, void** ptr, size_t size);
SIGNATURE(ncclResult_t, ncclMemFree, void *ptr);
SIGNATURE(ncclResult_t, ncclParamGetParameter, const char* key, const char** value, int* valueLen);

/* Communicators */
SIGNATURE(ncclResult_t, ncclGetUniqueId, ncclUniqueId* uniqueId);
SIGNATURE(ncclResult_t, ncclCommInitRank, ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank);
SIGNATURE(ncclResult_t, ncclCommInitRankConfig, ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank,
          ncclConfig_t* config);
SIGNATURE(ncclResult_t, ncclCommInitAll, ncclComm_t* comm, int ndev, const int* devlist);
SIGNATURE(ncclResult_t, ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t*
          config);
SIGNATURE(ncclResult_t, ncclCommShrink, ncclComm_t comm, int* excludeRanksList, int excludeRanksCount, ncclComm_t*
          newcomm, ncclConfig_t* config, int shrinkFlags);
SIGNATURE(ncclResult_t, ncclCommRevoke, ncclComm_t comm, int revokeFlags);
SIGNATURE(ncclResult_t, ncclCommFinalize, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclCommDestroy, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclCommAbort, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t *asyncError);
SIGNATURE(ncclResult_t, ncclCommCount, const ncclComm_t comm, int* count);
SIGNATURE(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int* device);
SIGNATURE(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int* rank);
SIGNATURE(ncclResult_t, ncclCommSuspend, ncclComm_t comm, int flags);
SIGNATURE(ncclResult_t, ncclCommResume, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclCommMemStats, ncclComm_t comm, ncclCommMemStat_t stat, uint64_t* value);

/* Memory that a communicator knows */
SIGNATURE(ncclResult_t, ncclCommRegister, const ncclComm_t comm, void* buff, size_t size, void** handle);
SIGNATURE(ncclResult_t, ncclCommDeregister, const ncclComm_t comm, void* handle);
SIGNATURE(ncclResult_t, ncclCommWindowRegister, ncclComm_t comm, void* buff, size_t size, ncclWindow_t* win, int
          winFlags);
SIGNATURE(ncclResult_t, ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t win);

/* Reductions of the user's */
SIGNATURE(ncclResult_t, ncclRedOpCreatePreMulSum, ncclRedOp_t *op, void *scalar, ncclDataType_t datatype,
          ncclScalarResidence_t residence, ncclComm_t comm);
SIGNATURE(ncclResult_t, ncclRedOpDestroy, ncclRedOp_t op, ncclComm_t comm);

/* Collectives */
SIGNATURE(ncclResult_t, ncclReduce, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype,
          ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclBroadcast, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype,
          int root, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclAllReduce, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype,
          ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclReduceScatter, const void* sendbuff, void* recvbuff, size_t recvcount, ncclDataType_t
          datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclAllGather, const void* sendbuff, void* recvbuff, size_t sendcount, ncclDataType_t
          datatype, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclAlltoAll, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype,
          ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclGather, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int
          root, ncclComm_t comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclScatter, const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int
          root, ncclComm_t comm, cudaStream_t stream);

/* From rank to rank */
SIGNATURE(ncclResult_t, ncclSend, const void* sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t
          comm, cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclRecv, void* recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
          cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclPutSignal, const void* localbuff, size_t count, ncclDataType_t datatype, int peer,
          ncclWindow_t peerWin, size_t peerWinOffset, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm,
          cudaStream_t stream);
SIGNATURE(ncclResult_t, ncclSignal, int peer, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm, cudaStream_t
          stream);
SIGNATURE(ncclResult_t, ncclWaitSignal, int nDesc, ncclWaitSignalDesc_t* signalDescs, ncclComm_t comm, cudaStream_t
          stream);

/* Groups */
SIGNATURE(ncclResult_t, ncclGroupStart, void);
SIGNATURE(ncclResult_t, ncclGroupEnd, void);
SIGNATURE(ncclResult_t, ncclGroupSimulateEnd, ncclSimInfo_t* simInfo);
