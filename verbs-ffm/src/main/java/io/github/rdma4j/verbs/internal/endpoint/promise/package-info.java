// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The futures of endpoints. The endpoint or the program decides each once; it completes later, without a lock. A
 * waiting thread asks {@link Progress} to go on meanwhile. Leans on the JDK. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.promise;
