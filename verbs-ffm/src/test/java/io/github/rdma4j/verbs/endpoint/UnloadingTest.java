// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A container that unloads a program gets back all that this library held for it. */
@Timeout(600)
class UnloadingTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** A program, which is loaded with the library and runs in each of its threads. */
    public static final class Usage implements Callable<Void> {
        @Override
        public Void call() throws Exception {
            useEndpoints();
            useSelector();
            return null;
        }

        private static void useEndpoints() {
            try (TcpPair pair = new TcpPair(config -> config.spinLimit(Duration.ZERO));
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                    ExposedMemory memory = pair.right.expose(64, AccessFlag.REMOTE_READ)) {
                threads.submit(pair.right::progressLoop);
                pair.left.transfers().getLong(memory.handle(), 0, PATIENCE);
                assertThat(pair.left.receive(Duration.ofMillis(1))).isEmpty();
                pair.left.close();
            }
        }

        private static void useSelector() {
            try (TcpPair pair = new TcpPair(config -> {});
                    EndpointSelector selector = EndpointSelector.open()) {
                int[] messages = new int[1];
                selector.add(pair.right, message -> messages[0]++, endpoint -> {});
                pair.left.send(new byte[8], PATIENCE);
                while (messages[0] == 0) {
                    selector.select(PATIENCE);
                }
            }
        }
    }

    static final class Program {
        public static void main(String[] arguments) throws Exception {
            // Threads of the container, which outlive the program.
            ExecutorService platform = Executors.newSingleThreadExecutor();
            platform.submit(() -> {}).get();
            CompletableFuture.runAsync(() -> {}, Executors.newVirtualThreadPerTaskExecutor())
                    .get();
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            int threads = -1;
            int descriptors = -1;
            for (int i = 0; i < 3; i++) {
                loaders.add(use(platform));
                awaitUnloading(loaders.getLast());
                awaitEndOfThreads();
                if (threads < 0) {
                    // The JDK and the C library keep some of what they open first.
                    threads = Thread.getAllStackTraces().size();
                    descriptors = descriptors();
                }
            }
            System.out.println("threads " + (Thread.getAllStackTraces().size() - threads));
            System.out.println("descriptors " + (descriptors() - descriptors));
            System.exit(0);
        }

        private static WeakReference<ClassLoader> use(ExecutorService platform) throws Exception {
            List<URL> path = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                path.add(Path.of(entry).toUri().toURL());
            }
            try (URLClassLoader loader =
                    new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                Callable<?> usage = (Callable<?>)
                        loader.loadClass(Usage.class.getName()).getConstructor().newInstance();
                platform.submit(usage).get();
                try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
                    virtual.submit(usage).get();
                }
                return new WeakReference<>(loader);
            }
        }

        private static void awaitUnloading(WeakReference<ClassLoader> loader) throws InterruptedException {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (loader.get() != null && System.nanoTime() < end) {
                System.gc();
                Thread.sleep(10);
            }
            System.out.println("unloaded " + (loader.get() == null));
        }

        private static void awaitEndOfThreads() throws InterruptedException {
            while (Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().startsWith("rdma4j"))) {
                Thread.sleep(10);
            }
        }

        private static int descriptors() throws IOException {
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                return (int) open.count();
            }
        }
    }

    @Test
    void classLoaderIsUnloadedAfterUse() throws Exception {
        assertThat(ChildJvm.run(Program.class))
                .containsExactly("unloaded true", "unloaded true", "unloaded true", "threads 0", "descriptors 0");
    }
}
