// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortState;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** The link of a software device, which a test takes down for a while. Other tests find it restored. */
public final class TestLink {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Device device;
    private final String networkInterface;
    private final List<GidEntry> table;

    /** Looks at it as it is: the test's own changes come later. */
    public TestLink(Device device) throws IOException {
        this.device = device;
        networkInterface =
                Files.readString(device.sysfsPath().resolve("parent")).strip();
        table = table();
    }

    public String networkInterface() {
        return networkInterface;
    }

    /** Takes the link away, and with it the IPv6 addresses. */
    public void down() throws InterruptedException {
        awaitNoConnection();
        Shell.run("ip link set " + networkInterface + " down");
    }

    /** Brings it up, and waits until it can be used as before. */
    public void up() throws InterruptedException {
        Shell.run("ip link set " + networkInterface + " up");
        awaitAsBefore();
    }

    /**
     * Waits until the port is active and has the GIDs again that it had at first: the kernel tries IPv6 ones out. One
     * that a queue pair still uses comes back at another index.
     */
    private void awaitAsBefore() throws InterruptedException {
        Set<List<Object>> before = gids(table);
        await(() -> isActive() && gids(table()).containsAll(before));
    }

    /** Waits until the whole table is as at first, each GID at its index. */
    public void awaitSameTable() throws InterruptedException {
        await(() -> isActive() && table().equals(table));
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("%s must become %s", table(), table)
                    .isLessThan(end);
            Thread.sleep(10);
        }
    }

    /**
     * Waits until no connection that rdma_cm has made is left, of any process. SoftRoCE's queue pair for connection
     * messages (GSI) fails for good when it sends one while the link is down or its address is gone, and a connection
     * that ends then sends one: nobody would connect over this device any more.
     */
    public void awaitNoConnection() throws InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        List<String> left;
        do {
            // A listener or an id that is not connected yet sends no messages.
            left = Shell.run("rdma resource show cm_id link " + device.name() + "/1")
                    .lines()
                    .filter(line -> line.contains(" state CONNECT ") || line.contains(" state DISCONNECT "))
                    .toList();
            assertThat(System.nanoTime())
                    .as("tests before this one have left connections: %s", left)
                    .isLessThan(end);
        } while (!left.isEmpty());
    }

    private boolean isActive() {
        try (DeviceContext context = DeviceContext.open(device)) {
            return context.port(1).state() == PortState.ACTIVE;
        }
    }

    private List<GidEntry> table() {
        try (DeviceContext context = DeviceContext.open(device)) {
            return context.gidTable(1);
        }
    }

    private static Set<List<Object>> gids(List<GidEntry> entries) {
        return entries.stream()
                .map(entry -> List.<Object>of(entry.gid(), entry.type()))
                .collect(Collectors.toSet());
    }
}
