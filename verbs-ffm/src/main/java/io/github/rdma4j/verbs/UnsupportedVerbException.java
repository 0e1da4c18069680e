// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The device, its driver or this version of rdma-core does not offer the verb (EOPNOTSUPP, ENOSYS, ENOTSUPP): choose
 * another way.
 *
 * @since 0.1.0
 */
public final class UnsupportedVerbException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * A verb that is not offered.
     *
     * @param operation the verb with its arguments
     * @param errno {@code EOPNOTSUPP}, {@code ENOSYS} or {@code ENOTSUPP} (524, which only the kernel has)
     * @param explanation who does not offer it; the remedy is the general one, another way or another device
     */
    public UnsupportedVerbException(String operation, int errno, String explanation) {
        this(operation, errno, explanation, "");
    }

    /**
     * A verb that is not offered, where a certain other way is known.
     *
     * @param operation the verb with its arguments
     * @param errno {@code EOPNOTSUPP}, {@code ENOSYS} or {@code ENOTSUPP} (524, which only the kernel has)
     * @param explanation who does not offer it
     * @param remedy what to do; an empty string for the general remedy, another way or another device
     */
    public UnsupportedVerbException(String operation, int errno, String explanation, String remedy) {
        super(operation, errno, explanation, remedy);
    }
}
