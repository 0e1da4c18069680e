// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.StandInKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/** Some of Netty's and gRPC's own tests over SRD, by libefa itself on a kernel that seems to have its adapter. */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was written for x86-64")
class NettyOnEfaTest {
    @TempDir
    private Path folder;

    @Test
    void channelsUseSrdWithoutFurtherCode() throws IOException, InterruptedException {
        StandInKernel kernel = new StandInKernel("efa", folder);
        kernel.build();
        List<String> command = new ArrayList<>(ChildJvm.command(
                "org.junit.platform.console.ConsoleLauncher", List.of("-Drdma4j.test.address=127.0.0.1")));
        String suite = NettySuiteDeviceTest.class.getName() + "/" + NettySuite.class.getName();
        command.addAll(List.of(
                "execute",
                "--select=nested-class:" + suite + "$FixedLengthEcho",
                "--select-method=" + GrpcInteropDeviceTest.class.getName() + "#someOfThem",
                "--include-classname=.*",
                "--details=tree",
                "--disable-banner",
                "--fail-if-no-tests"));
        assertThat(ChildJvm.run(kernel.run(List.of("VERBS_LOG_FILE=/dev/null"), command)))
                .anyMatch(line -> line.matches(".*[1-9]\\d* tests successful.*"));
    }
}
