// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One rank of NCCL: whether each public operation works, all values compared, and what an operation costs beside a C
 * program; step 8 of scripts/evidence gpu. The argument is how many operations of a size are measured at once. Ends
 * with status 1 if something is wrong.
 */
final class EvidenceNccl {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private EvidenceNccl() {}

    public static void main(String[] arguments) {
        int operations = Integer.parseInt(arguments[0]);
        IO.println("NCCL %s, %s".formatted(Nccl.version(), Nccl.library()));
        boolean right = true;
        try (CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            // First, while nothing is compiled.
            right &= passes("times", () -> NcclTimes.print(context, operations));
            for (Map.Entry<String, Runnable> each : NcclOperations.of(context).entrySet()) {
                right &= passes(each.getKey(), each.getValue());
            }
            right &= passes("two ranks on one GPU are refused", () -> twice(context));
        }
        IO.println("not called: NcclUniqueId.send and receive, for which it takes an RDMA device");
        System.exit(right ? 0 : 1);
    }

    private static boolean passes(String what, Runnable check) {
        long start = System.nanoTime();
        try {
            run(check);
            IO.println("%s: right, %d ms".formatted(what, (System.nanoTime() - start) / 1_000_000));
            return true;
        } catch (UnsupportedOperationException e) {
            IO.println(what + ": not possible here: " + e.getMessage());
            return true;
        } catch (RuntimeException | AssertionError e) {
            IO.println(what + ": WRONG: " + e);
            return false;
        }
    }

    /** On a thread of its own: what NCCL holds up is left behind, with all that would follow. */
    private static void run(Runnable check) {
        FutureTask<?> task = new FutureTask<>(check, null);
        Thread thread = Thread.ofPlatform().daemon().start(task);
        try {
            task.get(2 * LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException _) {
            IO.println("HANGS for more than %s, at:".formatted(LIMIT.multipliedBy(2)));
            for (StackTraceElement each : thread.getStackTrace()) {
                IO.println("    " + each);
            }
            Runtime.getRuntime().halt(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void twice(CudaContext context) {
        try {
            NcclCommunicator.initAll(List.of(context, context), config -> config.timeout(LIMIT))
                    .forEach(NcclCommunicator::close);
        } catch (NcclException e) {
            IO.println("  " + e.getMessage());
            return;
        }
        throw new AssertionError("NCCL has taken them");
    }
}
