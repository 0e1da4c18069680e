// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Memory and events of one process in another one: on a GPU and on the stand-in alike. */
abstract class SharingBehaviour extends DeviceFixture {
    @Test
    void anotherProcessWritesThisOnesMemory() throws Exception {
        DeviceMemory memory = context.allocate(8192);
        memory.fill(0, 8192, (byte) 1);
        DeviceMemory part = context.wrap(memory.handle() + 4096, 4096);
        assertThat(run(Other.class, part.exportHandle().toBytes()))
                .isEqualTo("""
                        handle of 4096 bytes of memory of process %d
                        IPC 4096
                        """.formatted(ProcessHandle.current().pid()));
        HostMemory host = context.allocateHost(8192);
        memory.copyTo(host.segment());
        assertThat(host.segment().asSlice(0, 4096).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(1);
        assertThat(host.segment().asSlice(4096).toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
    }

    @Test
    void anotherProcessWaitsForThisOnesWorkAndTheOtherWayRound() throws Exception {
        CudaStream stream = context.createStream();
        HostMemory gate = context.allocateHost(8);
        CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
        stream.waitForValue(gate, 0, 1, WaitCondition.EQUAL);
        event.record(stream);
        Process process = start(Waiter.class, event.exportHandle().toBytes());
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("not done");
            gate.segment().set(ValueLayout.JAVA_INT, 0, 1);
            assertThat(output.readLine()).isEqualTo("done");
            assertThat(output.readLine()).isEqualTo("recorded again");
        } finally {
            // Whatever was read: a stream that waits holds up the close of its context.
            gate.segment().set(ValueLayout.JAVA_INT, 0, 1);
        }
        assertThat(event.await(Duration.ofSeconds(30))).isTrue();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    static Process start(Class<?> program, byte[] handle) throws IOException {
        return start("devices=1", program, handle);
    }

    /** A JVM that opens the same library as this one; the settings are for the stand-in. */
    static Process start(String settings, Class<?> program, byte[] handle) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED"));
        String library = System.getProperty(StandInDriver.PROPERTY);
        if (library != null) {
            command.add("-D" + StandInDriver.PROPERTY + "=" + library);
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                HexFormat.of().formatHex(handle)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("RDMA4J_STANDIN", settings);
        // A JVM prints the options from this variable on standard error. This JVM has all its options in the command.
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder.start();
    }

    static String run(Class<?> program, byte[] handle) throws IOException, InterruptedException {
        return run("devices=1", program, handle);
    }

    static String run(String settings, Class<?> program, byte[] handle) throws IOException, InterruptedException {
        Process process = start(settings, program, handle);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    static final class Waiter {
        public static void main(String[] arguments) {
            IpcEventHandle handle = IpcEventHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            try (CudaContext context = Cuda.device(0).createContext();
                    CudaStream stream = context.createStream();
                    CudaEvent event = handle.open(context)) {
                System.out.println(event.isDone() ? "done too early" : "not done");
                stream.waitFor(event);
                System.out.println(stream.await(Duration.ofSeconds(30)) && event.isDone() ? "done" : "not done");
                event.record(stream);
                System.out.println("recorded again");
                stream.await(Duration.ofSeconds(30));
            }
        }
    }

    static final class Other {
        public static void main(String[] arguments) {
            IpcMemoryHandle handle = IpcMemoryHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            System.out.println(handle);
            try (CudaContext context = Cuda.device(0).createContext();
                    DeviceMemory memory = handle.open(context)) {
                System.out.println(memory.kind() + " " + memory.size());
                memory.fill(0, memory.size(), (byte) 2);
            }
        }
    }
}
