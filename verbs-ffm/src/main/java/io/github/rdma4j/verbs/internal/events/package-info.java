// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The events that this library gives to JDK Flight Recorder; docs/monitoring.md has the list. While nobody
 * records, the JVM takes their methods for empty. What is on a fast path asks first whether somebody does, and makes
 * no object else. Before one of these classes is touched, Recorder is asked. They lean on nothing but the JDK.
 */
package io.github.rdma4j.verbs.internal.events;
