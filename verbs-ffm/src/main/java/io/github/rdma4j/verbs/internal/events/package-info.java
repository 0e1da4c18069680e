// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The JDK Flight Recorder events of this library; docs/monitoring.md has the list. Without a recording, the JVM
 * compiles their methods to nothing. Code on a fast path first checks for a recording, and creates no object without
 * one. {@code Recorder} is asked before one of these classes is used. The classes only depend on the JDK.
 */
package io.github.rdma4j.verbs.internal.events;
