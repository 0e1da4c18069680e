// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Many endpoints at a time: the queues that the members of an endpoint group share ({@link SharedQueues}), and the
 * entries of a selector ({@link SelectorEntry}). Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.group;
