// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;

/**
 * The arguments of a launch, off the heap. Set them once, change single ones, and use them for any number of launches,
 * each of which copies them. They need not be closed: the garbage collector frees the memory. Setting allocates
 * nothing.
 *
 * <p>A launch checks the number and the sizes against the kernel if the driver reports its parameters (CUDA 12.4).
 * Otherwise they are the caller's responsibility.
 *
 * <p>Thread safety: one thread at a time.
 *
 * @since 0.1.0
 */
public final class KernelArguments {
    /** The alignment of a slot: the largest alignment of CUDA's types. */
    private static final int ALIGNMENT = 16;

    private final int[] capacities;
    private final long[] offsets;
    /** An array of pointers to the slots, then the slots. */
    private final MemorySegment segment;
    /** The number of bytes that were set; 0 for an argument that was not set yet. */
    private final int[] written;
    /** The memory whose address the argument contains, or null: it is kept open during a launch. */
    private final GuardedResource[] memories;
    /** The last kernel whose parameters were checked since the sizes changed. */
    private CudaKernel checkedKernel;

    private KernelArguments(int[] sizes) {
        int count = sizes.length;
        capacities = sizes.clone();
        offsets = new long[count];
        written = new int[count];
        memories = new GuardedResource[count];
        long end = (long) count * Long.BYTES;
        for (int i = 0; i < count; i++) {
            if (sizes[i] < 1) {
                throw new IllegalArgumentException("an argument of " + sizes[i] + " bytes");
            }
            offsets[i] = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            end = offsets[i] + sizes[i];
        }
        segment = Arena.ofAuto().allocate(Math.max(end, Long.BYTES), ALIGNMENT);
        for (int i = 0; i < count; i++) {
            segment.setAtIndex(ValueLayout.JAVA_LONG, i, segment.address() + offsets[i]);
        }
    }

    /**
     * Creates arguments of up to 8 bytes each: all numbers and pointers.
     *
     * @param count the number of arguments; 0 for a kernel without parameters
     * @return the arguments, none of which is set
     * @throws IllegalArgumentException if the count is negative
     */
    public static KernelArguments of(int count) {
        if (count < 0) {
            throw new IllegalArgumentException(count + " arguments");
        }
        int[] sizes = new int[count];
        Arrays.fill(sizes, Long.BYTES);
        return new KernelArguments(sizes);
    }

    /**
     * Creates arguments of which some are structs.
     *
     * @param sizes the size in bytes of each, 1 or more
     * @return the arguments, none of which is set
     * @throws IllegalArgumentException if a size is less than 1
     */
    public static KernelArguments ofSizes(int... sizes) {
        return new KernelArguments(sizes);
    }

    /** {@return the number of arguments} */
    public int count() {
        return capacities.length;
    }

    /**
     * Sets an argument of 8 bits.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setByte(int index, byte value) {
        segment.set(ValueLayout.JAVA_BYTE, prepare(index, Byte.BYTES, null), value);
        return this;
    }

    /**
     * Sets an argument of 16 bits.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setShort(int index, short value) {
        segment.set(ValueLayout.JAVA_SHORT, prepare(index, Short.BYTES, null), value);
        return this;
    }

    /**
     * Sets an argument of 32 bits.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setInt(int index, int value) {
        segment.set(ValueLayout.JAVA_INT, prepare(index, Integer.BYTES, null), value);
        return this;
    }

    /**
     * Sets an argument of 64 bits: a number, or any address.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setLong(int index, long value) {
        segment.set(ValueLayout.JAVA_LONG, prepare(index, Long.BYTES, null), value);
        return this;
    }

    /**
     * Sets an argument of type float.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setFloat(int index, float value) {
        segment.set(ValueLayout.JAVA_FLOAT, prepare(index, Float.BYTES, null), value);
        return this;
    }

    /**
     * Sets an argument of type double.
     *
     * @param index from 0
     * @param value the value
     * @return this
     */
    public KernelArguments setDouble(int index, double value) {
        segment.set(ValueLayout.JAVA_DOUBLE, prepare(index, Double.BYTES, null), value);
        return this;
    }

    /**
     * Sets a pointer to the start of memory. A launch throws if the memory is closed.
     *
     * @param index from 0
     * @param memory of the device, or pinned
     * @return this
     */
    public KernelArguments setPointer(int index, DeviceAddressable memory) {
        return setPointer(index, memory, 0);
    }

    /**
     * Sets a pointer into memory. A launch throws if the memory is closed.
     *
     * @param index from 0
     * @param memory of the device, or pinned
     * @param offset of the byte to which it points
     * @return this
     * @throws IndexOutOfBoundsException if the offset is not inside the memory
     */
    public KernelArguments setPointer(int index, DeviceAddressable memory, long offset) {
        Ranges.check(offset, 0, memory.size(), memory);
        long address = memory.deviceAddress() + offset;
        segment.set(ValueLayout.JAVA_LONG, prepare(index, Long.BYTES, (GuardedResource) memory), address);
        return this;
    }

    /**
     * Sets a struct.
     *
     * @param index from 0
     * @param value its bytes in the kernel's layout, padding included
     * @return this
     */
    public KernelArguments setStruct(int index, MemorySegment value) {
        long size = value.byteSize();
        MemorySegment.copy(value, 0, segment, prepare(index, size, null), size);
        return this;
    }

    private long prepare(int index, long size, GuardedResource memory) {
        Objects.checkIndex(index, capacities.length);
        if (size > capacities[index]) {
            throw new IllegalArgumentException(
                    "argument %d takes %d bytes, but the value has %d; see KernelArguments.ofSizes"
                            .formatted(index, capacities[index], size));
        }
        if (written[index] != size) {
            written[index] = (int) size;
            checkedKernel = null;
        }
        memories[index] = memory;
        return offsets[index];
    }

    /** Begins a launch: {@link #exit()} must follow. Returns the address of the array of pointers. */
    long enter(CudaKernel kernel, CudaStream stream) {
        if (checkedKernel != kernel) {
            requireFit(kernel);
            checkedKernel = kernel;
        }
        for (int i = 0; i < memories.length; i++) {
            GuardedResource memory = memories[i];
            if (memory != null) {
                enter(i, memory, stream);
            }
        }
        return segment.address();
    }

    private void enter(int index, GuardedResource memory, CudaStream stream) {
        try {
            memory.enterFor(stream);
        } catch (IllegalStateException e) {
            exit(index);
            throw e;
        }
    }

    void exit() {
        exit(memories.length);
        // Keeps this reachable: until now the driver may read the slots, of which it only has the address.
        Reference.reachabilityFence(this);
    }

    private void exit(int end) {
        for (int i = 0; i < end; i++) {
            GuardedResource memory = memories[i];
            if (memory != null) {
                memory.exit();
            }
        }
    }

    private void requireFit(CudaKernel kernel) {
        for (int i = 0; i < written.length; i++) {
            if (written[i] == 0) {
                throw new IllegalArgumentException("argument %d of %s was not set".formatted(i, kernel));
            }
        }
        int[] expected = kernel.knownParameterSizes();
        if (expected == null) {
            return;
        }
        if (expected.length != written.length) {
            throw new IllegalArgumentException("%s has %d parameters, but there are %d arguments"
                    .formatted(kernel, expected.length, written.length));
        }
        for (int i = 0; i < written.length; i++) {
            if (written[i] != expected[i]) {
                throw new IllegalArgumentException("parameter %d of %s has %d bytes, but the argument was set with %d"
                        .formatted(i, kernel, expected[i], written[i]));
            }
        }
    }
}
