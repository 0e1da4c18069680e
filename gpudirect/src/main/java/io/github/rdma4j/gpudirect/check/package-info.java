// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The findings of GPUDirect for {@code rdma4j doctor}: what works, what it means, the fix, and the path that each pair
 * of a GPU and an adapter would use. docs/doctor.md is the manual.
 */
package io.github.rdma4j.gpudirect.check;
