// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of queue pairs and completion queues, with the same assertions, over rings. {@code scripts/lib/device-tests
 * --rings} runs all device tests so.
 */
@Tag("device")
class OverRingsDeviceTest {
    @Nested
    @ExtendWith(OverRings.class)
    class Transfers extends TransferDeviceTest {}

    @Nested
    @ExtendWith(OverRings.class)
    class Operations extends OperationsDeviceTest {}

    @Nested
    @ExtendWith(OverRings.class)
    class CompletionQueues extends CompletionQueueDeviceTest {}

    @Nested
    @ExtendWith(OverRings.class)
    class SharedReceiveQueues extends SharedReceiveQueueDeviceTest {}

    @Nested
    @Tag("full")
    @ExtendWith(OverRings.class)
    class Datagrams extends DatagramDeviceTest {}

    @Nested
    @Tag("full")
    @ExtendWith(OverRings.class)
    class PreparedRequests extends PreparedRequestDeviceTest {}

    @Nested
    @Tag("full")
    @ExtendWith(OverRings.class)
    class PreparedRequestRefusals extends PreparedRequestRefusalDeviceTest {}

    @Nested
    @Tag("full")
    @ExtendWith(OverRings.class)
    class PreparedReceives extends PreparedReceiveDeviceTest {}

    @Nested
    @ExtendWith(OverRings.class)
    class MemoryWindows extends MemoryWindowType2DeviceTest {}
}
