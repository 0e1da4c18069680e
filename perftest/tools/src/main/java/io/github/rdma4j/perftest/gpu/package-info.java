// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** GPU memory instead of host memory. A test without GPU memory loads no class of this package. */
package io.github.rdma4j.perftest.gpu;
