// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The way between an adapter and a GPU's memory that is asked for. */
public enum GpuPathChoice {
    /** The best one that the machine offers: a dma-buf, peer memory, staged. */
    AUTO,

    /** The adapter reaches the memory itself, through a dma-buf that the driver exports. */
    DMABUF,

    /** As {@link #DMABUF}, by the Data Direct engine that a ConnectX-8 has for GPU memory. */
    DATADIRECT,

    /** The adapter reaches the memory itself, by its address, which nvidia_peermem makes known to the kernel. */
    PEERMEM,

    /** The adapter reaches pinned host memory, and the GPU copies. */
    STAGED;

    /** As on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is one on which the adapter reaches the GPU's memory itself, and no other will do. */
    boolean isDirect() {
        return this == DMABUF || this == DATADIRECT || this == PEERMEM;
    }

    /** Reads the word. */
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
