// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests machines on which CUDA cannot be used, each in a separate JVM, because a driver is opened once. */
class UnavailabilityTest {
    @Test
    void missingDriverIsReportedWithTheLoadersText(@TempDir Path folder) throws Exception {
        String file = folder.resolve("libcuda.so.1").toString();
        assertThat(reason(List.of("-D" + StandInDriver.PROPERTY + "=" + file), ""))
                .startsWith("NO_DRIVER: CUDA cannot be used: " + file + ": cannot open shared object file")
                .contains("Install NVIDIA's driver");
        Files.writeString(Path.of(file), "not a library");
        assertThat(reason(List.of("-D" + StandInDriver.PROPERTY + "=" + file), ""))
                .contains("NO_DRIVER: CUDA cannot be used: " + file + ": file too short");
    }

    @Test
    void foreignOrOldLibraryIsReported() throws Exception {
        assertThat(reason(List.of("-D" + StandInDriver.PROPERTY + "=" + StandInBuild.library("cuGetProcAddress")), ""))
                .startsWith("DRIVER_TOO_OLD: CUDA cannot be used: the installed driver (CUDA 13.0) has no"
                        + " cuGetProcAddress. Install an NVIDIA driver of CUDA 11.3 or later");
        assertThat(reason(List.of("-D" + StandInDriver.PROPERTY + "=libc.so.6"), ""))
                .startsWith("NO_DRIVER: CUDA cannot be used: 'libc.so.6' is not NVIDIA's driver: it has no"
                        + " cuDriverGetVersion. Leave the system property io.github.rdma4j.cuda.library unset");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        devices=0 | NO_DEVICE: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_NO_DEVICE | CUDA_VISIBLE_DEVICES
        init=100  | NO_DEVICE: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_NO_DEVICE | nvidia-smi
        init=34   | NO_DRIVER: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_STUB_LIBRARY | lib64/stubs
        init=802  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_SYSTEM_NOT_READY | fabricmanager
        init=803  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_SYSTEM_DRIVER_MISMATCH | Restart
        init=804  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_COMPAT_NOT_SUPPORTED | cuda-compat
        init=805  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_MPS_CONNECTION_FAILED | CUDA_MPS_PIPE
        init=809  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_MPS_MAX_CONNECTIONS | mps-control
        init=304  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned result 304 | NVRM
        init=999  | INITIALISATION_FAILED: CUDA cannot be used: cuInit(0) returned CUDA_ERROR_UNKNOWN | /dev/nvidia-uvm
        fail=cuDeviceGetCount:1+:802 | INITIALISATION_FAILED: CUDA cannot be used: cuDeviceGetCount() returned CUDA_ERROR_SYSTEM_NOT_READY | fabricmanager
        fail=cuDeviceGetCount:1+:100 | NO_DEVICE: CUDA cannot be used: cuDeviceGetCount() returned CUDA_ERROR_NO_DEVICE | nvidia-smi
        fail=cuDeviceGetCount:1+:810 | INITIALISATION_FAILED: CUDA cannot be used: cuDeviceGetCount() returned CUDA_ERROR_MPS_CLIENT | end the process
        fail=cuDeviceGetCount:1+:1   | INITIALISATION_FAILED: CUDA cannot be used: cuDeviceGetCount() returned CUDA_ERROR_INVALID_VALUE | nvidia-smi
        missing=cuDeviceGetCount     | INITIALISATION_FAILED: CUDA cannot be used: cuDeviceGetCount returned CUDA_ERROR_NOT_FOUND | NVRM
        """)
    void driverThatDoesNotStartIsReported(String setting, String words, String remedy) throws Exception {
        assertThat(reason(List.of(StandInDriver.jvmOption()), setting))
                .startsWith(words)
                .contains(remedy);
    }

    @Test
    void deniedNativeAccessIsReported() throws Exception {
        assertThat(reason(List.of(StandInDriver.jvmOption(), "--illegal-native-access=deny"), ""))
                .startsWith("NATIVE_ACCESS_DENIED: ")
                .contains("--enable-native-access=io.github.rdma4j.cuda");
    }

    /** With an old driver, its functions work, and a missing function throws when it is called. */
    @Test
    void oldDriverDoesWhatItCan() throws Exception {
        assertThat(output(Old.class, List.of(StandInDriver.jvmOption()), "driver=11030"))
                .isEqualTo("""
                    11.3
                    [1, 1, 1, 1]
                    cuMemGetHandleForAddressRange(DMA_BUF_FD): CUDA_ERROR_NOT_SUPPORTED
                    cuCtxSetFlags: CUDA_ERROR_NOT_FOUND
                    cuStreamWaitValue32: CUDA_ERROR_NOT_FOUND
                    cuFuncGetParamInfo: CUDA_ERROR_NOT_FOUND
                    false
                    """);
    }

    private static String reason(List<String> options, String settings) throws Exception {
        return output(Ask.class, options, settings);
    }

    private static String output(Class<?> main, List<String> options, String settings)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        if (!options.contains("--illegal-native-access=deny")) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("RDMA4J_STANDIN", settings);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    /** Asks why not, twice: the second answer is the same, and no error of class loading. */
    static final class Ask {
        public static void main(String[] arguments) {
            CudaUnavailableException first = Cuda.unavailability().orElseThrow();
            CudaUnavailableException second = Cuda.unavailability().orElseThrow();
            System.out.println(first.reason() + ": " + first.getMessage());
            if (!first.getMessage().equals(second.getMessage()) || Cuda.isAvailable()) {
                throw new AssertionError(second);
            }
        }
    }

    static final class Old {
        public static void main(String[] arguments) {
            System.out.println(Cuda.driverVersion());
            try (CudaContext context = Cuda.device(0).createContext()) {
                DeviceMemory memory = context.allocate(4);
                memory.fill(0, 4, (byte) 1);
                HostMemory host = context.allocateHost(4);
                memory.copyTo(host.segment());
                System.out.println(
                        java.util.Arrays.toString(host.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)));
                CudaStream stream = context.createStream();
                CudaKernel kernel = context.loadModule(Kernels.ptx()).kernel("increment");
                report(() -> memory.exportDmaBuf(0, 4));
                report(context::synchronizeMemoryOperations);
                report(() -> stream.waitForValue(memory, 0, 1, WaitCondition.EQUAL));
                report(kernel::newArguments);
                stream.launch(
                        kernel,
                        1,
                        1,
                        KernelArguments.of(2).setPointer(0, memory).setInt(1, 1));
                System.out.println(context.device().supportsStreamValues());
            }
        }

        private static void report(Runnable call) {
            try {
                call.run();
            } catch (UnsupportedCudaCallException e) {
                System.out.println(e.call().replaceAll("address=.*, ", "") + ": " + e.resultName());
            }
        }
    }
}
