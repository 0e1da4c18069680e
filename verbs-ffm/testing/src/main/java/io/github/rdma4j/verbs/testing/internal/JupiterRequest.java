// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.List;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoveryFilter;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryListener;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.OutputDirectoryCreator;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.UniqueIdSelector;

/**
 * A discovery request with our unique ids translated to JUnit Jupiter's. It does not notify the listener, because
 * Jupiter also gets the original request.
 */
record JupiterRequest(EngineDiscoveryRequest request) implements EngineDiscoveryRequest {
    @Override
    public <T extends DiscoverySelector> List<T> getSelectorsByType(Class<T> type) {
        return request.getSelectorsByType(type).stream()
                .map(selector -> selector instanceof UniqueIdSelector id && Ids.isOurs(id.getUniqueId())
                        ? type.cast(DiscoverySelectors.selectUniqueId(Ids.jupiters(id.getUniqueId())))
                        : selector)
                .toList();
    }

    @Override
    public <T extends DiscoveryFilter<?>> List<T> getFiltersByType(Class<T> type) {
        return request.getFiltersByType(type);
    }

    @Override
    public ConfigurationParameters getConfigurationParameters() {
        return request.getConfigurationParameters();
    }

    @Override
    public EngineDiscoveryListener getDiscoveryListener() {
        return EngineDiscoveryListener.NOOP;
    }

    @Override
    public OutputDirectoryCreator getOutputDirectoryCreator() {
        return request.getOutputDirectoryCreator();
    }
}
