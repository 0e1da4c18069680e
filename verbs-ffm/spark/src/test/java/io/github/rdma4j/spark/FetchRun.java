// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.ChunkReceivedCallback;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

/**
 * Measures the CPU time of fetching blocks of a file from another process, and of serving them, with Spark's own
 * client and server: {@code java -javaagent:… FetchRun MODE ADDRESS KIBIBYTES COUNT}. Prints milliseconds for each GiB
 * of the second half of the fetches, in the program and in the kernel. Over SoftRoCE the kernel also does the work of
 * an adapter. In a guest of {@code scripts/softroce --count} there is a mark before the second half and one after it.
 */
final class FetchRun {
    private static final int AT_ONCE = 4;

    private static final MethodHandle MARK = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("sched_get_priority_max"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private FetchRun() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            serve(arguments[1], arguments[2], Integer.parseInt(arguments[3]) << 10);
        } else {
            fetch(arguments[0], arguments[1], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        }
    }

    private static TransportConf configuration(String mode) {
        return new TransportConf(
                "shuffle",
                new MapConfigProvider(Map.of(
                        "spark.shuffle.io.mode", mode,
                        "spark.shuffle.io.serverThreads", "1",
                        "spark.shuffle.io.clientThreads", "1")));
    }

    /** Prints the port, and serves until standard input ends. */
    private static void serve(String mode, String address, int length) throws Exception {
        File file = File.createTempFile("blocks", ".data");
        file.deleteOnExit();
        Files.write(file.toPath(), new byte[length]);
        TransportConf conf = configuration(mode);
        StreamManager blocks = new StreamManager() {
            @Override
            public ManagedBuffer getChunk(long stream, int chunk) {
                return new FileSegmentManagedBuffer(conf, file, 0, length);
            }
        };
        try (TransportContext context = new TransportContext(conf, new Handler(blocks));
                TransportServer server = context.createServer(address, 0, List.of())) {
            System.out.println(server.getPort());
            System.in.read();
        }
    }

    private static void fetch(String mode, String address, int kibibytes, int count) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FetchRun.class.getName()));
        command.addAll(List.of("serve", mode, address, "" + kibibytes));
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        TransportConf conf = configuration(mode);
        try (var lines = server.inputReader();
                TransportContext context = new TransportContext(conf, new Handler(null));
                TransportClientFactory clients = context.createClientFactory()) {
            int port = Integer.parseInt(lines.readLine());
            TransportClient client = clients.createClient(address, port);
            fetch(client, count / 2, kibibytes);
            mark();
            Cpu servedBefore = Cpu.of(server.pid());
            Cpu fetchedBefore = Cpu.of(ProcessHandle.current().pid());
            long start = System.nanoTime();
            fetch(client, count / 2, kibibytes);
            long nanos = System.nanoTime() - start;
            mark();
            Cpu fetched = Cpu.of(ProcessHandle.current().pid()).minus(fetchedBefore);
            Cpu served = Cpu.of(server.pid()).minus(servedBefore);
            double gibibytes = (double) (count / 2) * kibibytes / (1 << 20);
            System.out.printf(
                    "mode %s, %d KiB: %.0f MiB/s; fetching %s; serving %s (ms/GiB)%n",
                    mode, kibibytes, gibibytes * 1024 * 1e9 / nanos, fetched.per(gibibytes), served.per(gibibytes));
        } finally {
            server.destroy();
        }
    }

    /** Makes the system call that the counter of instructions knows. */
    private static void mark() {
        try {
            int highest = (int) MARK.invokeExact(0);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static void fetch(TransportClient client, int count, int kibibytes) throws InterruptedException {
        Semaphore slots = new Semaphore(AT_ONCE);
        CompletableFuture<Void> failure = new CompletableFuture<>();
        ChunkReceivedCallback callback = new ChunkReceivedCallback() {
            @Override
            public void onSuccess(int chunk, ManagedBuffer buffer) {
                if (buffer.size() != (long) kibibytes << 10) {
                    failure.completeExceptionally(new IllegalStateException("of " + buffer.size() + " bytes"));
                }
                slots.release();
            }

            @Override
            public void onFailure(int chunk, Throwable why) {
                failure.completeExceptionally(why);
                slots.release();
            }
        };
        for (int i = 0; i < count; i++) {
            slots.acquire();
            client.fetchChunk(1, i, callback);
        }
        if (!slots.tryAcquire(AT_ONCE, 5, TimeUnit.MINUTES) || failure.isCompletedExceptionally()) {
            failure.completeExceptionally(new IllegalStateException("no answer"));
            failure.join();
        }
    }

    /** CPU time of a process, in the kernel's ticks of 10 ms. */
    private record Cpu(long user, long kernel) {
        static Cpu of(long process) throws IOException {
            String stat = Files.readString(Path.of("/proc/" + process + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new Cpu(Long.parseLong(fields[11]), Long.parseLong(fields[12]));
        }

        Cpu minus(Cpu before) {
            return new Cpu(user - before.user, kernel - before.kernel);
        }

        String per(double gibibytes) {
            return "%.0f + %.0f".formatted(user * 10 / gibibytes, kernel * 10 / gibibytes);
        }
    }

    private static final class Handler extends RpcHandler {
        private final StreamManager blocks;

        Handler(StreamManager blocks) {
            this.blocks = blocks;
        }

        @Override
        public void receive(TransportClient client, ByteBuffer request, RpcResponseCallback answer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public StreamManager getStreamManager() {
            return blocks;
        }
    }
}
