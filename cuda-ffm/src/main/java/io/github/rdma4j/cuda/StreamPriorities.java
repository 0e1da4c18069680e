// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * The priorities that streams of a device can have: the smaller the number, the more urgent. Both 0 where there are
 * none.
 *
 * @param least of the least urgent, 0 mostly
 * @param greatest of the most urgent, such as −5
 * @since 0.1.0
 */
public record StreamPriorities(int least, int greatest) {}
