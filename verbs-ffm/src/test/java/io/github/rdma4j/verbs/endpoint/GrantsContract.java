// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that is given to one peer of several: rights, range, and the end. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class GrantsContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SIZE = 3 * 4096;

    private final EndpointServer server = EndpointServer.bind(address(), this::configure);
    private final List<Endpoint> clients = new ArrayList<>();
    private final List<Endpoint> atServer = new ArrayList<>();

    abstract InetSocketAddress address();

    /** Of both sides. */
    abstract void configure(EndpointConfig config);

    /** Whether a key is worth nothing in the hands of another peer. */
    abstract boolean isExclusive();

    /**
     * Whether it is iWARP: a write is done there when it is on its way, so that one with a wrong key may end well; the
     * connection is lost behind it, and a read may see that alone. There are no atomic operations.
     */
    boolean isIwarp() {
        return false;
    }

    /** The number of a new client. */
    private int connect() {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        clients.add(Endpoint.connect(server.address(), this::configure, PATIENCE));
        Endpoint endpoint = accepted.join();
        atServer.add(endpoint);
        // Over TCP somebody must be there to serve.
        Thread.ofVirtual().start(endpoint::progressLoop);
        return clients.size() - 1;
    }

    @AfterEach
    void close() {
        clients.forEach(Endpoint::abort);
        atServer.forEach(Endpoint::abort);
        server.close();
    }

    private static MemoryHandle travelled(MemoryHandle handle) {
        return MemoryHandle.fromBytes(handle.toBytes());
    }

    /** Of one client. */
    private void write(int client, MemoryHandle to, byte what) {
        try (MemoryRegion local = clients.get(client).allocateMemory(8)) {
            local.segment().fill(what);
            clients.get(client).transfers().write(local.slice(), to.slice(0, 8), PATIENCE);
        }
    }

    private byte read(int client, MemoryHandle from) {
        try (MemoryRegion local = clients.get(client).allocateMemory(8)) {
            clients.get(client).transfers().read(local.slice(), from.slice(0, 8), PATIENCE);
            return local.segment().get(ValueLayout.JAVA_BYTE, 7);
        }
    }

    private void isRefused(Runnable transfer) {
        if (isIwarp()) {
            assertThatThrownBy(transfer::run).isInstanceOfAny(TransferException.class, ConnectionLostException.class);
            return;
        }
        assertThatThrownBy(transfer::run)
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR))
                .hasMessageContaining("remote access error");
    }

    /** For what must not be written the test looks itself. */
    private void isRefusedWrite(Runnable write) {
        if (!isIwarp()) {
            isRefused(write);
            return;
        }
        try {
            write.run();
        } catch (TransferException | ConnectionLostException _) {
            // One that ends well changes nothing either.
        }
    }

    @Test
    @Tag("iwarp")
    void endOfOnePeersGrantIsNothingToTheOthers() {
        int first = connect();
        int second = connect();
        Endpoint owner = atServer.get(first);
        try (MemoryRegion memory = allocate(owner)) {
            GrantedMemory toFirst = owner.grant(memory.slice(4096, 4096), PATIENCE, REMOTE_READ, REMOTE_WRITE);
            GrantedMemory toSecond =
                    atServer.get(second).grant(memory.slice(4096, 4096), PATIENCE, REMOTE_READ, REMOTE_WRITE);
            for (GrantedMemory granted : List.of(toFirst, toSecond)) {
                assertThat(granted.isExclusive()).isEqualTo(isExclusive());
                assertThat(granted.whyNotExclusive().isPresent()).isEqualTo(!isExclusive());
                assertThat(granted.segment().byteSize()).isEqualTo(4096);
                assertThat(granted.handle().rights()).containsExactlyInAnyOrder(REMOTE_READ, REMOTE_WRITE);
            }
            write(first, travelled(toFirst.handle()), (byte) 1);
            assertThat(read(second, travelled(toSecond.handle()))).isEqualTo((byte) 1);

            toFirst.close();
            toFirst.close();
            assertThat(toFirst.isOpen()).isFalse();
            assertThat(toFirst.toString()).contains("taken back");
            isRefusedWrite(() -> write(first, toFirst.handle(), (byte) 2));

            write(second, toSecond.handle(), (byte) 3);
            assertThat(read(second, toSecond.handle())).isEqualTo((byte) 3);
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 4096)).isEqualTo((byte) 3);
            toSecond.close();
            isRefused(() -> read(second, toSecond.handle()));
        }
    }

    /** Of the program's own. */
    private static MemoryRegion allocate(Endpoint owner) {
        return owner.transport() == Transport.TCP
                ? MemoryRegion.withoutAdapter(SIZE, LOCAL_WRITE)
                : owner.protectionDomain().allocateMemory(SIZE, LOCAL_WRITE);
    }

    /** The memory remains the program's when the region is closed. */
    private static MemoryRegion register(Endpoint owner, MemorySegment memory) {
        return owner.transport() == Transport.TCP
                ? MemoryRegion.withoutAdapter(memory, LOCAL_WRITE)
                : owner.protectionDomain().registerMemory(memory, LOCAL_WRITE);
    }

    @Test
    @Tag("iwarp")
    void anotherPeersKeyIsWorthNothingIfTheGrantIsExclusive() {
        int owner = connect();
        int thief = connect();
        try (GrantedMemory granted = atServer.get(owner).grant(64, PATIENCE, REMOTE_READ, REMOTE_WRITE)) {
            granted.segment().fill((byte) 5);
            if (granted.isExclusive()) {
                isRefused(() -> read(thief, granted.handle()));
            } else {
                assertThat(read(thief, granted.handle())).isEqualTo((byte) 5);
            }
            assertThat(read(owner, granted.handle())).isEqualTo((byte) 5);
        }
    }

    @Test
    @Tag("iwarp")
    void rightThatWasNotGivenFails() {
        int client = connect();
        try (GrantedMemory granted = atServer.get(client).grant(64, PATIENCE, REMOTE_READ)) {
            assertThat(read(client, granted.handle())).isZero();
            assertThatThrownBy(() -> write(client, granted.handle(), (byte) 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("REMOTE_WRITE");
            isRefusedWrite(
                    () -> write(client, new MemoryHandle(granted.handle().memory(), Set.of(REMOTE_WRITE)), (byte) 1));
            assertThat(granted.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    @Tag("iwarp")
    void memoryOutsideTheGrantCannotBeReached() {
        int client = connect();
        Endpoint owner = atServer.get(client);
        try (MemoryRegion memory = allocate(owner)) {
            GrantedMemory granted = owner.grant(memory.slice(4096, 4096), PATIENCE, REMOTE_READ, REMOTE_WRITE);
            RemoteMemory given = granted.handle().memory();
            write(client, granted.handle().slice(4088, 8), (byte) 1);
            RemoteMemory beyond = new RemoteMemory(given.address() + 4090, 8, given.remoteKey());
            isRefusedWrite(() -> write(client, new MemoryHandle(beyond, Set.of(REMOTE_WRITE)), (byte) 7));
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 8192)).isZero();
            int again = connect();
            GrantedMemory other =
                    atServer.get(again).grant(memory.slice(4096, 4096), PATIENCE, REMOTE_READ, REMOTE_WRITE);
            RemoteMemory before = new RemoteMemory(
                    given.address() - 8, 8, other.handle().memory().remoteKey());
            isRefused(() -> read(again, new MemoryHandle(before, Set.of(REMOTE_READ))));
        }
    }

    @Test
    @Tag("iwarp")
    void itEndsWithTheRegionAndWithTheEndpoint() {
        int client = connect();
        Endpoint owner = atServer.get(client);
        MemoryRegion memory = register(owner, Arena.ofAuto().allocate(SIZE));
        GrantedMemory granted = owner.grant(memory.slice(0, 64), PATIENCE, REMOTE_READ);
        GrantedMemory own = isIwarp()
                ? owner.grant(64, PATIENCE, REMOTE_READ, REMOTE_WRITE)
                : owner.grant(64, PATIENCE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        if (!isIwarp()) {
            assertThat(clients.get(client).transfers().fetchAndAdd(own.handle().slice(0, 8), 5, PATIENCE))
                    .isZero();
            assertThat(own.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);
        }
        memory.close();
        assertThat(granted.isOpen()).isFalse();
        assertThat(own.isOpen()).isTrue();
        // If a part was registered separately, it must be kept until it is deregistered.
        owner.grant(64, PATIENCE, REMOTE_READ);
        isRefused(() -> read(client, granted.handle()));
        owner.close(Duration.ZERO);
        assertThat(own.isOpen()).isFalse();
        assertThat(granted.base() == null || !granted.base().isOpen()).isTrue();
        assertThatThrownBy(() -> owner.grant(64, PATIENCE, REMOTE_READ)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("iwarp")
    void mistakesAreExceptionsAndCostNothing() {
        int client = connect();
        Endpoint owner = atServer.get(client);
        try (MemoryRegion memory = allocate(owner)) {
            assertThatThrownBy(() -> owner.grant(memory.slice(), PATIENCE)).hasMessageContaining("without any right");
            assertThatThrownBy(() -> owner.grant(memory.slice(), PATIENCE, LOCAL_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the rights of a peer are of");
            assertThatThrownBy(() -> owner.grant(memory.slice(0, 0), PATIENCE, REMOTE_READ))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0 bytes");
            assertThatThrownBy(() -> owner.grant(0, PATIENCE, REMOTE_READ))
                    .isInstanceOf(IllegalArgumentException.class);
            MemoryRegion closed = allocate(owner);
            closed.close();
            assertThatThrownBy(() -> owner.grant(closed.slice(), PATIENCE, REMOTE_READ))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(clients.get(client).send(new byte[] {1}, PATIENCE)).isTrue();
            assertThat(owner.isConnected()).isTrue();
        }
    }
}
