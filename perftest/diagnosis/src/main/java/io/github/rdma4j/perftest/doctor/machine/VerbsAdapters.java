// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Queries libibverbs for the adapters. Opens each one briefly. */
final class VerbsAdapters {
    private VerbsAdapters() {}

    /** Returns the adapters. A problem is part of the result and never an exception. */
    static AdapterInventory read() {
        try {
            List<AdapterFacts> adapters = new ArrayList<>();
            for (Device device : Device.list()) {
                adapters.add(open(device));
            }
            return new AdapterInventory(Optional.empty(), adapters);
        } catch (VerbsException failure) {
            return new AdapterInventory(Optional.of(Problem.of(failure, failure.remedy())), List.of());
        }
    }

    private static AdapterFacts open(Device device) {
        try (DeviceContext context = DeviceContext.open(device)) {
            List<PortFacts> ports = new ArrayList<>();
            for (int port = 1; port <= context.attributes().physicalPortCount(); port++) {
                ports.add(port(context, port));
            }
            return new AdapterFacts(
                    device.name(), Optional.empty(), dmaBuf(context), ports, dataDirect(context), efa(context));
        } catch (VerbsException failure) {
            return AdapterFacts.unusable(device.name(), Problem.of(failure, failure.remedy()));
        }
    }

    private static PortFacts port(DeviceContext context, int number) {
        PortAttributes port = context.port(number);
        return new PortFacts(number, port.activeMtu(), port.maxMtu(), port.maxMessageSize());
    }

    private static Optional<DataDirectSupport> dataDirect(DeviceContext context) {
        try (ProtectionDomain domain = context.allocateProtectionDomain()) {
            return Optional.of(domain.dataDirect());
        } catch (VerbsException _) {
            return Optional.empty();
        }
    }

    private static Optional<EfaDeviceAttributes> efa(DeviceContext context) {
        try {
            return Optional.of(context.queryEfa());
        } catch (VerbsException _) {
            return Optional.empty();
        }
    }

    private static Support dmaBuf(DeviceContext context) {
        try (ProtectionDomain domain = context.allocateProtectionDomain()) {
            return Support.of(domain.supportsDmaBuf());
        } catch (VerbsException _) {
            return Support.UNKNOWN;
        }
    }
}
