// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The memory of a GPU in the place of the host's: nothing of this package is loaded by a test that does not ask for it.
 */
package io.github.rdma4j.perftest.gpu;
