// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.Gid;
import picocli.CommandLine.TypeConversionException;

/** The groups of the multicast tests, as the C tools write and choose them. */
final class MulticastGroup {
    private static final byte[] DEFAULT = {-1, 1, 0, 0, 0, 2, (byte) 201, (byte) 133, 0, 0, 0, 0, 0, 0, 0, 0};

    private MulticastGroup() {}

    /** The default group of a side; the two sides have different ones. */
    static Gid of(boolean server) {
        byte[] bytes = DEFAULT.clone();
        bytes[Gid.LENGTH - 1] = (byte) (server ? 0 : 1);
        return Gid.of(bytes);
    }

    /** The group that {@code -M} names: sixteen numbers with colons between. */
    static Gid parse(String text) {
        String[] numbers = text.split(":", -1);
        byte[] bytes = new byte[Gid.LENGTH];
        boolean good = numbers.length == Gid.LENGTH;
        for (int i = 0; good && i < Gid.LENGTH; i++) {
            try {
                long value = Numbers.parse(numbers[i]);
                good = value >= 0 && value <= 255;
                bytes[i] = (byte) value;
            } catch (TypeConversionException _) {
                good = false;
            }
        }
        IllegalParameterException.when(
                !good || bytes[0] != -1,
                () -> "-M/--MGID: '" + text
                        + "' is no multicast GID; allowed are sixteen numbers from 0 to 255 with colons between, of"
                        + " which the first is 255");
        return Gid.of(bytes);
    }
}
