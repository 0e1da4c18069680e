// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.Errno;

/** Checks a rule of InfiniBand that no kernel checks: packets to LID 0 are lost without an error. */
public final class InfiniBandLids {
    private InfiniBandLids() {}

    /**
     * Refuses a path that cannot carry packets.
     *
     * @param operation for the message
     * @param port the local port
     * @param attributes its attributes
     * @param lid of the destination
     * @throws VerbsException if the port is InfiniBand and the LID 0
     */
    public static void require(String operation, int port, PortAttributes attributes, int lid) {
        if (attributes.linkLayer() == LinkLayer.INFINIBAND && lid == 0) {
            throw new VerbsException(
                    operation,
                    Errno.EINVAL,
                    "the destination has LID 0, and port %d is InfiniBand, which forwards by LID".formatted(port),
                    "give the peer's LID, or a router's in the way to another subnet"
                            + " (AddressHandleAttributes.withDestinationLid). A peer whose own LID is 0 is on RoCE, or"
                            + " no subnet manager has configured its port");
        }
    }
}
