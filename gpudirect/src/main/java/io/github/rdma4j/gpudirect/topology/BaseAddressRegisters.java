// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The memory windows of a PCI function, from its file {@code resource}. Each line contains the first address, the last
 * address and the flags.
 */
final class BaseAddressRegisters {
    /** The lines after these belong to the expansion ROM and SR-IOV. */
    private static final int REGISTERS = 6;

    private static final long IO_PORTS = 0x100;

    private BaseAddressRegisters() {}

    /**
     * Returns the size of the window through which other devices access a GPU's memory, which NVIDIA calls BAR1: the
     * second window. It is not always register 1, because from Hopper on the first window takes two registers.
     */
    static OptionalLong bar1(Path function) {
        List<Long> windows = lines(function.resolve("resource"))
                .limit(REGISTERS)
                .flatMap(BaseAddressRegisters::size)
                .toList();
        return windows.size() < 2 ? OptionalLong.empty() : OptionalLong.of(windows.get(1));
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readString(file).lines();
        } catch (IOException _) {
            return Stream.empty();
        }
    }

    private static Stream<Long> size(String line) {
        String[] fields = line.strip().split("\\s+");
        try {
            long first = Long.decode(fields[0]);
            long last = Long.decode(fields[1]);
            long flags = Long.decode(fields[2]);
            return last <= first || (flags & IO_PORTS) != 0 ? Stream.empty() : Stream.of(last - first + 1);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException _) {
            return Stream.empty();
        }
    }
}
