// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import io.github.rdma4j.verbs.internal.Errno;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The steps of a case. One of them fails, once: then nothing may be left of it, and a second try must succeed. */
public final class Steps {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(2);

    private final Injection injection;
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> leaks = new ArrayList<>();

    Steps(Injection injection) {
        this.injection = injection;
    }

    /** A step that makes something. */
    public <T> T make(Supplier<T> step) {
        Holdings before = injection.mustLeaveNothing() ? Holdings.now() : null;
        return attempt(step, before);
    }

    /**
     * A step whose holdings others change meanwhile, such as a wait for a peer; and a wait may keep what it woke
     * with.
     */
    public <T> T take(Supplier<T> step) {
        return attempt(step, null);
    }

    /** One that sleeps until it is woken, which it is as soon as it does: it makes all the calls of a wait. */
    public void sleep(Runnable step, Runnable wakeUp) {
        AtomicBoolean over = new AtomicBoolean();
        Thread waking = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                if (injection.maySleep()) {
                    wakeUp.run();
                }
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
        });
        try {
            take(() -> {
                step.run();
                return null;
            });
        } finally {
            over.set(true);
            join(waking);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A step that makes nothing. */
    public void run(Runnable step) {
        make(() -> {
            step.run();
            return null;
        });
    }

    /** A step that answers whether there was room in a queue. */
    public void post(BooleanSupplier step) {
        run(() -> {
            if (!step.getAsBoolean()) {
                throw new AnswerException(Errno.ENOMEM);
            }
        });
    }

    /** Closes, and closes again if that failed. */
    public void end(AutoCloseable resource) {
        attempt(
                () -> {
                    close(resource);
                    return null;
                },
                null);
        close(resource);
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private <T> T attempt(Supplier<T> step, Holdings before) {
        boolean hadFired = injection.hasFired();
        try {
            injection.resume();
            try {
                return step.get();
            } finally {
                injection.pause();
            }
        } catch (Throwable e) {
            if (hadFired || !injection.hasFired()) {
                throw e;
            }
            failures.add(e);
        }
        if (before != null) {
            String change = Holdings.changeSince(before);
            if (!change.isEmpty()) {
                leaks.add("left behind by the failed attempt: " + change);
            }
        }
        return step.get();
    }

    /** Returns the number of live native objects of a kind, such as {@code "eventfd"}. */
    public static int nativeObjects(String kind) {
        return NativeObjects.counts().getOrDefault(kind, 0);
    }

    List<Throwable> failures() {
        return failures;
    }

    List<String> leaks() {
        return leaks;
    }

    /** A call that reports a failure by what it returns. */
    static final class AnswerException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int answer;

        AnswerException(int answer) {
            super("the call returned " + answer);
            this.answer = answer;
        }

        int answer() {
            return answer;
        }
    }
}
