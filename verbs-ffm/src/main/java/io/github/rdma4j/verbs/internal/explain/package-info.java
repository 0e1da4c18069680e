// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Why the kernel or a driver refused a verb, where its errno tells little: causes and remedies, from values alone. It
 * knows values and exceptions of the API, and no resource; so it can be tested with a device that is made up. Not
 * exported.
 */
package io.github.rdma4j.verbs.internal.explain;
