// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;

/**
 * A sum of elements that each rank first multiplies by a factor (ncclRedOpCreatePreMulSum); for one communicator and
 * one type. Each rank creates its own, and the factors may differ.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclScaledSum implements NcclReduction, AutoCloseable {
    private final NcclCommunicator communicator;
    private final NcclDataType type;
    private final int code;
    private final PartState life = new PartState();

    NcclScaledSum(NcclCommunicator communicator, NcclDataType type, int code) {
        this.communicator = communicator;
        this.type = type;
        this.code = code;
    }

    /** {@return the type of the elements} */
    public NcclDataType type() {
        return type;
    }

    int codeFor(NcclCommunicator user, NcclDataType elements) {
        if (life.isClosed()) {
            throw new IllegalStateException(this + " is closed");
        }
        if (user != communicator || elements != type) {
            throw new IllegalArgumentException("%s is used by %s for %s".formatted(this, user, elements));
        }
        return code;
    }

    /**
     * Destroys it (ncclRedOpDestroy), even while work with it is pending in a stream. A second call does nothing.
     *
     * @throws NcclException if NCCL refuses; it counts as destroyed
     * @throws CudaCloseTimeoutException if another thread is inside a call of the communicator for longer than
     *     {@link NcclConfig#timeout}; it stays open
     */
    @Override
    public void close() {
        life.close(
                () -> communicator.giveBack(
                        "ncclRedOpDestroy()",
                        handle -> communicator
                                .connection()
                                .library
                                .calls()
                                .call(NcclFunction.OPERATOR_DESTROY, code, handle)),
                () -> communicator.forget(this));
    }

    /** {@return the type and the communicator} */
    @Override
    public String toString() {
        return "scaled sum of %s, of %s".formatted(type, communicator);
    }
}
