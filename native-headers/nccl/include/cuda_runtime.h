/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What nccl.h needs of CUDA's runtime: one type, and size_t. With this in its place the bindings can be made, and
 * compared, without the CUDA toolkit.
 */
#ifndef RDMA4J_CUDA_RUNTIME_H
#define RDMA4J_CUDA_RUNTIME_H

#include <stddef.h>

#define CUDART_VERSION 13000
typedef struct CUstream_st *cudaStream_t;

#endif
