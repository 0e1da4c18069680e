// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The resources that the work of a graph uses. The driver only knows addresses: memory that is closed before a launch
 * could belong to another owner.
 *
 * <p>Thread safety: one thread at a time.
 */
final class GraphUses {
    private final Set<GuardedResource> resources = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Each dependency as often as its work occurs. */
    private final List<GraphDependency> dependencies = new ArrayList<>();

    void add(GuardedResource resource) {
        resources.add(resource);
    }

    void add(GraphDependency dependency) {
        dependencies.add(dependency);
    }

    void addAll(GraphUses others) {
        resources.addAll(others.resources);
        dependencies.addAll(others.dependencies);
    }

    /** Returns the resources that a launch checks, as an array, so that the launch need not allocate. */
    GuardedResource[] resources() {
        return resources.toArray(GuardedResource[]::new);
    }

    GraphDependency[] dependencies() {
        return dependencies.toArray(GraphDependency[]::new);
    }
}
