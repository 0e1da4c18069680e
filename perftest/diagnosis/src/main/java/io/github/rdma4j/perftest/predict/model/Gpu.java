// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.Optional;

/**
 * A GPU and its links.
 *
 * @param name for people
 * @param address of its PCI function; empty if it is described
 * @param pci its link
 * @param attachment how the adapter reaches it
 * @param peer 10⁹ byte/s that the root complex passes from one device to another, where the attachment needs it
 * @param coherent 10⁹ byte/s each way between GPU and processor over NVLink-C2C; 0 without
 * @param nvLinks NVLinks to other GPUs; 0 without
 * @param nvLink 10⁹ byte/s of data that one of them carries each way; needed only with nvLinks
 * @param copy microseconds until a copy between GPU and host has begun and ended, besides its bytes
 */
public record Gpu(
        String name,
        String address,
        Optional<PciExpress> pci,
        Attachment attachment,
        double peer,
        double coherent,
        int nvLinks,
        double nvLink,
        double copy) {
    /** The connection between an adapter and a GPU. */
    public enum Attachment {
        /** Through a PCIe switch, or several of one root port. */
        SWITCH,
        /** Through the root complex of a processor. */
        HOST_BRIDGE,
        /** Through the link between two processors. */
        SOCKET,
        /** Through the processor and NVLink-C2C. */
        C2C
    }

    /** Refuses invalid values. */
    public Gpu {
        Ranges.notNegative("peer", peer);
        Ranges.notNegative("coherent", coherent);
        Ranges.within("nvLinks", nvLinks, 0, 64);
        Ranges.notNegative("nvLink", nvLink);
        Ranges.notNegative("copy", copy);
        if (nvLinks > 0 && nvLink == 0) {
            throw new IllegalArgumentException("nvLink: needed with nvLinks");
        }
        if (attachment == Attachment.C2C ? coherent == 0 : pci.isEmpty()) {
            throw new IllegalArgumentException(
                    "attachment " + attachment + " needs " + (attachment == Attachment.C2C ? "coherent" : "pci"));
        }
    }

    /** Returns whether the path to the adapter goes through the root complex. */
    boolean isBehindRootComplex() {
        return attachment == Attachment.HOST_BRIDGE || attachment == Attachment.SOCKET;
    }
}
