// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.verbs.ExamplePrograms;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The example of docs/gpudirect.md, both of its sides. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class ExampleDeviceTest {
    @Test
    void exampleBringsItsBytes() throws Exception {
        ExamplePrograms.classes("GpuTransfer");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<Void> receiver = threads.submit(program(Integer.toString(port)));
            Future<Void> sender = threads.submit(program("localhost", Integer.toString(port)));
            sender.get(200, TimeUnit.SECONDS);
            receiver.get(200, TimeUnit.SECONDS);
        } finally {
            System.setOut(before);
        }
        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("staged; not by dma-buf")
                .contains("received 9000001 bytes")
                .contains("sent");
        assertThat(StandInDriver.open()).isEmpty();
    }

    /** Starts again while its peer does not listen yet. */
    private static Callable<Void> program(String... arguments) {
        return () -> {
            for (int attempt = 1; ; attempt++) {
                try {
                    ExamplePrograms.runMain("GpuTransfer", arguments);
                    return null;
                } catch (InvocationTargetException e) {
                    if (!(e.getCause() instanceof ConnectException) || attempt == 1200) {
                        throw e;
                    }
                    Thread.sleep(100);
                }
            }
        };
    }
}
