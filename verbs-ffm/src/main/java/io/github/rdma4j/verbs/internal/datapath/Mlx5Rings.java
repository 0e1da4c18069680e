// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.Mlx5Calls;
import io.github.rdma4j.verbs.internal.Mlx5Objects;
import io.github.rdma4j.verbs.internal.Mlx5Objects.QueuePairMemory;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import java.lang.foreign.MemorySegment;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rings of mlx5 adapters, which libmlx5 exports for programs that read and write them directly (mlx5dv_init_obj(3),
 * a public interface). The same environment variables apply as for libmlx5.
 *
 * <p>Only on x86-64. Elsewhere C uses instructions between memory and registers that no Java fence compiles to
 * ({@code dsb} on aarch64, while the JVM uses {@code dmb ish}, which orders CPUs but not devices).
 */
public final class Mlx5Rings {
    /**
     * {@code MLX5_POST_SEND_PREFER_BF}: whether a request that is posted alone is written to the register completely.
     */
    static final boolean PREFERS_WHOLE_REQUESTS = !"0".equals(System.getenv("MLX5_POST_SEND_PREFER_BF"));

    /** {@code MLX5_SHUT_UP_BF}: whether no request may be. */
    static final boolean MAY_WRITE_WHOLE_REQUESTS = "0".equals(System.getenv().getOrDefault("MLX5_SHUT_UP_BF", "0"));

    private static final String SIGNATURE = "MLX5_QP_SIGNATURE";
    private static final String LIBRARY = "libmlx5";
    /** Such as {@code libmlx5.so.1.24.44.0}, of rdma-core 44. */
    private static final Pattern VERSION = Pattern.compile("libmlx5\\.so\\.1\\.\\d+\\.(\\d{1,4})\\.\\d+");

    private static final int FIRST_COMPARED = 44;
    private static final int LAST_COMPARED = 65;

    private final ProviderFunctions functions;

    /**
     * A queue pair's two halves.
     *
     * @param sends its send queue
     * @param receives its receive queue
     */
    public record Pair(SendPath sends, ReceivePath receives) {}

    /**
     * Creates the rings of one device context.
     *
     * @param context the {@code struct ibv_context}
     * @param driver the driver of the device
     * @param functions its current functions
     * @throws RingRefusal if they are not libmlx5's, or the machine is not supported
     */
    public Mlx5Rings(MemorySegment context, DeviceDriver driver, ProviderFunctions functions) throws RingRefusal {
        this.functions = functions;
        ProviderLibrary.requireNoTrace();
        String machine = System.getProperty("os.arch");
        if (!machine.equals("amd64")) {
            throw new RingRefusal("rings of mlx5 adapters need x86-64, and this machine is " + machine);
        }
        String library = ProviderLibrary.of(ProviderLibrary.map(), functions);
        if (!library.startsWith(LIBRARY)) {
            throw new RingRefusal("the device is an mlx5 adapter, and driven by %s, not by %s"
                    .formatted(library.isEmpty() ? "functions of no file" : library, LIBRARY));
        }
        requireComparedVersion(library);
        if (System.getenv(SIGNATURE) != null) {
            throw new RingRefusal(SIGNATURE + " is set, and Java writes no signatures");
        }
        try {
            if (!Mlx5Calls.INSTALLED.isProviderOf(driver, context)) {
                throw new RingRefusal("libmlx5 does not know the device");
            }
        } catch (NativeLibraryException e) {
            throw new RingRefusal(e.getMessage());
        }
    }

    /**
     * Returns if the file name has a version whose bytes were compared with this code's. libmlx5 of rdma-core 33 leaves
     * different bytes when its ring wraps around.
     */
    static void requireComparedVersion(String library) throws RingRefusal {
        Matcher version = VERSION.matcher(library);
        int number = version.matches() ? Integer.parseInt(version.group(1)) : 0;
        if (number < FIRST_COMPARED || number > LAST_COMPARED) {
            throw new RingRefusal(
                    "rings of mlx5 adapters were compared with libmlx5 of rdma-core %d to %d, and this is %s"
                            .formatted(FIRST_COMPARED, LAST_COMPARED, library));
        }
    }

    /**
     * Returns a completion queue's path, which the first queue pair decides.
     *
     * @param queue the {@code struct ibv_cq}
     * @return its path
     */
    public CompletionPath completions(MemorySegment queue) {
        return new Mlx5CompletionRing(queue, functions.pollCompletions());
    }

    /**
     * Returns whether a completion queue's path can be its ring.
     *
     * @param path the path of the queue
     * @return false if requests that go through the library's functions complete there
     */
    public static boolean takesRings(CompletionPath path) {
        return path instanceof Mlx5CompletionRing ring && ring.takesRings();
    }

    /**
     * Returns the rings of a queue pair.
     *
     * @param queuePair the {@code struct ibv_qp}, connected, with its own receive queue
     * @param limits what it was created with
     * @param sendCompletions the completion queue of sends, which supports rings
     * @param receiveCompletions the completion queue of receives, which supports rings
     * @return its halves
     */
    public Pair queuePair(
            MemorySegment queuePair,
            Mlx5Limits limits,
            CompletionPath sendCompletions,
            CompletionPath receiveCompletions) {
        Mlx5CompletionRing forSends = (Mlx5CompletionRing) sendCompletions;
        Mlx5CompletionRing forReceives = (Mlx5CompletionRing) receiveCompletions;
        QueuePairMemory memory = Mlx5Objects.queuePair(queuePair);
        // Everything that can fail comes before either completion queue is changed.
        forSends.takeOver();
        forReceives.takeOver();
        Mlx5ReceiveRing receives = new Mlx5ReceiveRing(queuePair.address(), memory);
        Mlx5SendRing sends = new Mlx5SendRing(
                queuePair.address(), ibv_qp.qp_num(queuePair), memory, limits, receives, forSends, forReceives);
        forSends.join(sends);
        if (forReceives != forSends) {
            forReceives.join(sends);
        }
        return new Pair(sends, receives);
    }

    /**
     * Returns the functions for a queue pair without rings, which may share a register with one that has rings.
     *
     * @param queuePair the {@code struct ibv_qp}, with a send queue
     * @return its path
     */
    public SendPath functions(MemorySegment queuePair) {
        Mlx5Register register =
                Mlx5Register.take(Mlx5Objects.queuePair(queuePair).register());
        return new SendFunctions(functions.postSend(), true, queuePair.address(), register);
    }
}
