// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Takes from JUnit Jupiter the tests that run in a container, so that they run once. */
public final class ClaimedByContainer implements PostDiscoveryFilter {
    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(
                !Ids.isJupiters(test.getUniqueId()) || !isClaimed(test),
                () -> "runs here",
                () -> "runs in a container, by the engine " + SoftRoceTestEngine.ID);
    }

    private static boolean isClaimed(TestDescriptor test) {
        Optional<TestDescriptor> node = Optional.of(test);
        while (node.isPresent()) {
            if (node.get().getSource().orElse(null) instanceof ClassSource source
                    && SoftRoceTestEngine.claims(source.getClassName())) {
                return true;
            }
            node = node.get().getParent();
        }
        return false;
    }
}
