// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Explains why the kernel or a driver refused a verb if its errno says little: causes and remedies. It depends on
 * values and exceptions of the API and not on resources, so it can be tested with a simulated device. Not exported.
 */
package io.github.rdma4j.verbs.internal.explain;
