// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The futures of endpoints: decided once, by the endpoint or by the program, and told later, without a lock. Whoever
 * waits for one asks {@link Progress} to go on meanwhile. Leans on the JDK. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.promise;
