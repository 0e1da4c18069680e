// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.device.TransportType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link InPlaceContract} on a device, and messages that only the adapter can read. */
@Tag("device")
@Tag("iwarp")
class InPlaceDeviceTest extends InPlaceContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right) {
        return new EndpointPair(left, right);
    }

    @Test
    void adapterSendsWhatThisThreadCannotCopy() {
        if (TestDevice.first().transportType() == TransportType.IWARP) {
            return; // messages are copied there
        }
        try (Arena arena = Arena.ofConfined();
                Ends pair = pair(config -> {}, config -> {})) {
            exchangeUnreadable(pair.left(), pair.right(), arena);
        }
    }

    /** Sends messages of several lengths from memory without a segment, and from memory of another thread. */
    static void exchangeUnreadable(Endpoint from, Endpoint to, Arena arena) {
        MemorySegment memory = arena.allocate(128, 8);
        memory.setString(0, "the adapter alone reads this");
        try (MemoryRegion confined = from.protectionDomain()
                        .registerMemory(config -> config.segment(memory).access(LOCAL_WRITE));
                MemoryRegion withoutSegment = from.protectionDomain()
                        .registerMemory(config -> config.address(memory.address(), memory.byteSize())
                                .access(LOCAL_WRITE))) {
            assertThat(withoutSegment.hasSegment()).isFalse();
            for (MemoryRegion region : List.of(withoutSegment, confined)) {
                for (int length : new int[] {0, 5, 32, 33, 128}) {
                    MemorySlice message = region.slice(0, length);
                    assertThat(CompletableFuture.supplyAsync(() -> from.trySend(length, message))
                                    .join())
                            .isEqualTo(Endpoint.OK);
                    assertThat(to.receive(PATIENCE))
                            .hasValue(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
                }
            }
            TransferHandler handler =
                    (id, original, failure) -> assertThat(failure).isNull();
            assertThat(from.transfers().awaitTransfers(handler, PATIENCE)).isPositive();
        }
    }
}
