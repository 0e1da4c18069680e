/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The umbrella header. The library is opened at run time, where it is there, so what is needed of each function is its
 * signature and no symbol: a type of a pointer to it, as cudaTypedefs.h has them for CUDA's driver. cuFile has no such
 * header, and jextract does not take __typeof__; so the types stand here. With RDMA4J_CHECK_SIGNATURES the compiler
 * compares each with the declaration in cufile.h.
 */
#include <time.h>
#include <cufile.h>

#ifdef RDMA4J_CHECK_SIGNATURES
#define SIGNATURE(result, function, ...) \
    typedef result (*PFN_##function)(__VA_ARGS__); \
    _Static_assert(__builtin_types_compatible_p(PFN_##function, __typeof__(&function)), #function " is declared otherwise")
#else
#define SIGNATURE(result, function, ...) typedef result (*PFN_##function)(__VA_ARGS__)
#endif

/* The driver */
SIGNATURE(CUfileError_t, cuFileGetVersion, int *version);
SIGNATURE(CUfileError_t, cuFileDriverOpen, void);
SIGNATURE(CUfileError_t, cuFileDriverClose_v2, void);
SIGNATURE(CUfileError_t, cuFileDriverGetProperties, CUfileDrvProps_t *props);
SIGNATURE(CUfileError_t, cuFileDriverSetPollMode, bool poll, size_t poll_threshold_size);
SIGNATURE(CUfileError_t, cuFileDriverSetMaxDirectIOSize, size_t max_direct_io_size);
SIGNATURE(CUfileError_t, cuFileDriverSetMaxCacheSize, size_t max_cache_size);
SIGNATURE(CUfileError_t, cuFileDriverSetMaxPinnedMemSize, size_t max_pinned_size);

/* Files and memory */
SIGNATURE(CUfileError_t, cuFileHandleRegister, CUfileHandle_t *fh, CUfileDescr_t *descr);
SIGNATURE(void, cuFileHandleDeregister, CUfileHandle_t fh);
SIGNATURE(CUfileError_t, cuFileBufRegister, const void *bufPtr_base, size_t length, int flags);
SIGNATURE(CUfileError_t, cuFileBufDeregister, const void *bufPtr_base);
SIGNATURE(ssize_t, cuFileRead, CUfileHandle_t fh, void *bufPtr_base, size_t size, off_t file_offset, off_t bufPtr_offset);
SIGNATURE(ssize_t, cuFileWrite, CUfileHandle_t fh, const void *bufPtr_base, size_t size, off_t file_offset,
          off_t bufPtr_offset);

/* Batches */
SIGNATURE(CUfileError_t, cuFileBatchIOSetUp, CUfileBatchHandle_t *batch_idp, unsigned nr);
SIGNATURE(CUfileError_t, cuFileBatchIOSubmit, CUfileBatchHandle_t batch_idp, unsigned nr, CUfileIOParams_t *iocbp,
          unsigned int flags);
SIGNATURE(CUfileError_t, cuFileBatchIOGetStatus, CUfileBatchHandle_t batch_idp, unsigned min_nr, unsigned *nr,
          CUfileIOEvents_t *iocbp, struct timespec *timeout);
SIGNATURE(CUfileError_t, cuFileBatchIOCancel, CUfileBatchHandle_t batch_idp);
SIGNATURE(void, cuFileBatchIODestroy, CUfileBatchHandle_t batch_idp);

/* In the order of streams */
SIGNATURE(CUfileError_t, cuFileStreamRegister, CUstream stream, unsigned flags);
SIGNATURE(CUfileError_t, cuFileStreamDeregister, CUstream stream);
SIGNATURE(CUfileError_t, cuFileReadAsync, CUfileHandle_t fh, void *bufPtr_base, size_t *size_p, off_t *file_offset_p,
          off_t *bufPtr_offset_p, ssize_t *bytes_read_p, CUstream stream);
SIGNATURE(CUfileError_t, cuFileWriteAsync, CUfileHandle_t fh, void *bufPtr_base, size_t *size_p, off_t *file_offset_p,
          off_t *bufPtr_offset_p, ssize_t *bytes_written_p, CUstream stream);
