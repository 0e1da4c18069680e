// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/**
 * A handle with which another process on the same machine opens memory of this process ({@code CUipcMemHandle}). A
 * value, which you send as bytes.
 *
 * @since 0.1.0
 */
public final class IpcMemoryHandle {
    private static final int MAGIC = 0x524a4d32;
    static final int DRIVER_BYTES = 64;
    private static final int BYTES = Integer.BYTES + 5 * Long.BYTES + DRIVER_BYTES;

    private final byte[] driverHandle;
    private final long processId;
    private final UUID device;
    private final long offset;
    private final long size;

    IpcMemoryHandle(byte[] driverHandle, long processId, UUID device, long offset, long size) {
        this.driverHandle = driverHandle;
        this.processId = processId;
        this.device = device;
        this.offset = offset;
        this.size = size;
    }

    /**
     * Encodes the handle.
     *
     * @return 108 bytes
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putLong(processId)
                .putLong(device.getMostSignificantBits())
                .putLong(device.getLeastSignificantBits())
                .putLong(offset)
                .putLong(size)
                .put(driverHandle)
                .array();
    }

    /**
     * Decodes a handle.
     *
     * @param bytes the result of {@link #toBytes}
     * @return the handle
     * @throws IllegalArgumentException if the bytes are not such a handle
     */
    public static IpcMemoryHandle fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || buffer.getInt() != MAGIC) {
            throw new IllegalArgumentException(
                    "these %d bytes are not a handle of CUDA memory".formatted(bytes.length));
        }
        long processId = buffer.getLong();
        UUID device = new UUID(buffer.getLong(), buffer.getLong());
        long offset = buffer.getLong();
        long size = buffer.getLong();
        byte[] driverHandle = new byte[DRIVER_BYTES];
        buffer.get(driverHandle);
        if (offset < 0 || size < 1 || offset > Long.MAX_VALUE - size) {
            throw new IllegalArgumentException("a handle of %d bytes of memory from offset %d".formatted(size, offset));
        }
        return new IpcMemoryHandle(driverHandle, processId, device, offset, size);
    }

    /**
     * Opens the memory in this process (cuIpcOpenMemHandle). Close it before the exporting process closes its memory.
     * Memory of one GPU and process can be opened in only one context of each GPU, any number of times.
     *
     * @param context of the device of the memory, or of a device that can access that one
     * @return the memory
     * @throws CudaException if the memory cannot be opened: in the exporting process, after that process has freed the
     *     memory or ended, or from a context of a GPU that cannot access it
     */
    public DeviceMemory open(CudaContext context) {
        return context.create(() -> IpcMemory.open(context, this));
    }

    byte[] driverHandle() {
        return driverHandle;
    }

    /**
     * Returns the id of the exporting process as that process sees it. In another container, the same id can belong to
     * another process.
     */
    long processId() {
        return processId;
    }

    /** Returns the offset of the memory in its allocation. */
    long offset() {
        return offset;
    }

    /** {@return the size of the memory in bytes} */
    public long size() {
        return size;
    }

    /**
     * Returns the GPU of the memory, so that a process can choose its context: {@link CudaDevice#uuid()}.
     *
     * @return the UUID of the GPU or, with MIG, of the instance
     */
    public UUID device() {
        return device;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpcMemoryHandle handle && Arrays.equals(toBytes(), handle.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(driverHandle);
    }

    /** {@return the size and the exporting process} */
    @Override
    public String toString() {
        return "handle of %d bytes of memory of process %d".formatted(size, processId);
    }
}
