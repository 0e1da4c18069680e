// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How plain TCP waits for a message in a latency test. In a bandwidth test it always sleeps in the kernel. */
public enum TcpMode {
    /** It polls the kernel, as the RDMA tools poll the device. */
    SPIN,

    /** It sleeps in the kernel. */
    BLOCK,

    /** Plain TCP is not run. */
    NONE;

    /**
     * Returns the mode with a name.
     *
     * @throws IllegalParameterException when there is no such mode
     */
    static TcpMode of(String text) {
        return Arrays.stream(values())
                .filter(mode -> mode.option().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalParameterException("--tcp: '" + text + "' is not one of "
                        + Arrays.stream(values()).map(TcpMode::option).collect(Collectors.joining(", "))));
    }

    /** Returns the name on the command line. */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }
}
