// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/** A simulated stream and its slots. Copies happen one at a time, when the schedule runs them. */
final class SimulatedCopier implements Copier {
    private record Copy(Slots.Slot slot, boolean out) {}

    private final int chunk;
    private final byte[][] slots;
    private final ArrayDeque<Copy> queue = new ArrayDeque<>();
    private final boolean[] under;
    private final boolean[] unrecorded;
    /** Each returns whether its operation fails now. */
    BooleanSupplier refusesCopies = () -> false;

    BooleanSupplier refusesEvents = () -> false;
    BooleanSupplier refusesQuestions = () -> false;
    boolean lost;

    SimulatedCopier(int count, int chunk) {
        this.chunk = chunk;
        slots = new byte[count][chunk];
        under = new boolean[count];
        unrecorded = new boolean[count];
    }

    byte[] bytes(Slots.Slot slot) {
        return slots[slot.index()];
    }

    @Override
    public RuntimeException copyOut(Slots.Slot slot) {
        return queue(slot, true);
    }

    @Override
    public RuntimeException copyIn(Slots.Slot slot, boolean last) {
        return queue(slot, false);
    }

    private RuntimeException queue(Slots.Slot slot, boolean out) {
        if (lost || refusesCopies.getAsBoolean()) {
            throw new IllegalStateException("no copy");
        }
        queue.add(new Copy(slot, out));
        under[slot.index()] = true;
        unrecorded[slot.index()] = refusesEvents.getAsBoolean();
        return unrecorded[slot.index()] ? new IllegalStateException("no event") : null;
    }

    @Override
    public boolean isOver(Slots.Slot slot) {
        if (lost) {
            throw new IllegalStateException("the context is lost");
        }
        if (refusesQuestions.getAsBoolean()) {
            return false;
        }
        return unrecorded[slot.index()] ? queue.isEmpty() : !under[slot.index()];
    }

    /** Nothing goes on any more. */
    void lose() {
        lost = true;
        queue.clear();
    }

    /** Does the next copy, if there is one. */
    boolean copyOne() {
        Copy copy = queue.poll();
        if (copy == null) {
            return false;
        }
        Slots.Slot slot = copy.slot;
        under[slot.index()] = false;
        SimulatedJob job = (SimulatedJob) slot.job;
        byte[] memory = job.memory("a copy");
        int start = (int) (slot.chunk * chunk);
        if (copy.out) {
            System.arraycopy(memory, start, slots[slot.index()], 0, slot.length);
        } else {
            System.arraycopy(slots[slot.index()], 0, memory, start, slot.length);
        }
        return true;
    }
}
