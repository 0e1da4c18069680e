// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Access control services of a PCI port, from its configuration space ({@code linux/pci_regs.h}: {@code
 * PCI_EXT_CAP_ID_ACS}).
 *
 * @param state whether the register could be read
 * @param control the control register; 0 if the port has none
 */
record AccessControl(State state, int control) {
    /** Whether the control register could be read. */
    enum State {
        /** The control register was read, or there is none. */
        KNOWN,
        /**
         * Without privileges only the first 64 bytes can be read. The privileges of a container's root are also too
         * few.
         */
        NOT_PERMITTED,
        /**
         * Only the 256 bytes of a conventional configuration space are visible: the rest of a PCI Express port is
         * hidden.
         */
        HIDDEN,
        /** The file cannot be read or is invalid. */
        UNREADABLE
    }

    private static final int CAPABILITY = 0x000d;
    private static final int CONTROL_OFFSET = 6;
    private static final int HEADER = 64;
    private static final int CONVENTIONAL_SPACE = 256;
    private static final int EXTENDED_SPACE = 4096;
    private static final int ENTRY = 8;

    private static final int REQUEST_REDIRECT = 0x04;
    private static final int COMPLETION_REDIRECT = 0x08;
    private static final int UPSTREAM_FORWARDING = 0x10;
    private static final int EGRESS_CONTROL = 0x20;

    private static final AccessControl NONE = new AccessControl(State.KNOWN, 0);

    /** Reads the access control of a port. */
    static AccessControl of(Path function) {
        byte[] config;
        try {
            config = Files.readAllBytes(function.resolve("config"));
        } catch (IOException _) {
            return new AccessControl(State.UNREADABLE, 0);
        }
        if (config.length == CONVENTIONAL_SPACE) {
            // All functions of PCI Express have 4096 bytes.
            return MachineFiles.expressCapability(config) > 0 ? new AccessControl(State.HIDDEN, 0) : NONE;
        }
        if (config.length == HEADER) {
            return new AccessControl(State.NOT_PERMITTED, 0);
        }
        return config.length < EXTENDED_SPACE ? new AccessControl(State.UNREADABLE, 0) : find(config);
    }

    private static AccessControl find(byte[] config) {
        ByteBuffer space = ByteBuffer.wrap(config).order(ByteOrder.LITTLE_ENDIAN);
        int offset = CONVENTIONAL_SPACE;
        // A broken device may have a list with a loop. The configuration space cannot contain more entries than this.
        for (int entries = 0; entries < EXTENDED_SPACE / ENTRY; entries++) {
            int header = space.getInt(offset);
            if ((header & 0xffff) == CAPABILITY) {
                return new AccessControl(State.KNOWN, space.getShort(offset + CONTROL_OFFSET) & 0xffff);
            }
            offset = header >>> 20 & 0xffc;
            if (offset < CONVENTIONAL_SPACE || offset > EXTENDED_SPACE - ENTRY) {
                return NONE;
            }
        }
        return NONE;
    }

    /** Returns whether transfers from one port of a switch to another are sent up to the root complex, or stopped. */
    boolean redirects() {
        return (control & (REQUEST_REDIRECT | COMPLETION_REDIRECT | UPSTREAM_FORWARDING | EGRESS_CONTROL)) != 0;
    }

    /** Returns the bits that redirect transfers, as lspci names them. */
    String bits() {
        List<String> names = new ArrayList<>();
        add(names, REQUEST_REDIRECT, "ReqRedir+");
        add(names, COMPLETION_REDIRECT, "CmpltRedir+");
        add(names, UPSTREAM_FORWARDING, "UpstreamFwd+");
        add(names, EGRESS_CONTROL, "EgressCtrl+");
        return String.join(" ", names);
    }

    private void add(List<String> names, int bit, String name) {
        if ((control & bit) != 0) {
            names.add(name);
        }
    }
}
