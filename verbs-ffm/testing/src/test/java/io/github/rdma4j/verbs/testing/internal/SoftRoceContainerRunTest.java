// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.TestExecutionResult.Status.ABORTED;
import static org.junit.platform.engine.TestExecutionResult.Status.FAILED;
import static org.junit.platform.engine.TestExecutionResult.Status.SUCCESSFUL;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import io.github.rdma4j.verbs.testing.SoftRoceContainer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import org.testcontainers.containers.Container.ExecResult;

/**
 * Tests with a Docker engine and the image, which scripts/lib/container-tests provides. Each test starts one or two
 * guests.
 */
@Tag("container")
class SoftRoceContainerRunTest {
    @BeforeEach
    void theSetting() {
        System.setProperty("sample.setting", "a \u00e4");
        // As Surefire does.
        ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(true);
        // Bounds a hang: beside others an emulated guest is slow.
        System.setProperty("rdma4j.softroce.testTimeout", "600");
    }

    @AfterEach
    void noSettings() {
        for (String name : new String[] {"sample.setting", "rdma4j.softroce.testTimeout", "rdma4j.softroce.transfer"}) {
            System.clearProperty(name);
        }
    }

    @Test
    void classIsReportedAsIfItHadRunHere() {
        Recorder run = Recorder.run(selectClass(Sample.class));

        assertThat(run.status("passes()"))
                .as("%s, printed: %s", run.results, run.error)
                .isEqualTo(SUCCESSFUL);
        assertThat(run.output)
                .contains("ran in " + Path.of("").toAbsolutePath() + " with rxe0")
                .contains("to standard output: \u00e4");
        assertThat(run.error).contains("to standard error").doesNotContain("to standard output");
        assertThat(run.failure("fails()"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("there");
        assertThat(Arrays.stream(run.failure("fails()").getStackTrace()).map(StackTraceElement::toString))
                .anyMatch(frame -> frame.matches(".*Sample\\.fails\\(Sample\\.java:\\d+\\)"));
        assertThat(run.failure("breaks()"))
                .isInstanceOf(IOException.class)
                .hasMessage("because")
                .hasRootCauseMessage("of this");
        assertThat(run.skipped).containsEntry("isDisabled()", "on purpose");
        assertThat(run.status("isAborted()")).isEqualTo(ABORTED);
        assertThat(run.status("each(String)[1]")).isEqualTo(SUCCESSFUL);
        assertThat(run.status("each(String)[2]")).isEqualTo(SUCCESSFUL);
        assertThat(run.status("dynamic()[1]")).isEqualTo(SUCCESSFUL);
        assertThat(run.status("dynamic()[2]")).isEqualTo(FAILED);
        assertThat(run.status("reports(TestReporter)")).isEqualTo(SUCCESSFUL);
        assertThat(run.entries).containsEntry("device", "rxe0");
    }

    /** An IDE runs one invocation again in this way, by the id that it received. */
    @Test
    @Tag("long")
    void oneInvocationRunsAgainByItsId() {
        Recorder run = Recorder.run(selectClass(Sample.class));

        Recorder again = Recorder.run(selectUniqueId(run.ids.get("each(String)[2]")));

        assertThat(again.results).containsKey("each(String)[2]").doesNotContainKeys("each(String)[1]", "passes()");
    }

    @Test
    @Tag("long")
    void testThatHangsFailsWithItsThreads() {
        System.setProperty("rdma4j.softroce.testTimeout", "5");

        Recorder run = Recorder.run(selectClass(DeadlySamples.Hangs.class));

        assertThat(run.status("passes()")).isEqualTo(SUCCESSFUL);
        assertThat(run.failure("hangs()"))
                .hasMessageContaining("did not end within 5 s")
                .hasMessageContaining("DeadlySamples$Hangs.hangs(DeadlySamples.java:");
        assertThat(run.skipped).containsEntry("comesAfter()", "not run: the JVM of the tests had ended");
    }

    @Test
    @Tag("long")
    void testThatKillsItsJvmFailsWithWhatIsLeftAndAnEngineElsewhereGetsCopies() {
        TestContainer.discard();
        System.setProperty("rdma4j.softroce.transfer", "copy");

        Recorder run = Recorder.run(selectClass(DeadlySamples.Kills.class));
        TestContainer.discard();

        assertThat(run.failure("killsItsJvm()")).hasMessageContaining("ended with status 77 before the tests had");
        assertThat(run.error).contains("famous last words");
        assertThat(run.output).contains("class path /opt/tests/0-");
    }

    @Test
    void missingImageIsReportedAtOnceWithTheRemedy() {
        assertThatThrownBy(() -> {
                    try (SoftRoceContainer container = new SoftRoceContainer("rdma4j/no-such-image:0")) {
                        container.start();
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the container of rdma4j/no-such-image:0 did not start")
                .hasMessageContaining("scripts/softroce image");
    }

    @Test
    void containerRunsCommandsInTheProject(@TempDir Path project) throws Exception {
        try (SoftRoceContainer container = new SoftRoceContainer()
                .withCpus(2)
                .withMemory(1024)
                .withDevices(1)
                .withBootTimeout(Duration.ofMinutes(10))
                .withProject(project)) {
            container.start();

            ExecResult result = container.run(
                    "sh", "-c", "ls /sys/class/infiniband; pwd; echo kept >file; echo problem >&2; exit 3");

            assertThat(result.getExitCode()).as(result.toString()).isEqualTo(3);
            assertThat(result.getStdout()).isEqualTo("rxe0\n" + project + "\n");
            assertThat(result.getStderr()).isEqualTo("problem\n");
            assertThat(project.resolve("file")).hasContent("kept");
        }
    }

    @Test
    void guestThatDoesNotStartShowsItsConsole() throws Exception {
        try (SoftRoceContainer container =
                new SoftRoceContainer().withoutKvm().withBootTimeout(Duration.ofSeconds(1))) {
            container.start();

            ExecResult result = container.run("true");

            assertThat(result.getExitCode()).as(result.toString()).isEqualTo(125);
            assertThat(result.getStderr())
                    .contains("the microVM did not start within 1 s; the last lines of its console:");
        }
    }
}
