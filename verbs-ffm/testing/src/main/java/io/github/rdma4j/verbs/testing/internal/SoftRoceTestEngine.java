// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import io.github.rdma4j.verbs.testing.SoftRoce;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.UniqueIdSelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.EngineDescriptor;

/**
 * Runs {@code @SoftRoce} classes in a container if this machine has no device. JUnit Jupiter discovers the tests in
 * this JVM, without initialising a class, and runs them in the guest. This is an engine and no Jupiter extension,
 * because Jupiter calls an extension only after it has run extensions in fields, argument sources and conditions.
 */
public final class SoftRoceTestEngine implements TestEngine {
    /** The engine's id. */
    public static final String ID = "rdma4j-softroce";

    // Outermost classes that a discovery in this JVM has found to run in a container.
    private static final Set<String> CLAIMED = ConcurrentHashMap.newKeySet();

    /** For the service loader. */
    public SoftRoceTestEngine() {}

    static boolean claims(Class<?> type) {
        return claims(type.getName());
    }

    static boolean claims(String className) {
        return CLAIMED.contains(className);
    }

    @Override
    public String getId() {
        return ID;
    }

    @Override
    public TestDescriptor discover(EngineDiscoveryRequest request, UniqueId id) {
        Set<UniqueId> selected = request.getSelectorsByType(UniqueIdSelector.class).stream()
                .map(UniqueIdSelector::getUniqueId)
                .map(selector -> Ids.isOurs(selector) ? Ids.jupiters(selector) : selector)
                .collect(Collectors.toSet());
        Root root = new Root(id, selected);
        if (Boolean.getBoolean(Worker.MARK)) {
            return root;
        }
        Optional<Pattern> named;
        try {
            if (TestPlace.decide() != TestPlace.CONTAINER) {
                return root;
            }
            named = Settings.classes();
        } catch (IllegalArgumentException e) {
            // JUnit Jupiter gets the classes; DeviceRequired also reports the error for each annotated class.
            root.addChild(new WrongSetting(id, e));
            return root;
        }
        for (TestDescriptor found : discoverWithJupiter(request)) {
            if (found.getSource().orElse(null) instanceof ClassSource source && runsInContainer(source, named)) {
                CLAIMED.add(source.getClassName());
                root.addChild(new RemoteDescriptor(found));
            }
        }
        return root;
    }

    private static Set<? extends TestDescriptor> discoverWithJupiter(EngineDiscoveryRequest request) {
        for (TestEngine engine : ServiceLoader.load(TestEngine.class, SoftRoceTestEngine.class.getClassLoader())) {
            if (engine.getId().equals(Ids.JUPITER)) {
                return engine.discover(new JupiterRequest(request), UniqueId.forEngine(Ids.JUPITER))
                        .getChildren();
            }
        }
        return Set.of();
    }

    private static boolean runsInContainer(ClassSource source, Optional<Pattern> named) {
        return named.filter(pattern -> pattern.matcher(source.getClassName()).matches())
                        .isPresent()
                || AnnotationSupport.isAnnotated(source.getJavaClass(), SoftRoce.class);
    }

    @Override
    public void execute(ExecutionRequest request) {
        EngineExecutionListener listener = request.getEngineExecutionListener();
        Root root = (Root) request.getRootTestDescriptor();
        TestExecutionResult result = TestExecutionResult.successful();
        listener.executionStarted(root);
        for (TestDescriptor child : root.getChildren()) {
            if (child instanceof WrongSetting wrong) {
                wrong.run(listener);
            } else {
                TestExecutionResult there =
                        new RemoteClass(child, root.selected, request.getConfigurationParameters(), listener).run();
                if (there.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                    result = there;
                }
            }
        }
        listener.executionFinished(root, result);
    }

    /**
     * The root of our tests; remembers which were selected by JUnit Jupiter's ids, because such an id may mean one
     * invocation of a parameterised test.
     */
    private static final class Root extends EngineDescriptor {
        private final Set<UniqueId> selected;

        Root(UniqueId id, Set<UniqueId> selected) {
            super(id, "JUnit Jupiter in a SoftRoCE container");
            this.selected = selected;
        }
    }
}
