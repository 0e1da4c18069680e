// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The choice of the path between an adapter and a GPU's memory. */
public enum GpuPathChoice {
    /** The best path that the machine supports: a dma-buf, peer memory, staged. */
    AUTO,

    /** The adapter accesses the memory directly, through a dma-buf that the driver exports. */
    DMABUF,

    /** Like {@link #DMABUF}, through the Data Direct engine that a ConnectX-8 has for GPU memory. */
    DATADIRECT,

    /** The adapter accesses the memory directly, by its address, which nvidia_peermem makes known to the kernel. */
    PEERMEM,

    /** The adapter reaches pinned host memory, and the GPU copies. */
    STAGED;

    /** Returns the name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether it is one on which the adapter reaches the GPU's memory itself, and no other will do. */
    boolean isDirect() {
        return this == DMABUF || this == DATADIRECT || this == PEERMEM;
    }

    /** Parses the name. */
    static final class Converter implements ITypeConverter<GpuPathChoice> {
        @Override
        public GpuPathChoice convert(String text) {
            return Arrays.stream(values())
                    .filter(choice -> choice.word().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is unknown; allowed is "
                            + Arrays.stream(values()).map(GpuPathChoice::word).collect(Collectors.joining(", "))));
        }
    }
}
