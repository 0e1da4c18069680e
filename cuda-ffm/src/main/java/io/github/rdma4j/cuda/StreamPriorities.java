// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * The priorities that streams of a device can have: the lower the number, the more urgent. Both are 0 if the device has
 * no priorities.
 *
 * @param least the least urgent priority, usually 0
 * @param greatest the most urgent priority, such as −5
 * @since 0.1.0
 */
public record StreamPriorities(int least, int greatest) {}
