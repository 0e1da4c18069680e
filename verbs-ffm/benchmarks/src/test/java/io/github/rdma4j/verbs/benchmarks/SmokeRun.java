// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.benchmarks.Measurements;
import io.github.rdma4j.benchmarks.Report;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletions;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Calls every benchmark on the null provider; started by {@link BenchmarksTest} in a JVM that finds it. */
public final class SmokeRun {
    private SmokeRun() {}

    /**
     * Throws if a benchmark does not do what it says.
     *
     * @param arguments none
     * @throws Throwable what a benchmark throws
     */
    public static void main(String[] arguments) throws Throwable {
        polls();
        completions();
        posts();
        afterClose();
        Measurements measurements = new Measurements(Main.class);
        Report report = new Report(Main.LINES, measurements);
        for (String benchmark : report.benchmarks()) {
            measurements.run(benchmark, false);
        }
        assertThat(report.table().lines()).hasSize(2 + Main.LINES.size());
        assertThat(report.medians()).contains("EmptyPoll.jni");
        assertThat(Report.conditions()).contains("JDK");
    }

    private static void polls() throws Throwable {
        EmptyPoll polls = new EmptyPoll();
        polls.open();
        assertThat(polls.c()).isZero();
        assertThat(polls.java()).isZero();
        assertThat(polls.jni()).isZero();
        polls.close();
    }

    private static void completions() throws Throwable {
        ReadCompletions completions = new ReadCompletions();
        completions.open();
        // Ids count from 1, and each completion says 64 bytes.
        long one = Benchmarks.ROUNDS * (1 + 64);
        long sixteen = Benchmarks.ROUNDS * (16 * 17 / 2 + 16 * 64);
        assertThat(completions.cOne()).isEqualTo(one);
        assertThat(completions.javaOne()).isEqualTo(one);
        assertThat(completions.cSixteen()).isEqualTo(sixteen);
        assertThat(completions.javaSixteen()).isEqualTo(sixteen);
        completions.close();
        ReadCursor cursor = new ReadCursor();
        cursor.open();
        assertThat(cursor.c()).isEqualTo(sixteen);
        assertThat(cursor.java()).isEqualTo(sixteen);
        cursor.close();
    }

    /** The calls that are measured keep their promise: use after close is an exception. */
    private static void afterClose() {
        NullDevice device = new NullDevice(NullDevice.USER_SPACE);
        QueuePair queuePair = device.queuePair();
        WorkCompletions completions = WorkCompletions.allocate(1);
        SendBatch sends = queuePair.startBatch().write(1, device.local(), device.remote(), SendFlags.SIGNALED);
        ReceiveBatch receives = queuePair.startReceiveBatch().receive(1, device.local());
        PreparedRequest write = queuePair.prepare().write(device.local(), device.remote(), SendFlags.SIGNALED);
        PreparedReceive receive = queuePair.prepareReceive(device.local());
        device.close();
        List<ThrowingCallable> calls = List.of(
                () -> device.completionQueue().poll(completions),
                () -> queuePair.tryPostWrite(1, device.local(), device.remote(), SendFlags.SIGNALED),
                () -> queuePair.tryPostReceive(1, device.local()),
                write::tryPost,
                receive::tryPost,
                () -> sends.write(1, device.local(), device.remote(), SendFlags.SIGNALED),
                sends::tryPost,
                () -> receives.receive(1, device.local()),
                receives::tryPost);
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        }
    }

    private static void posts() throws Throwable {
        Post posts = new Post();
        posts.open();
        assertThat(posts.cWrite()).isZero();
        assertThat(posts.javaWrite()).isZero();
        assertThat(posts.javaKernelWrite()).isZero();
        assertThat(posts.cPreparedWrite()).isZero();
        assertThat(posts.javaPreparedWrite()).isZero();
        assertThat(posts.javaPreparedKernelWrite()).isZero();
        assertThat(posts.jniWrite()).isZero();
        assertThat(posts.cBatch()).isZero();
        assertThat(posts.javaBatch()).isEqualTo(Benchmarks.ROUNDS * Benchmarks.BATCH);
        assertThat(posts.cReceive()).isZero();
        assertThat(posts.javaReceive()).isZero();
        assertThat(posts.cPreparedReceive()).isZero();
        assertThat(posts.javaPreparedReceive()).isZero();
        assertThat(posts.jniReceive()).isZero();
        posts.close();
        ExtendedPost extended = new ExtendedPost();
        extended.open();
        assertThat(extended.cWrite()).isZero();
        assertThat(extended.javaWrite()).isZero();
        assertThat(extended.javaPreparedWrite()).isZero();
        assertThat(extended.cBatch()).isZero();
        assertThat(extended.javaBatch()).isEqualTo(Benchmarks.ROUNDS * Benchmarks.BATCH);
        extended.close();
    }
}
