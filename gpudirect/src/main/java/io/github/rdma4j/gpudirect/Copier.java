// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/** Copies between slots and the memory of staged transfers, in the order in which they are queued. */
interface Copier {
    /**
     * Queues the copy of the slot's chunk from the device.
     *
     * @return why the contents of the chunk are unreliable although the copy is queued; null if they are reliable
     * @throws RuntimeException if nothing is queued
     */
    RuntimeException copyOut(Slots.Slot slot);

    /**
     * Queues the copy of the slot's chunk to the device.
     *
     * @param last whether this is the last chunk of the transfer
     * @return as {@link #copyOut}
     * @throws RuntimeException if nothing is queued
     */
    RuntimeException copyIn(Slots.Slot slot, boolean last);

    /**
     * Whether the copy of a slot has ended, so that nothing accesses the source or the target any more. False if the
     * driver cannot be queried now.
     *
     * @throws RuntimeException if the copy ended because the context is lost
     */
    boolean isOver(Slots.Slot slot);
}
