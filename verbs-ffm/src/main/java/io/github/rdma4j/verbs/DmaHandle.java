// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.RegistrationExCalls;
import java.lang.foreign.MemorySegment;

/**
 * Hints for transfers on the PCI bus ({@code struct ibv_dmah}, ibv_alloc_dmah(3)), for use when memory is registered:
 * {@link RegistrationConfig#dmaHandle}. Requires rdma-core 59 and an adapter with TLP processing hints.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class DmaHandle extends Resource {
    private final DeviceContext context;
    private final MemorySegment handle;

    DmaHandle(DeviceContext context, DmaHandleConfig config) {
        super(context);
        this.context = context;
        this.handle = RegistrationExCalls.allocDmaHandle(
                context.segment(), config.processor(), config.processingHint(), config.memoryType());
        if (handle.address() == 0) {
            throw Failures.of(
                    "ibv_alloc_dmah(%s, %s)".formatted(context.device().name(), config), NativeCalls.lastErrno());
        }
    }

    /** {@return the device that the handle belongs to} */
    public DeviceContext context() {
        return context;
    }

    MemorySegment segment() {
        requireOpen();
        return handle;
    }

    @Override
    public long handle() {
        requireOpen();
        return handle.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_dealloc_dmah(" + context.device().name() + ")", RegistrationExCalls.deallocDmaHandle(handle));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "DMA handle of " + context.device().name();
    }
}
