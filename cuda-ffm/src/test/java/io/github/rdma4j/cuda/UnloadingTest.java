// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A container unloads a program that has used callbacks, while its own JVM goes on. */
@ExtendWith(StandInDriver.class)
class UnloadingTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** A program, which is loaded with the library. */
    public static final class Usage implements Callable<Void> {
        @Override
        public Void call() throws Exception {
            CountDownLatch called = new CountDownLatch(2);
            CudaDevice device = Cuda.device(0);
            try (CudaContext keeper = device.retainPrimaryContext();
                    HostMemory word = keeper.allocateHost(64)) {
                word.segment().fill((byte) 0);
                try (CudaContext context = device.createContext();
                        CudaStream stream = context.createStream()) {
                    stream.callback(called::countDown);
                    stream.await(PATIENCE);
                }
                // A context of the program that the driver calls after it is closed.
                CudaContext shared = device.retainPrimaryContext();
                CudaStream stream = shared.createStream();
                stream.waitForValue(word, 0, 1, WaitCondition.EQUAL);
                stream.callback(called::countDown);
                shared.close();
                word.segment().set(ValueLayout.JAVA_INT, 0, 1);
                if (!called.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new AssertionError("not called");
                }
            }
            return null;
        }
    }

    static final class Program {
        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < 3; i++) {
                WeakReference<ClassLoader> loader = use();
                long end = System.nanoTime() + PATIENCE.toNanos();
                while (loader.get() != null && System.nanoTime() < end) {
                    System.gc();
                    Thread.sleep(10);
                }
                System.out.println("unloaded " + (loader.get() == null));
            }
        }

        private static WeakReference<ClassLoader> use() throws Exception {
            List<URL> path = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                path.add(Path.of(entry).toUri().toURL());
            }
            try (URLClassLoader loader =
                    new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                ((Callable<?>) loader.loadClass(Usage.class.getName())
                                .getConstructor()
                                .newInstance())
                        .call();
                return new WeakReference<>(loader);
            }
        }
    }

    @Test
    void classLoaderIsUnloadedAfterUse() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output.lines()).containsExactly("unloaded true", "unloaded true", "unloaded true");
    }
}
