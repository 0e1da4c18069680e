// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.internal.Uses;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;

/**
 * Memory whose address is passed to cuFile. It is a dependent of the memory: closing the memory closes this first,
 * which waits for pending transfers.
 */
final class MemoryUse implements AutoCloseable {
    private final GpuStorage storage;
    private final DeviceMemory memory;
    private final Uses uses = new Uses();
    private boolean registered;

    MemoryUse(GpuStorage storage, DeviceMemory memory) {
        this.storage = storage;
        this.memory = memory;
    }

    DeviceMemory memory() {
        return memory;
    }

    boolean enter() {
        return uses.enter();
    }

    void exit() {
        uses.exit();
    }

    /** Calls cuFileBufRegister. The caller has entered. */
    synchronized void register(CuFileCalls calls) {
        if (registered) {
            throw new IllegalStateException(memory + " is registered with this storage already");
        }
        long base = memory.deviceAddress();
        storage.context().makeCurrentForCall();
        CuFileDriver.require(
                calls.bufferRegister(base, memory.size(), 0),
                "cuFileBufRegister(0x%x, length=%d)".formatted(base, memory.size()));
        registered = true;
    }

    /** Calls cuFileBufDeregister if the memory is registered. */
    synchronized void deregister() {
        if (registered) {
            registered = false;
            long base = memory.deviceAddress();
            storage.giveBack(() -> CuFileDriver.require(
                    storage.cuFileCalls().bufferDeregister(base), "cuFileBufDeregister(0x%x)".formatted(base)));
        }
    }

    /** Called by the storage, or by the memory before it is freed. */
    @Override
    public void close() {
        if (!uses.close(storage.config().timeout(), storage::poll)) {
            throw new CudaCloseTimeoutException(memory + " is not freed: cuFile reads or writes it for longer than "
                    + TimeText.of(storage.config().timeout()) + ". Wait for the transfers, and close it again");
        }
        storage.forget(this);
        deregister();
    }
}
