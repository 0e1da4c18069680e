// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Lists the classes of a jar that have device tests, and the tags of these tests: {@code CLASS TAG TAG…}, sorted. An
 * emulated JVM would take half a minute to find them, because it would load each class.
 */
final class DeviceTestClasses {
    private DeviceTestClasses() {}

    /** {@code JAR LIST}: the list goes to this file. */
    public static void main(String... arguments) throws IOException {
        TestPlan plan = LauncherFactory.create()
                .discover(request()
                        .selectors(selectClasspathRoots(Set.of(Path.of(arguments[0]))))
                        .filters(ClassNameFilter.includeClassNamePatterns(".*"), TagFilter.includeTags("device"))
                        .build());
        SortedMap<String, Set<String>> classes = new TreeMap<>();
        for (TestIdentifier engine : plan.getRoots()) {
            for (TestIdentifier container : plan.getChildren(engine)) {
                String name = container
                        .getSource()
                        .map(ClassSource.class::cast)
                        .orElseThrow()
                        .getClassName();
                classes.put(name, tags(plan, container));
            }
        }
        Files.write(
                Path.of(arguments[1]),
                classes.entrySet().stream()
                        .map(entry -> entry.getKey() + " " + String.join(" ", entry.getValue()))
                        .toList());
    }

    /** Of what a class has and of the classes nested in it. */
    private static Set<String> tags(TestPlan plan, TestIdentifier container) {
        return plan.getDescendants(container).stream()
                .flatMap(each -> each.getTags().stream())
                .map(TestTag::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
