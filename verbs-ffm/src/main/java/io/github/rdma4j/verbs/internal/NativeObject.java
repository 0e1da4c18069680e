// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;

/**
 * A native object that was just created, and how it is destroyed.
 *
 * @param segment the {@code struct ibv_*}
 * @param destruction the verb that destroys it, with its arguments, for messages
 * @param destroy calls that verb and returns 0 or an errno
 */
public record NativeObject(MemorySegment segment, String destruction, IntSupplier destroy) {}
