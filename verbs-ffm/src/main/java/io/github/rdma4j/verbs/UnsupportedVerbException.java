// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The device, its driver or this version of rdma-core does not support the verb (EOPNOTSUPP, ENOSYS, ENOTSUPP).
 *
 * @since 0.1.0
 */
public final class UnsupportedVerbException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a verb that is not supported, with the general remedy: another method or another device.
     *
     * @param operation the verb with its arguments
     * @param errno {@code EOPNOTSUPP}, {@code ENOSYS} or {@code ENOTSUPP} (524, which only the kernel uses)
     * @param explanation what does not support it
     */
    public UnsupportedVerbException(String operation, int errno, String explanation) {
        this(operation, errno, explanation, "");
    }

    /**
     * Creates an exception for a verb that is not supported, with a specific remedy.
     *
     * @param operation the verb with its arguments
     * @param errno {@code EOPNOTSUPP}, {@code ENOSYS} or {@code ENOTSUPP} (524, which only the kernel uses)
     * @param explanation what does not support it
     * @param remedy what to do; an empty string for the general remedy: another method or another device
     */
    public UnsupportedVerbException(String operation, int errno, String explanation, String remedy) {
        super(operation, errno, explanation, remedy);
    }
}
