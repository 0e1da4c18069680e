// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory and events of one process in another one. */
@ExtendWith(StandInDriver.class)
class SharingTest {
    @Test
    void anotherProcessWritesThisOnesMemory() throws Exception {
        try (CudaContext context = Cuda.device(0).createContext()) {
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
            assertThat(host.segment().asSlice(4096).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(2);
        }
    }

    @Test
    void anotherProcessWaitsForThisOnesWorkAndTheOtherWayRound() throws Exception {
        try (CudaContext context = Cuda.device(0).createContext()) {
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
            }
            assertThat(event.await(Duration.ofSeconds(30))).isTrue();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aDeviceThatSharesNoEventsSaysSo() {
        StandInDriver.attribute(CudaHeaders.CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED(), 0);
        try (CudaContext context = Cuda.device(0).createContext()) {
            CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
            assertThatExceptionOfType(UnsupportedCudaCallException.class)
                    .isThrownBy(event::exportHandle)
                    .withMessageContaining("IPC_EVENT_SUPPORTED");
            IpcEventHandle handle =
                    new IpcEventHandle(new byte[64], 1, context.device().uuid());
            assertThat(IpcEventHandle.fromBytes(handle.toBytes()))
                    .isEqualTo(handle)
                    .hasSameHashCodeAs(handle);
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> handle.open(context))
                    .withMessageStartingWith("cuIpcOpenEventHandle(handle of an event of process 1) failed: ")
                    .withMessageContaining("may have freed it or ended");
        }
    }

    /** The other process has a second GPU, which reaches the first one's memory or does not. */
    @Test
    void anotherGpuReachesTheMemoryOrIsNamed() throws Exception {
        try (CudaContext context = Cuda.device(0).createContext()) {
            DeviceMemory memory = context.allocate(4096);
            memory.fill(0, 4096, (byte) 1);
            byte[] handle = memory.exportHandle().toBytes();
            assertThat(run("devices=2,peers=1", Elsewhere.class, handle)).isEqualTo("opened\n");
            assertThat(run("devices=2,peers=0", Elsewhere.class, handle))
                    .contains("cuIpcOpenMemHandle(handle of 4096 bytes")
                    .contains("it is of the GPU " + context.device().uuid() + ", and the context of CUDA device 1")
                    .contains("CudaDevice.canAccessPeer");
            CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
            assertThat(run(
                            "devices=2",
                            EventElsewhere.class,
                            event.exportHandle().toBytes()))
                    .contains("cuIpcOpenEventHandle(handle of an event")
                    .contains("it is of the GPU " + context.device().uuid());
        }
    }

    @Test
    void aHandleOfAProcessThatHasEndedSaysSo() throws Exception {
        IpcMemoryHandle handle = IpcMemoryHandle.fromBytes(
                HexFormat.of().parseHex(run(Exporter.class, new byte[0]).strip()));
        try (CudaContext context = Cuda.device(0).createContext()) {
            assertThat(handle.device()).isEqualTo(context.device().uuid());
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> handle.open(context))
                    .withMessageContaining("the process that exported it may have freed it or ended");
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> context.allocate(64).exportHandle().open(context))
                    .withMessageContaining("this process exported the handle itself")
                    .satisfies(e -> assertThat(e.remedy()).isEmpty());
        }
    }

    @Test
    void memoryThatAnotherContextOfThisProcessHasOpened() {
        try (CudaContext context = Cuda.device(0).createContext()) {
            UUID device = context.device().uuid();
            IpcMemoryHandle handle = new IpcMemoryHandle(new byte[64], 1, device, 0, 64);
            StandInDriver.failAt("cuIpcOpenMemHandle", 1, CudaHeaders.CUDA_ERROR_INVALID_CONTEXT());
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> handle.open(context))
                    .withMessageContaining("another context of this process has opened memory of that process and GPU")
                    .satisfies(e -> assertThat(e.isContextLost()).isFalse())
                    .satisfies(e -> assertThat(e.remedy()).isEmpty());
        }
    }

    @Test
    void aDeviceThatSharesNoMemorySaysSo() {
        try (CudaContext context = Cuda.device(0).createContext()) {
            DeviceMemory memory = context.allocate(64);
            StandInDriver.deny("cuIpcGetMemHandle");
            assertThatExceptionOfType(UnsupportedCudaCallException.class)
                    .isThrownBy(memory::exportHandle)
                    .withMessageContaining("shares no memory with other processes");
        }
    }

    private static Process start(Class<?> program, byte[] handle) throws IOException {
        return start("devices=1", program, handle);
    }

    private static Process start(String settings, Class<?> program, byte[] handle) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName(),
                        HexFormat.of().formatHex(handle)))
                .redirectErrorStream(true);
        builder.environment().put("RDMA4J_STANDIN", settings);
        return builder.start();
    }

    private static String run(Class<?> program, byte[] handle) throws IOException, InterruptedException {
        return run("devices=1", program, handle);
    }

    private static String run(String settings, Class<?> program, byte[] handle)
            throws IOException, InterruptedException {
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

    static final class Elsewhere {
        public static void main(String[] arguments) {
            IpcMemoryHandle handle = IpcMemoryHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            try (CudaContext context = Cuda.device(1).createContext()) {
                handle.open(context).close();
                System.out.println("opened");
            } catch (CudaException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    static final class EventElsewhere {
        public static void main(String[] arguments) {
            IpcEventHandle handle = IpcEventHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            try (CudaContext context = Cuda.device(1).createContext()) {
                handle.open(context).close();
            } catch (CudaException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    static final class Exporter {
        public static void main(String[] arguments) {
            try (CudaContext context = Cuda.device(0).createContext()) {
                byte[] bytes = context.allocate(64).exportHandle().toBytes();
                System.out.println(HexFormat.of().formatHex(bytes));
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
