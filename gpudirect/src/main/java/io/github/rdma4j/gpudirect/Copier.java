// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/** Copies between slots and the memory of staged transfers, in the order in which they are queued. */
interface Copier {
    /**
     * Queues the copy of the slot's chunk from the device.
     *
     * @return why the chunk cannot be relied on, though the copy is queued; null if it can
     * @throws RuntimeException if nothing is queued
     */
    RuntimeException copyOut(Slots.Slot slot);

    /**
     * Queues the copy of the slot's chunk to the device.
     *
     * @param last whether the transfer ends with it
     * @return as {@link #copyOut}
     * @throws RuntimeException if nothing is queued
     */
    RuntimeException copyIn(Slots.Slot slot, boolean last);

    /**
     * Whether the copy of a slot is over: nothing touches its two ends any more. A question that the driver refuses is
     * no answer.
     *
     * @throws RuntimeException if it is over because nothing goes on any more
     */
    boolean isOver(Slots.Slot slot);
}
