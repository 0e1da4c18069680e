// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A part of device memory.
 *
 * @param memory that it is a part of
 * @param offset of its first byte there
 * @param length in bytes
 * @since 0.1.0
 */
public record DeviceSlice(DeviceMemory memory, long offset, long length) {
    /** Checks that the part lies within. */
    public DeviceSlice {
        Ranges.check(offset, length, memory.size(), memory);
    }

    /**
     * The address of the first byte.
     *
     * @return the {@code CUdeviceptr}
     * @throws IllegalStateException if the memory is closed
     */
    public long address() {
        return memory.handle() + offset;
    }

    /**
     * A part of this.
     *
     * @param from its first byte in this
     * @param size in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if it does not lie within
     */
    public DeviceSlice slice(long from, long size) {
        Ranges.check(from, size, length, this);
        return new DeviceSlice(memory, offset + from, size);
    }

    /** {@return where it lies} */
    @Override
    public String toString() {
        return "bytes %d to %d of %s".formatted(offset, offset + length, memory);
    }
}
