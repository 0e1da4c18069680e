// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory and events of one process in another one. The stand-in shares no events; no test has opened one. */
@ExtendWith(StandInDriver.class)
class SharingTest {
    @Test
    void anotherProcessWritesThisOnesMemory() throws Exception {
        try (CudaContext context = Cuda.device(0).createContext()) {
            DeviceMemory memory = context.allocate(8192);
            memory.fill(0, 8192, (byte) 1);
            DeviceMemory part = context.wrap(memory.handle() + 4096, 4096);
            assertThat(run(part.exportHandle().toBytes()))
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
    void aDeviceThatSharesNoEventsSaysSo() {
        try (CudaContext context = Cuda.device(0).createContext()) {
            CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
            assertThatExceptionOfType(UnsupportedCudaCallException.class)
                    .isThrownBy(event::exportHandle)
                    .withMessageContaining("IPC_EVENT_SUPPORTED");
            IpcEventHandle handle = new IpcEventHandle(new byte[64], 1);
            assertThat(IpcEventHandle.fromBytes(handle.toBytes()))
                    .isEqualTo(handle)
                    .hasSameHashCodeAs(handle);
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> handle.open(context))
                    .withMessageStartingWith("cuIpcOpenEventHandle(handle of an event of process 1) failed: ")
                    .withMessageContaining("may have freed it or ended");
        }
    }

    private static String run(byte[] memory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        HexFormat.of().formatHex(memory)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
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
