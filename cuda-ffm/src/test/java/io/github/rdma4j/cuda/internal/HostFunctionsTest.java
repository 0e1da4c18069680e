// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.WaitCondition;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of callbacks does not grow by callbacks that were called, were refused, or will never be called. */
@ExtendWith(StandInDriver.class)
class HostFunctionsTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingStaysInTheTable(boolean primary) {
        int before = HostFunctions.pending();
        CudaDevice device = Cuda.device(0);
        CudaContext context = primary ? device.retainPrimaryContext() : device.createContext();
        CudaStream stream = context.createStream();
        stream.callback(() -> {});
        assertThat(stream.await(Duration.ofSeconds(20))).isTrue();
        assertThat(HostFunctions.pending()).as("called").isEqualTo(before);
        StandInDriver.failAt("cuLaunchHostFunc", 1, CudaHeaders.CUDA_ERROR_NOT_SUPPORTED());
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> stream.callback(() -> {}));
        assertThat(HostFunctions.pending()).as("refused").isEqualTo(before);
        CudaStream closed = context.createStream();
        closed.close();
        assertThatIllegalStateException().isThrownBy(() -> closed.callback(() -> {}));
        assertThat(HostFunctions.pending()).as("of a closed stream").isEqualTo(before);
        HostMemory pinned = context.allocateHost(64);
        StandInDriver.faultAt("cuMemcpyHtoDAsync", 1, CudaHeaders.CUDA_ERROR_LAUNCH_FAILED());
        pinned.segment().fill((byte) 0);
        stream.waitForValue(pinned, 0, 0x01010101, WaitCondition.EQUAL);
        stream.copyToDevice(context.allocate(64), 0, pinned, 0, 64);
        stream.callback(() -> {});
        assertThat(HostFunctions.pending()).isEqualTo(before + 1);
        pinned.segment().fill((byte) 1);
        assertThatExceptionOfType(CudaException.class).isThrownBy(context::close);
        assertThat(HostFunctions.pending()).as("of a context that had failed").isEqualTo(before);
    }

    /** The driver destroys no context whose work is not done; one that others have too is only given back. */
    @Test
    void pendingHostFunctionsWhenAContextIsClosed() throws InterruptedException {
        int before = HostFunctions.pending();
        CudaDevice device = Cuda.device(0);
        try (CudaContext keeper = device.retainPrimaryContext()) {
            HostMemory word = keeper.allocateHost(64);
            word.segment().fill((byte) 0);
            CudaContext own = device.createContext();
            CudaContext shared = device.retainPrimaryContext();
            CountDownLatch called = new CountDownLatch(2);
            for (CudaContext context : List.of(own, shared)) {
                CudaStream stream = context.createStream();
                stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
                stream.callback(called::countDown);
            }
            assertThat(HostFunctions.pending()).isEqualTo(before + 2);
            own.setCloseTimeout(Duration.ofMillis(20));
            assertThatExceptionOfType(CudaCloseTimeoutException.class)
                    .isThrownBy(own::close)
                    .withMessageContaining("Write the value that a stream may still wait for");
            shared.close();
            assertThat(HostFunctions.pending()).isEqualTo(before + 2);
            word.segment().set(ValueLayout.JAVA_INT, 0, 1);
            assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
            own.setCloseTimeout(Duration.ofSeconds(20));
            own.close();
            assertThat(own.isOpen()).isFalse();
            // The callback of the other one, which nobody has waited for, may be on its way back to the driver.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (HostFunctions.pending() > before && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
            assertThat(HostFunctions.pending()).isEqualTo(before);
        }
    }

    /** The driver would call into a JVM that is gone, which ends the process by a signal. */
    @Test
    void jvmWaitsForWhatTheDriverHasYetToCall() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EndsEarly.class.getName())
                .redirectErrorStream(true);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).isEqualTo("main has ended\ncalled\n");
        assertThat(process.exitValue()).isZero();
    }

    static final class EndsEarly {
        public static void main(String[] arguments) {
            CudaContext context = Cuda.device(0).createContext();
            HostMemory word = context.allocateHost(64);
            word.segment().fill((byte) 0);
            CudaStream stream = context.createStream();
            stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
            stream.callback(() -> System.out.println("called"));
            Thread main = Thread.currentThread();
            Thread.ofPlatform().daemon().start(() -> {
                join(main);
                ValueLayout.JAVA_INT.varHandle().setRelease(word.segment(), 0L, 1);
            });
            System.out.println("main has ended");
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
