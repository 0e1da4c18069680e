/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The umbrella header. cudaTypedefs.h names every function of every version as a type of a pointer to it, which is what a
 * function that is looked up at run time (cuGetProcAddress) needs: its signature, and no symbol.
 */
#include <cuda.h>
#include <cudaTypedefs.h>
