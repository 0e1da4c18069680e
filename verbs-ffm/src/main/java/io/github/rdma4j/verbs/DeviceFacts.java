// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.util.List;
import java.util.Optional;

/** What explains a refusal asks of the device. It never throws: a question that fails must not hide the failure that it is to explain. */
interface DeviceFacts {
    /** The port, if there is one of that number. */
    Optional<PortAttributes> port(int port);

    /** The GIDs of the port that are in use. */
    List<GidEntry> gids(int port);

    /** Those of an open device; empty where it does not answer. */
    static DeviceFacts of(DeviceContext context) {
        return new DeviceFacts() {
            @Override
            public Optional<PortAttributes> port(int port) {
                try {
                    return Optional.of(context.port(port));
                } catch (VerbsException | IllegalArgumentException | IllegalStateException e) {
                    return Optional.empty();
                }
            }

            @Override
            public List<GidEntry> gids(int port) {
                try {
                    return context.gidTable(port);
                } catch (VerbsException | IllegalArgumentException | IllegalStateException e) {
                    return List.of();
                }
            }
        };
    }
}
