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
 * The rings of mlx5 adapters, as libmlx5 gives them away for programs that write and read them themselves
 * (mlx5dv_init_obj(3), a public interface). Read like libmlx5, the switches in the environment are the same, too.
 *
 * <p>Machines with x86-64 alone. Elsewhere C has instructions between memory and registers that no fence of Java's
 * becomes ({@code dsb} on aarch64, for which the JVM has {@code dmb ish}: an order among processors, and not one that a
 * device sees).
 */
public final class Mlx5Rings {
    /** {@code MLX5_POST_SEND_PREFER_BF}: whether a request that goes alone is written into the register whole. */
    static final boolean PREFERS_WHOLE_REQUESTS = !"0".equals(System.getenv("MLX5_POST_SEND_PREFER_BF"));

    /** {@code MLX5_SHUT_UP_BF}: whether nothing may be. */
    static final boolean MAY_WRITE_WHOLE_REQUESTS = "0".equals(System.getenv().getOrDefault("MLX5_SHUT_UP_BF", "0"));

    private static final String SIGNATURE = "MLX5_QP_SIGNATURE";
    private static final String LIBRARY = "libmlx5";
    /** As {@code libmlx5.so.1.24.44.0}, which is of rdma-core 44. */
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
     * For one device context.
     *
     * @param context the {@code struct ibv_context}
     * @param driver of the device
     * @param functions of it now
     * @throws RingRefusal if they are not libmlx5's, or not on a machine like this
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
     * Returns if the file's name says a version whose bytes were compared with this code's. libmlx5 of rdma-core 33
     * leaves others when its ring begins anew.
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
     * A completion queue's way, which is decided when the first queue pair comes.
     *
     * @param queue the {@code struct ibv_cq}
     * @return its way
     */
    public CompletionPath completions(MemorySegment queue) {
        return new Mlx5CompletionRing(queue, functions.pollCompletions());
    }

    /**
     * Whether a completion queue's way can be its ring.
     *
     * @param path of the queue
     * @return false if something that goes through the library's functions completes there
     */
    public static boolean takesRings(CompletionPath path) {
        return path instanceof Mlx5CompletionRing ring && ring.takesRings();
    }

    /**
     * The rings of a queue pair.
     *
     * @param queuePair the {@code struct ibv_qp}, connected, with a receive queue of its own
     * @param limits what it was created with
     * @param sendCompletions where requests for sending complete, a queue that takes rings
     * @param receiveCompletions where receives do, the same
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
        // All that can fail before the first of the two knows of the queue pair.
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
     * The functions for a queue pair without rings, which may have a register in common with one that has some.
     *
     * @param queuePair the {@code struct ibv_qp}, with a send queue
     * @return its way
     */
    public SendPath functions(MemorySegment queuePair) {
        Mlx5Register register =
                Mlx5Register.take(Mlx5Objects.queuePair(queuePair).register());
        return new SendFunctions(functions.postSend(), true, queuePair.address(), register);
    }
}
