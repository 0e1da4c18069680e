// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class NativeObjectsTest {
    private static final String MAKE = "ibv_get_device_list";
    private static final String END = "ibv_free_device_list";
    private static final String CLOSE_DEVICE = "ibv_close_device";

    /** Where nothing is: the account reads no memory of a list. */
    private static final MemorySegment OBJECT = MemorySegment.ofAddress(0x10);

    private static final Object[] ITSELF = {OBJECT};

    @Test
    void addressThatIsUsedAgainBeforeItsReleaseReturnsBelongsToTheNewObject() {
        NativeObjects.after(MAKE, new Object[] {MemorySegment.NULL}, OBJECT, null);
        String maker = NativeObjects.before(END, ITSELF);
        // Another thread's call is given the address while this one has not returned.
        NativeObjects.after(MAKE, new Object[] {MemorySegment.NULL}, OBJECT, null);
        NativeObjects.after(END, ITSELF, null, maker);

        assertThat(NativeObjects.counts()).containsEntry(MAKE, 1);
        NativeObjects.after(END, ITSELF, null, NativeObjects.before(END, ITSELF));
        assertThat(NativeObjects.counts()).doesNotContainKey(MAKE);
    }

    @Test
    void secondReleaseIsRefused() {
        assertThatThrownBy(() -> NativeObjects.before(END, ITSELF))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("it was released before");
    }

    @Test
    void refusedReleaseKeepsTheObject() {
        NativeObjects.after(MAKE, new Object[] {MemorySegment.NULL}, OBJECT, null);
        NativeObjects.after(CLOSE_DEVICE, ITSELF, -1, NativeObjects.before(CLOSE_DEVICE, ITSELF));

        assertThat(NativeObjects.counts()).containsEntry(MAKE, 1);
        NativeObjects.after(END, ITSELF, null, NativeObjects.before(END, ITSELF));
    }
}
