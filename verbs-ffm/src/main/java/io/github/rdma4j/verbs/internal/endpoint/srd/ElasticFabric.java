// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the Elastic Fabric Adapter of this machine. rdma_cm does not know these adapters, so all endpoints of a process
 * share a context that stays open, as the contexts of rdma_cm do.
 */
public final class ElasticFabric {
    private static DeviceContext shared;

    private ElasticFabric() {}

    /**
     * Returns the adapter that endpoints with RDMA use: the one of the configured protection domain, or the first one.
     *
     * @return the open adapter; empty if RDMA needs rdma_cm, because there is no EFA, or another transport is chosen
     * @throws VerbsException if the adapter cannot be opened
     */
    public static Optional<DeviceContext> find(EndpointSettings config) {
        if (config.transport() != Transport.RDMA && config.transport() != Transport.RDMA_OR_TCP) {
            return Optional.empty();
        }
        return config.protectionDomain() == null
                ? first()
                : Optional.of(config.protectionDomain().context()).filter(ElasticFabric::isElasticFabric);
    }

    private static synchronized Optional<DeviceContext> first() {
        if (shared != null && shared.isOpen()) {
            return Optional.of(shared);
        }
        for (Device device : devices()) {
            if (device.nodeType() == NodeType.UNSPECIFIED) {
                DeviceContext context = DeviceContext.open(device);
                if (isElasticFabric(context)) {
                    shared = context;
                    return Optional.of(context);
                }
                context.close();
            }
        }
        return Optional.empty();
    }

    private static List<Device> devices() {
        try {
            return Device.list();
        } catch (VerbsException e) {
            // rdma_cm, which is tried next, explains it.
            return List.of();
        }
    }

    private static boolean isElasticFabric(DeviceContext context) {
        if (context.device().nodeType() != NodeType.UNSPECIFIED) {
            return false;
        }
        try {
            context.queryEfa();
            return true;
        } catch (UnsupportedVerbException e) {
            return false;
        }
    }

    /**
     * Checks that endpoints with a configuration can use an adapter.
     *
     * @throws VerbsException with cause and remedy if not
     */
    public static void require(DeviceContext device, EndpointSettings config) {
        String operation = "using SRD of " + device.device().name();
        Set<EfaCapability> capabilities = device.queryEfa().capabilities();
        for (EfaCapability needed : List.of(EfaCapability.RDMA_READ, EfaCapability.RDMA_WRITE)) {
            if (config.transport() == Transport.RDMA_OR_TCP && !capabilities.contains(needed)) {
                throw ACCESS.endpointException(
                        operation,
                        "efadv_query_device does not report %s, which transfers need".formatted(needed),
                        "install rdma-core %d or later on an instance type that has it, or choose Transport.RDMA if the"
                                        .formatted(needed.rdmaCoreVersion())
                                + " program needs no such transfers");
            }
        }
    }
}
