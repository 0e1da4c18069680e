// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsWire;
import io.github.rdma4j.verbs.pool.PooledMemory;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link TransfersContract} on a device, and tests that need registered memory. */
@Tag("device")
class TransfersDeviceTest extends TransfersContract {
    private EndpointPair devices;

    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        devices = new EndpointPair(both);
        return devices;
    }

    @Test
    @Tag("iwarp")
    void memoryThatTheProgramRegisteredCanBeExposed() {
        MemoryRegion region = devices.right.protectionDomain().allocateMemory(32, LOCAL_WRITE, REMOTE_READ);
        try (ExposedMemory own = devices.right.expose(region, REMOTE_READ)) {
            own.segment().set(ValueLayout.JAVA_LONG, 0, 77);
            transfers.read(local.slice(0, 32), own.handle(), PATIENCE);
            assertThat(local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
        }
        assertThat(region.isOpen()).isFalse();
        MemoryRegion foreign = devices.device.allocateProtectionDomain().allocateMemory(32, REMOTE_READ);
        assertThatThrownBy(() -> devices.right.expose(foreign, REMOTE_READ))
                .hasMessageContaining("another protection domain");
    }

    @Test
    @Tag("iwarp")
    void memoryThatWasRegisteredWithoutARightIsNotExposedWithIt() {
        MemoryRegion readable = devices.right.protectionDomain().allocateMemory(32, REMOTE_READ);
        assertThatThrownBy(() -> devices.right.expose(readable, REMOTE_READ, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was registered with [REMOTE_READ]")
                .hasMessageContaining("cannot be exposed with [REMOTE_WRITE, REMOTE_READ]");
        assertThat(readable.isOpen()).isTrue();
        assertThat(devices.right.expose(readable, REMOTE_READ).handle().length())
                .isEqualTo(32);
    }

    @Test
    @Tag("iwarp")
    void memoryOfAPoolIsExposedAloneAndStaysThePools() {
        try (RegisteredMemoryPool pool = RegisteredMemoryPool.create(
                        devices.right.protectionDomain(), config -> config.access(LOCAL_WRITE, REMOTE_READ));
                PooledMemory one = pool.allocate(16);
                PooledMemory other = pool.allocate(16)) {
            other.segment().set(ValueLayout.JAVA_LONG, 8, 4711);
            try (ExposedMemory shared = devices.right.expose(other.slice(), REMOTE_READ)) {
                assertThat(shared.handle().length()).isEqualTo(16);
                assertThat(shared.segment().byteSize()).isEqualTo(16);
                transfers.read(local.slice(0, 8), shared.handle().slice(8, 8), PATIENCE);
                assertThat(local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(4711);
            }
            assertThat(one.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
            assertThat(other.slice().region().isOpen()).isTrue();
        }
    }

    @Test
    void atomicOperationWhoseValueTheAdapterDidNotDeliverFails() throws Exception {
        CompletableFuture<Long> before = transfers.fetchAndAddAsync(handle.slice(0, 8), 5);
        SendBuffers buffers = sendBuffersOf(devices.left);
        long start = System.nanoTime();
        while (IntStream.range(0, 4).anyMatch(slot -> buffers.original(slot) == SendBuffers.NO_RESULT)) {
            assertThat(System.nanoTime() - start).as("the value comes").isLessThan(PATIENCE.toNanos());
            Thread.sleep(1);
        }
        // The adapter is done, and nobody has looked: what it put there is taken away.
        assertThat(exposed.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);
        for (int slot = 0; slot < 4; slot++) {
            buffers.setWord(slot, SendBuffers.NO_RESULT);
        }
        assertThatThrownBy(before::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransferException.class,
                        failure -> assertThat(failure.status()).isEqualTo(WorkCompletionStatus.SUCCESS))
                .hasMessageContaining("delivered no value")
                .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
        assertThatThrownBy(() -> transfers.fetchAndAdd(handle.slice(0, 8), 5, PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("delivered no value");
    }

    private static SendBuffers sendBuffersOf(Endpoint endpoint) throws ReflectiveOperationException {
        Field transport = Engine.class.getDeclaredField("transport");
        transport.setAccessible(true);
        return ((VerbsWire) transport.get(endpoint.engine())).sendBuffers();
    }
}
