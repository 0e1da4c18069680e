// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A part of device memory.
 *
 * @param memory the memory that contains the slice
 * @param offset of the first byte in the memory
 * @param length in bytes
 * @since 0.1.0
 */
public record DeviceSlice(DeviceMemory memory, long offset, long length) {
    /** Checks that the range is inside the memory. */
    public DeviceSlice {
        Ranges.check(offset, length, memory.size(), memory);
    }

    /**
     * Returns the address of the first byte.
     *
     * @return the {@code CUdeviceptr}
     * @throws IllegalStateException if the memory is closed
     */
    public long address() {
        return memory.handle() + offset;
    }

    /**
     * Returns a slice of this slice.
     *
     * @param from the first byte, from the start of this slice
     * @param size in bytes
     * @return the slice
     * @throws IndexOutOfBoundsException if the range is not inside this slice
     */
    public DeviceSlice slice(long from, long size) {
        Ranges.check(from, size, length, this);
        return new DeviceSlice(memory, offset + from, size);
    }

    /** {@return the range and the memory} */
    @Override
    public String toString() {
        return "bytes %d to %d of %s".formatted(offset, offset + length, memory);
    }
}
