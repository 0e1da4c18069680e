// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * A {@link SealedBlock} is not what was sealed, or nothing was sealed there.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class CorruptBlockException extends EndpointException {
    private static final long serialVersionUID = 1L;

    private final int expected;
    private final int found;

    CorruptBlockException(int length, boolean sealed, long version, int expected, int found) {
        super(
                "verifying a block of %d bytes".formatted(length),
                sealed
                        ? "it says version %d and the sum 0x%08x, and its bytes give 0x%08x"
                                .formatted(version, expected, found)
                        : "nothing was sealed there, or the end of it has not come",
                "read it again, if it may be written meanwhile; else it was changed on its way, or in memory");
        this.expected = expected;
        this.found = found;
    }

    /** {@return the checksum that follows the data} */
    public int expectedSum() {
        return expected;
    }

    /** {@return the checksum of data and version} */
    public int foundSum() {
        return found;
    }
}
