// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/**
 * A handle with which another process on the same machine opens an event of this one ({@code CUipcEventHandle}). A
 * value, which travels as bytes.
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
     * The handle, to be sent.
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
     * A handle that was received.
     *
     * @param bytes as {@link #toBytes} made them
     * @return the handle
     * @throws IllegalArgumentException if they are not such a handle
     */
    public static IpcEventHandle fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || buffer.getInt() != MAGIC) {
            throw new IllegalArgumentException("these %d bytes are no handle of CUDA events".formatted(bytes.length));
        }
        long processId = buffer.getLong();
        UUID device = new UUID(buffer.getLong(), buffer.getLong());
        byte[] driverHandle = new byte[DRIVER_BYTES];
        buffer.get(driverHandle);
        return new IpcEventHandle(driverHandle, processId, device);
    }

    /**
     * The event, in this process (cuIpcOpenEventHandle). Close it before the process that exported it closes its own.
     *
     * @param context of the same device
     * @return the event
     * @throws CudaException if it cannot be reached: always in the process that exported it, after that process has
     *     closed it or ended, and from a context of another GPU
     */
    public CudaEvent open(CudaContext context) {
        return context.create(() -> IpcEvents.open(context, this));
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

    /**
     * The GPU that the event is of, so that a process can choose its context: {@link CudaDevice#uuid()}.
     *
     * @return its UUID; of an instance of a GPU (MIG) the instance's
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

    /** {@return whose it is} */
    @Override
    public String toString() {
        return "handle of an event of process %d".formatted(processId);
    }
}
