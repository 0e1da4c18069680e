// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/**
 * A handle with which another process on the same machine opens an event of this process ({@code CUipcEventHandle}). A
 * value, which you send as bytes.
 *
 * @since 0.1.0
 */
public final class IpcEventHandle {
    private static final int MAGIC = 0x524a4532;
    static final int DRIVER_BYTES = 64;
    private static final int BYTES = Integer.BYTES + 3 * Long.BYTES + DRIVER_BYTES;

    private final byte[] driverHandle;
    private final long processId;
    private final UUID device;

    IpcEventHandle(byte[] driverHandle, long processId, UUID device) {
        this.driverHandle = driverHandle;
        this.processId = processId;
        this.device = device;
    }

    /**
     * Encodes the handle.
     *
     * @return 92 bytes
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putLong(processId)
                .putLong(device.getMostSignificantBits())
                .putLong(device.getLeastSignificantBits())
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
    public static IpcEventHandle fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || buffer.getInt() != MAGIC) {
            throw new IllegalArgumentException(
                    "these %d bytes are not a handle of a CUDA event".formatted(bytes.length));
        }
        long processId = buffer.getLong();
        UUID device = new UUID(buffer.getLong(), buffer.getLong());
        byte[] driverHandle = new byte[DRIVER_BYTES];
        buffer.get(driverHandle);
        return new IpcEventHandle(driverHandle, processId, device);
    }

    /**
     * Opens the event in this process (cuIpcOpenEventHandle). Close it before the exporting process closes its event.
     *
     * @param context of the same device
     * @return the event
     * @throws CudaException if the event cannot be opened: in the exporting process, after that process has closed the
     *     event or ended, or from a context of another GPU
     */
    public CudaEvent open(CudaContext context) {
        return context.create(() -> IpcEvents.open(context, this));
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

    /**
     * Returns the GPU of the event, so that a process can choose its context: {@link CudaDevice#uuid()}.
     *
     * @return the UUID of the GPU or, with MIG, of the instance
     */
    public UUID device() {
        return device;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpcEventHandle handle && Arrays.equals(toBytes(), handle.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(driverHandle);
    }

    /** {@return the exporting process} */
    @Override
    public String toString() {
        return "handle of an event of process %d".formatted(processId);
    }
}
