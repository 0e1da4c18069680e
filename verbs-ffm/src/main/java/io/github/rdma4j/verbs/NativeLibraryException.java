// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * A native library of rdma-core is missing or cannot be loaded; the message names the package to install.
 *
 * @since 0.1.0
 */
public final class NativeLibraryException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a library that cannot be used.
     *
     * @param library its SONAME, such as {@code libibverbs.so.1}
     * @param explanation the loader's message
     * @param remedy the package to install, or the option to set
     */
    public NativeLibraryException(String library, String explanation, String remedy) {
        super("loading " + library, 0, explanation, remedy);
    }
}
