// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads in each waiting method, which are interrupted, or whose object another thread closes, at a random moment. The
 * wait must end soon, with its result or with the documented exception; after an interrupt, the same connection must
 * work; at the end, nothing may be left.
 */
final class OwnWaits {
    private static final long LONGEST_PAUSE_NANOS = 3_000_000;
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Load load;
    private final InetSocketAddress address;
    private final SplittableRandom random;
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<String> complaints = new ArrayList<>();
    private long rounds;

    private OwnWaits(Load load, InetSocketAddress address, long seed) {
        this.load = load;
        this.address = address;
        this.random = new SplittableRandom(seed);
    }

    /** Arguments: the load, the address of this machine, the seed, milliseconds. Prints a report. */
    public static void main(String... arguments) throws Exception {
        OwnWaits waits = new OwnWaits(
                Load.valueOf(arguments[0]), new InetSocketAddress(arguments[1], 0), Long.parseLong(arguments[2]));
        Leftovers.openJars();
        Stage.openOnce(waits.address.getAddress());
        waits.play(Long.parseLong(arguments[3]) / 4); // loads classes
        Map<String, Integer> before = Leftovers.now(true);
        waits.play(Long.parseLong(arguments[3]));
        Map<String, Integer> left = Leftovers.since(before, true);
        if (!left.isEmpty()) {
            waits.complaints.add("left " + left);
        }
        waits.outcomes.forEach((outcome, times) -> System.err.println(times + " x " + outcome));
        System.out.println(new EndReport(
                        "machine 1",
                        waits.rounds,
                        waits.rounds,
                        0,
                        waits.complaints.isEmpty(),
                        "",
                        0,
                        String.join("; ", waits.complaints),
                        "",
                        List.of(),
                        waits.outcomes.size() + " kinds of ends")
                .line());
        System.exit(0);
    }

    private void play(long millis) throws Exception {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        Stage stage = null;
        while (System.nanoTime() < until && complaints.size() < 10) {
            if (stage == null) {
                stage = new Stage(address, random.nextInt(2) == 0);
            }
            Wait wait = Wait.values()[random.nextInt(Wait.values().length)];
            boolean usable = round(stage, wait);
            rounds++;
            if (load == Load.CLOSED || !usable || wait.isEnd()) {
                stage.close();
                stage = null;
            }
        }
        if (stage != null) {
            stage.close();
        }
    }

    /** {@return whether the stage can be used again} */
    private boolean round(Stage stage, Wait wait) throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        boolean[] interrupted = new boolean[1];
        wait.prepare(stage);
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                wait.run(stage);
            } catch (Throwable e) { // it is what the program would see
                thrown.set(e);
            }
            interrupted[0] = Thread.interrupted();
        });
        LockSupport.parkNanos(random.nextLong(1, LONGEST_PAUSE_NANOS));
        if (load == Load.CLOSED) {
            wait.close(stage);
        } else {
            thread.interrupt();
        }
        String where = wait + " over " + stage.transport() + ": ";
        if (!thread.join(SOON)) {
            complaints.add(where + "hangs at " + Arrays.toString(thread.getStackTrace()));
            stage.abort();
            thread.join(SOON);
            return false;
        }
        Throwable e = thrown.get();
        outcomes.merge(where + (e == null ? "done" : e.getClass().getSimpleName()), 1, Integer::sum);
        if (!isClear(e, interrupted[0])) {
            complaints.add(where + e + (interrupted[0] ? "" : ", and the interrupt status is gone"));
            e.printStackTrace();
            return false;
        }
        if (load == Load.INTERRUPTED && !wait.isEnd()) {
            String complaint = stage.check();
            if (!complaint.isEmpty()) {
                complaints.add(where + complaint);
                return false;
            }
        }
        return true;
    }

    private boolean isClear(Throwable e, boolean interrupted) {
        if (e == null) {
            return true;
        }
        Throwable thrown = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
        if (load == Load.CLOSED) {
            return thrown instanceof IllegalStateException
                    || thrown instanceof VerbsException
                    || thrown instanceof ClosedChannelException;
        }
        // The JDK clears the status before it throws an InterruptedException.
        return thrown instanceof WaitInterruptedException && interrupted
                || thrown instanceof InterruptedIOException && interrupted
                || thrown instanceof InterruptedException;
    }
}
