// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/**
 * A handle with which another process on the same machine opens memory of this one ({@code CUipcMemHandle}). A value,
 * which travels as bytes.
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
     * The handle, to be sent.
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
     * A handle that was received.
     *
     * @param bytes as {@link #toBytes} made them
     * @return the handle
     * @throws IllegalArgumentException if they are not such a handle
     */
    public static IpcMemoryHandle fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || buffer.getInt() != MAGIC) {
            throw new IllegalArgumentException("these %d bytes are no handle of CUDA memory".formatted(bytes.length));
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
     * The memory, in this process (cuIpcOpenMemHandle). Close it before the process that exported it closes its own.
     * Memory of one GPU and process can be opened in one context of each GPU only, any number of times.
     *
     * @param context of the device that it is of, or of one that reaches that
     * @return the memory
     * @throws CudaException if it cannot be reached: always in the process that exported it, after that process has
     *     freed it or ended, and from a context of another GPU that does not reach it
     */
    public DeviceMemory open(CudaContext context) {
        return context.create(() -> IpcMemory.open(context, this));
    }

    byte[] driverHandle() {
        return driverHandle;
    }

    /**
     * Of the process that exported it: as that process sees itself, so in another container it can be somebody else's.
     */
    long processId() {
        return processId;
    }

    /** Where in the allocation the memory starts. */
    long offset() {
        return offset;
    }

    /** {@return the bytes of the memory} */
    public long size() {
        return size;
    }

    /**
     * The GPU that the memory is of, so that a process can choose its context: {@link CudaDevice#uuid()}.
     *
     * @return its UUID; of an instance of a GPU (MIG) the instance's
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

    /** {@return whose it is} */
    @Override
    public String toString() {
        return "handle of %d bytes of memory of process %d".formatted(size, processId);
    }
}
