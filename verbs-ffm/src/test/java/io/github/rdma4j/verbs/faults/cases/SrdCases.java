// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;

import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.WorkCompletionField;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.time.Duration;
import java.util.List;

/** Calls that only an Elastic Fabric Adapter has, and endpoints on it. */
public final class SrdCases {
    private static final DeviceContext DEVICE = DeviceContext.open(TestDevice.first());
    private static final int QUEUE_KEY = 0x1234;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private SrdCases() {}

    public static List<FaultCase> all() {
        return List.of(
                new FaultCase("queries of an EFA", 2, SrdCases::queries),
                new FaultCase("completion queue of an EFA", 2, SrdCases::queue),
                new FaultCase("SRD queue pair", 24, SrdCases::queuePair),
                new FaultCase("endpoint server over SRD", 12, EndpointCases::server),
                new FaultCase("endpoint client over SRD", 60, EndpointCases::client),
                new FaultCase("endpoint of a group over SRD", 90, EndpointCases::member),
                new FaultCase("endpoint selector over SRD", 10, EndpointCases::selector),
                new FaultCase("endpoint's grant over SRD", 5, EndpointCases::grant));
    }

    private static void queries(Steps steps) {
        steps.make(DEVICE::queryEfa);
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        AddressHandle here = here(domain);
        steps.make(here::queryEfaNumber);
        domain.close();
    }

    private static AddressHandle here(ProtectionDomain domain) {
        return domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, DEVICE.gidAddress(1, 0)));
    }

    private static void queue(Steps steps) {
        var queue = steps.make(() ->
                DEVICE.createExtendedCompletionQueue(16, config -> config.fields(WorkCompletionField.SENDER_GID)));
        steps.end(queue);
    }

    private static void queuePair(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        CompletionQueue queue = DEVICE.createCompletionQueue(64);
        MemoryRegion memory = domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_READ);
        SrdQueuePair pair = steps.make(() -> domain.createSrdQueuePair(
                config -> config.completionQueue(queue).queueKey(QUEUE_KEY)));
        AddressHandle here = steps.make(() -> here(domain));
        Destination itself = Destination.of(here, pair.number(), QUEUE_KEY);
        steps.post(() -> pair.tryPostReceive(1, memory.slice(0, 64)));
        steps.post(() -> pair.tryPostSend(2, memory.slice(64, 64), itself));
        await(queue, 2);
        steps.post(() -> pair.tryPostRead(3, memory.slice(0, 64), memory.remoteMemory(), itself));
        await(queue, 1);
        steps.make(pair::state);
        steps.run(pair::toError);
        steps.end(pair);
        steps.end(here);
        domain.close();
        queue.close();
    }

    private static void await(CompletionQueue queue, int count) {
        WorkCompletions completions = WorkCompletions.allocate(1);
        long start = System.nanoTime();
        for (int completed = 0; completed < count; completed += queue.poll(completions)) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("no completion");
            }
        }
    }
}
