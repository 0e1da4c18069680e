// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.cm.CmDevices;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Objects that librdmacm creates once in a process and keeps: a context of each device when the devices are listed, and
 * a protection domain in that context when the first id is bound to the device. It gives the domain back when nobody
 * counts the device any more, and {@link CmDevices} counts it for good. So a test that compares the kernel's counts
 * before and after has both made before; otherwise the first id that happens to be bound in between looks like a leak
 * of one domain.
 */
final class ConnectionManagerState {
    private static final int IPV4_OFFSET = 12;

    private ConnectionManagerState() {}

    static void settle() {
        try (EventChannel channel = EventChannel.create()) {
            for (DeviceContext device : CmDevices.list()) {
                GidEntry entry = device.gidTable().stream()
                        .filter(candidate -> candidate.gid().isIpv4Mapped())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(device + " has no IPv4 address"));
                byte[] address = Arrays.copyOfRange(entry.gid().bytes(), IPV4_OFFSET, Gid.LENGTH);
                channel.createId(PortSpace.TCP).bind(new InetSocketAddress(InetAddress.getByAddress(address), 0));
            }
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
