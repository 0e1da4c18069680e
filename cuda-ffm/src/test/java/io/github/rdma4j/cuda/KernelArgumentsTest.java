// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the arguments that a launch passes to the driver. */
@ExtendWith(StandInDriver.class)
class KernelArgumentsTest extends DeviceFixture {
    private static final int[] SIZES = {1, 2, 4, 8, 4, 8, 12};

    @Test
    void eachKindOfValueLiesWhereItsPointerLeads() {
        MemorySegment struct = pattern(12);
        KernelArguments arguments = KernelArguments.ofSizes(SIZES);
        assertThat(arguments
                        .setByte(0, (byte) -5)
                        .setShort(1, (short) -300)
                        .setInt(2, -70_000)
                        .setLong(3, -1L << 40)
                        .setFloat(4, 1.5f)
                        .setDouble(5, -2.25)
                        .setStruct(6, struct))
                .isSameAs(arguments);
        MemorySegment[] slots = new MemorySegment[SIZES.length];
        MemorySegment pointers =
                MemorySegment.ofAddress(arguments.enter(null, null)).reinterpret(SIZES.length * 8L);
        for (int i = 0; i < slots.length; i++) {
            long address = pointers.getAtIndex(ValueLayout.JAVA_LONG, i);
            assertThat(address % 16).isZero();
            assertThat(address)
                    .isGreaterThanOrEqualTo(i == 0 ? pointers.address() + pointers.byteSize() : end(slots, i));
            slots[i] = MemorySegment.ofAddress(address).reinterpret(SIZES[i]);
        }
        assertThat(slots[0].get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) -5);
        assertThat(slots[1].get(ValueLayout.JAVA_SHORT, 0)).isEqualTo((short) -300);
        assertThat(slots[2].get(ValueLayout.JAVA_INT, 0)).isEqualTo(-70_000);
        assertThat(slots[3].get(ValueLayout.JAVA_LONG, 0)).isEqualTo(-1L << 40);
        assertThat(slots[4].get(ValueLayout.JAVA_FLOAT, 0)).isEqualTo(1.5f);
        assertThat(slots[5].get(ValueLayout.JAVA_DOUBLE, 0)).isEqualTo(-2.25);
        assertThat(slots[6].mismatch(struct)).isEqualTo(-1);
        arguments.exit();
    }

    private static long end(MemorySegment[] slots, int i) {
        return slots[i - 1].address() + slots[i - 1].byteSize();
    }

    @Test
    void negativeCountIsRefused() {
        assertThat(KernelArguments.of(0).count()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KernelArguments.of(-1))
                .withMessage("-1 arguments");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KernelArguments.ofSizes(4, 0))
                .withMessage("an argument of 0 bytes");
    }

    /** The launch must leave the memory that it entered before it met the closed one, or nobody could close it. */
    @Test
    void launchWithClosedMemoryHoldsNone() {
        CudaKernel copy = context.loadModule(Kernels.ptx()).kernel("copy");
        DeviceMemory to = context.allocate(64);
        DeviceMemory from = context.allocate(64);
        KernelArguments arguments =
                copy.newArguments().setPointer(0, to).setPointer(1, from).setLong(2, 0);
        from.close();
        CudaStream stream = context.createStream();
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.launch(copy, 1, 1, arguments))
                .withMessage(from + " is closed");
        assertThat(stream.isDone()).isTrue();
        to.close();
        assertThat(to.isOpen()).isFalse();
    }
}
