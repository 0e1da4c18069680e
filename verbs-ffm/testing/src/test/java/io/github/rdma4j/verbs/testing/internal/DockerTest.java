// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import io.github.rdma4j.verbs.testing.SoftRoceContainer;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DockerTest {
    @ParameterizedTest
    @CsvSource({"1.40,true", "1.41,false", "1.9,true", "1.100,false", "2.0,false", "0.99,true"})
    void enginesBeforeDocker2010AreTooOld(String api, boolean tooOld) {
        assertThat(Docker.isTooOld(api)).isEqualTo(tooOld);
    }

    @Test
    void imageOfRdma4jIsNeverPulled() {
        // An engine that has no image, and refuses to pull one.
        DockerClient engine = (DockerClient) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DockerClient.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("inspectImageCmd")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    throw new NotFoundException("no such image");
                });
        for (String image : List.of(SoftRoceContainer.IMAGE, "rdma4j/softroce:0.2")) {
            assertThatThrownBy(() -> Docker.pullIfMissing(engine, image))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(image, "in no registry", "scripts/softroce image");
        }
        assertThatThrownBy(() -> Docker.pullIfMissing(engine, "registry.example/rdma4j/softroce:0.2"))
                .hasMessageContaining("pullImageCmd");
    }

    @Test
    void withoutDockerTheClassFailsWithTheRemedy() throws Exception {
        assertThat(runSample("container"))
                .contains("no Docker engine answers: ")
                .contains("Install and start Docker")
                .contains("RDMA4J_SOFTROCE=skip")
                .contains("1 containers failed")
                .doesNotContain("ran in");
    }

    @Test
    void runWithoutDockerSkipsIfConfigured() throws Exception {
        assertThat(runSample("skip"))
                .contains("no RDMA device here, no Docker engine")
                .contains("0 containers failed")
                .contains("6 tests skipped");
    }

    @Test
    void localMeansHereAndNeedsADevice() throws Exception {
        assertThat(runSample("local"))
                .contains("rdma4j.softroce is local, and this machine has no RDMA device")
                .contains("modprobe rdma_rxe");
    }

    @Test
    void withoutTheEngineOfThisPackageTheClassFailsWithTheRemedy() throws Exception {
        assertThat(runSample("container", "--include-engine=junit-jupiter"))
                .contains("the test engine rdma4j-softroce that runs @SoftRoce classes in a container takes no part in"
                        + " this run")
                .contains("1 containers failed");
    }

    // In a JVM of its own: Testcontainers asks for the engine once, and keeps the answer.
    private static String runSample(String mode, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Drdma4j.softroce=" + mode,
                "-cp",
                System.getProperty("java.class.path"),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--disable-banner",
                "--disable-ansi-colors",
                "--details=tree",
                "--select-class",
                Sample.class.getName()));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("DOCKER_HOST", "unix:///no/such/socket");
        builder.environment().remove("RDMA4J_SOFTROCE");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
