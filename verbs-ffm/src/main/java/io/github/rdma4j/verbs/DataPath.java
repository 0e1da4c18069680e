// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Arrays;
import java.util.Locale;

/**
 * How the work requests of a device context reach its adapter, and how completions are found. The API, its checks and
 * its exceptions are the same with both. {@link DeviceContext#open(String, DataPath)} takes one; where none is named,
 * the system property {@code io.github.rdma4j.verbs.dataPath} says it, {@code functions} or {@code rings}.
 *
 * @since 0.1.0
 */
public enum DataPath {
    /** By the functions of libibverbs' driver of the device: for every device. The default. */
    FUNCTIONS,
    /**
     * By the driver's own rings in mapped memory, which Java writes and reads itself: fewer instructions for each
     * operation. <b>Experimental</b>: for SoftRoCE, which no program uses for its speed, and for connected queue pairs
     * of mlx5 adapters on x86-64, of which <b>no real one has met it</b>; it was held to libmlx5 byte by byte, without
     * an adapter. What has no ring that this library knows takes the functions; {@link DataPathChoice} says what a
     * queue takes, and why.
     *
     * <p>Nothing else in the process may post or poll on such a queue through libibverbs, by its
     * {@link Resource#handle()}, while a method of this library does: the lock of the driver's functions is not taken.
     */
    RINGS;

    /** The system property. */
    static final String PROPERTY = "io.github.rdma4j.verbs.dataPath";

    /** What the property says now. */
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

    /** {@return the name in small letters, as the property has it} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
