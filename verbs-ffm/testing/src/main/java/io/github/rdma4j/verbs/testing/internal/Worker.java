// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The program in the guest: runs the tests of a {@link Request}, which is in the file that its one argument names, and
 * writes their events to standard output.
 */
public final class Worker {
    /** The system property by which the extension knows that it is in the guest. */
    static final String MARK = "rdma4j.softroce.inside";

    private Worker() {}

    /** @param arguments the file with the request */
    public static void main(String[] arguments) throws IOException, ClassNotFoundException {
        Request request = (Request)
                EventStream.deserialise(Files.readAllBytes(Path.of(arguments[0])), Worker.class.getClassLoader());
        // The stream for events is the process's own; what tests print becomes events between them.
        EventWriter events = new EventWriter(new FileOutputStream(FileDescriptor.out), request.token());
        System.setOut(new PrintStream(events.output(false), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(events.output(true), true, StandardCharsets.UTF_8));

        WorkerListener listener = new WorkerListener(events);
        Watchdog.start(events, request.testTimeoutSeconds());
        LauncherDiscoveryRequest tests = LauncherDiscoveryRequestBuilder.request()
                .selectors(request.ids().stream()
                        .map(DiscoverySelectors::selectUniqueId)
                        .toList())
                .filters(EngineFilter.includeEngines("junit-jupiter"))
                .configurationParameters(request.configuration())
                .build();
        // The other JVM has filtered the tests, and has the listeners.
        LauncherConfig config = LauncherConfig.builder()
                .enablePostDiscoveryFilterAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        Launcher launcher = LauncherFactory.create(config);
        launcher.execute(tests, listener);
        events.send(new Event.Done());
        // A test may have left threads that are no daemons.
        Runtime.getRuntime().halt(0);
    }
}
