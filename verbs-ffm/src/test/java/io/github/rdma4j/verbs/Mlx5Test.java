// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.cm.ConnectionsOnLibmlx5;
import io.github.rdma4j.verbs.endpoint.EndpointsOnLibmlx5;
import io.github.rdma4j.verbs.endpoint.ExposuresOnLibmlx5;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs libmlx5 itself on a stand-in for a kernel with its adapter, {@code src/test/c/mlx5-kernel}. The tests are in the
 * classes named {@code …OnLibmlx5}.
 */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was written for x86-64")
class Mlx5Test {
    private static final String ADAPTER = "RDMA4J_MLX5_ADAPTER=1";

    @TempDir
    private static Path folder;

    private static StandInKernel kernel;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        kernel = new StandInKernel("mlx5", folder);
        kernel.build();
    }

    /** Classes of tests, with settings as {@code NAME=VALUE} for the environment and {@code -D…} for the JVM. */
    private static void play(List<Class<?>> classes, String... settings) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("MLX5_DEBUG_FILE=/dev/null");
        kernel.play(classes, all.toArray(String[]::new));
    }

    @Test
    void exposuresWorkOnInfiniBand() throws IOException, InterruptedException {
        play(List.of(ExposuresOnLibmlx5.class));
    }

    /** Compiled by the second compiler, while the program waits for it: ChildJvm has the first one alone, and late. */
    @Test
    void loopsOfTheHotPathCanBeStopped() throws IOException, InterruptedException {
        play(List.of(SafepointsOnLibmlx5.class), "-XX:TieredStopAtLevel=4", "-XX:CompileThresholdScaling=1", "-Xbatch");
    }

    @Test
    void portOfInfiniBandIsAddressedByLids() throws IOException, InterruptedException {
        play(List.of(InfiniBandOnLibmlx5.class), ADAPTER);
    }

    @Test
    void connectionsAreMadeByRdmaCm() throws IOException, InterruptedException {
        play(List.of(ConnectionsOnLibmlx5.class), ADAPTER);
    }

    @Test
    void endpointsAreConnectedOnInfiniBand() throws IOException, InterruptedException {
        playEndpoints();
    }

    private static void playEndpoints(String... more) throws IOException, InterruptedException {
        Path fabric = Files.createTempDirectory(folder, "fabric");
        List<String> settings = new ArrayList<>(
                List.of("RDMA4J_MLX5_FABRIC=" + fabric, "-D%s=%s".formatted(EndpointsOnLibmlx5.RUN, kernel.run())));
        settings.addAll(List.of(more));
        play(List.of(EndpointsOnLibmlx5.class), settings.toArray(String[]::new));
    }

    @Test
    void portWithoutASubnetManagerIsRefused() throws IOException, InterruptedException {
        play(List.of(UnmanagedPortOnLibmlx5.class), "RDMA4J_MLX5_PORT_STATE=2");
    }

    /** Runs the device tests of rdma_cm and of endpoints that need only features of InfiniBand and of the stand-in. */
    @Test
    @Tag("full")
    void deviceTestsOfConnectionsPass() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : List.of(
                "cm.ConnectionCloseDeviceTest",
                "cm.ConnectionsGuideDeviceTest",
                "cm.MigrationDeviceTest",
                "endpoint.AdmissionDeviceTest",
                "endpoint.EndDeviceTest",
                "endpoint.EndpointChannelDeviceTest",
                "endpoint.InPlaceDeviceTest",
                "endpoint.MessageDeviceTest",
                "endpoint.TransfersDeviceTest")) {
            // Not initialised: here is no device.
            classes.add(Class.forName("io.github.rdma4j.verbs." + name, false, Mlx5Test.class.getClassLoader()));
        }
        play(classes, ADAPTER, "-Drdma4j.test.address=10.77.0.1");
    }

    @Test
    void deviceTestsPass() throws IOException, InterruptedException {
        play(List.of(TransferDeviceTest.class, PostingThreadsDeviceTest.class, CursorCloseDeviceTest.class), ADAPTER);
    }
}
