// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a PCI function: domain, bus, device and function.
 *
 * @param domain 0 to 0xffffffff; above 0xffff for controllers that create their own domains (Intel VMD)
 * @param bus 0 to 255
 * @param device 0 to 31
 * @param function 0 to 7
 * @since 0.1.0
 */
public record PciAddress(long domain, int bus, int device, int function) implements Comparable<PciAddress> {
    private static final Pattern TEXT =
            Pattern.compile("(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{2}):([01][0-9a-fA-F])\\.([0-7])");
    private static final Comparator<PciAddress> ORDER = Comparator.comparingLong(PciAddress::domain)
            .thenComparingInt(PciAddress::bus)
            .thenComparingInt(PciAddress::device)
            .thenComparingInt(PciAddress::function);

    /** Checks the ranges. */
    public PciAddress {
        boolean possible = domain >= 0
                && domain <= 0xffff_ffffL
                && bus >= 0
                && bus <= 0xff
                && device >= 0
                && device <= 0x1f
                && function >= 0
                && function <= 7;
        if (!possible) {
            throw new IllegalArgumentException("not a PCI address: domain " + domain + ", bus " + bus + ", device "
                    + device + ", function " + function);
        }
    }

    /**
     * Parses an address in hexadecimal: {@code 0000:07:00.0} as sysfs and the CUDA driver write it,
     * {@code 00000000:07:00.0} as nvidia-smi does, or {@code 07:00.0} in domain 0.
     *
     * @param text the address
     * @return the address
     * @throws IllegalArgumentException if the text is not an address
     */
    public static PciAddress parse(String text) {
        return find(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + text + "' is not a PCI address such as 0000:07:00.0 (domain:bus:device.function)"));
    }

    /** Returns the address in a text; empty if there is none. */
    static Optional<PciAddress> find(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(new PciAddress(
                parts.group(1) == null ? 0 : Long.parseLong(parts.group(1), 16),
                Integer.parseInt(parts.group(2), 16),
                Integer.parseInt(parts.group(3), 16),
                Integer.parseInt(parts.group(4), 16)));
    }

    /** Compares domain, bus, device and function, in the order in which nvidia-smi numbers GPUs. */
    @Override
    public int compareTo(PciAddress other) {
        return ORDER.compare(this, other);
    }

    /** {@return the address as sysfs writes it, such as {@code 0000:07:00.0}} */
    @Override
    public String toString() {
        return "%04x:%02x:%02x.%x".formatted(domain, bus, device, function);
    }
}
