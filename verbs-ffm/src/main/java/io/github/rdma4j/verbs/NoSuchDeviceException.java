// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * There is no RDMA device of that name, or none at all. The message lists the devices that are there.
 *
 * @since 0.1.0
 */
public final class NoSuchDeviceException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a missing device.
     *
     * @param operation the operation, with the name
     * @param explanation which devices are there
     * @param remedy what to do
     */
    public NoSuchDeviceException(String operation, String explanation, String remedy) {
        super(operation, 0, explanation, remedy);
    }
}
