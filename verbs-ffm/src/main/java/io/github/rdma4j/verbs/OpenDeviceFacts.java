// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.explain.DeviceFacts;
import java.util.List;
import java.util.Optional;

/** The facts of an open device; empty if a query fails. */
record OpenDeviceFacts(DeviceContext context) implements DeviceFacts {
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
}
