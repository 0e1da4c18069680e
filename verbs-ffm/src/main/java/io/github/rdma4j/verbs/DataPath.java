// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Arrays;
import java.util.Locale;

/**
 * The path that work requests of a device context take to the adapter, and that completions take back. The API, its
 * checks and its exceptions are the same for both paths. {@link DeviceContext#open(String, DataPath)} takes a path as
 * argument. Otherwise the system property {@code io.github.rdma4j.verbs.dataPath} selects it: {@code functions} or
 * {@code rings}.
 *
 * @since 0.1.0
 */
public enum DataPath {
    /** The functions of the device's libibverbs driver. Works with every device, and is the default. */
    FUNCTIONS,
    /**
     * The driver's rings in mapped memory, which Java reads and writes itself: fewer instructions for each operation.
     * <b>Experimental</b>: available for SoftRoCE, and for connected queue pairs of mlx5 adapters on x86-64. <b>The
     * mlx5 rings have not been run on an adapter</b>; their bytes were compared with those that libmlx5 writes. A queue
     * without a supported ring uses the functions; {@link DataPathChoice} says which path a queue uses, and why.
     *
     * <p>Do not post or poll on such a queue through libibverbs, by its {@link Resource#handle()}, while a method of
     * this library does: rings do not take the lock of the driver's functions.
     */
    RINGS;

    /** The system property. */
    static final String PROPERTY = "io.github.rdma4j.verbs.dataPath";

    /** Returns the path that the property names now. */
    static DataPath wanted() {
        return parse(System.getProperty(PROPERTY));
    }

    static DataPath parse(String value) {
        if (value == null || value.isEmpty()) {
            return FUNCTIONS;
        }
        for (DataPath path : values()) {
            if (path.toString().equals(value)) {
                return path;
            }
        }
        throw new VerbsException(
                "choosing a data path",
                0,
                "-D%s=%s names none".formatted(PROPERTY, value),
                "set it to one of %s, or leave it out".formatted(Arrays.toString(values())));
    }

    /** {@return the name in lower case, as in the property} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
