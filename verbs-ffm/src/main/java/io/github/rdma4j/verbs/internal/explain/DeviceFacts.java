// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.util.List;
import java.util.Optional;

/**
 * The queries of a device that explanations of a refusal need. They never throw, because a failed query must not hide
 * the failure that is explained.
 */
public interface DeviceFacts {
    /**
     * Asks for a port.
     *
     * @param port its number
     * @return its attributes, if there is one of that number and the device answers
     */
    Optional<PortAttributes> port(int port);

    /**
     * Asks for the GIDs of a port.
     *
     * @param port its number
     * @return those in use; none if the device does not answer
     */
    List<GidEntry> gids(int port);
}
