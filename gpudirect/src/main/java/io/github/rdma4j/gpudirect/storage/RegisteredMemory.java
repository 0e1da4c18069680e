// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.DeviceMemory;

/**
 * Device memory that is registered with cuFile, so that it need not be pinned for each transfer. Registration is
 * optional. Closing the memory closes this first.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class RegisteredMemory implements AutoCloseable {
    private final GpuStorage storage;
    private final DeviceMemory memory;
    /** Null if cuFile is not used. */
    private final MemoryUse use;

    private boolean closed;

    RegisteredMemory(GpuStorage storage, DeviceMemory memory, MemoryUse use) {
        this.storage = storage;
        this.memory = memory;
        this.use = use;
    }

    /** {@return the memory} */
    public DeviceMemory memory() {
        return memory;
    }

    /** {@return whether it is registered with cuFile; false on the staged path, which needs no registration} */
    public boolean isRegistered() {
        return use != null;
    }

    /**
     * Deregisters it (cuFileBufDeregister); a second call does nothing. There must be no pending transfers.
     *
     * @throws CuFileException if cuFile refuses; it counts as deregistered
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (use != null && storage.isOpen() && memory.isOpen()) {
            use.deregister();
        }
    }

    /** {@return the memory, and whether it is registered} */
    @Override
    public String toString() {
        return memory + (isRegistered() ? ", registered with cuFile" : ", nothing to register: staged");
    }
}
