// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.tcp.TcpRun;
import java.time.Duration;

/** The parent's view of {@link JavaServerMain}: one JVM for all rounds, so that its start and warm-up are in none. */
public final class JavaServer implements AutoCloseable, ProcessGuard {
    private final ChildJvm child;

    private JavaServer(ChildJvm child) {
        this.child = child;
    }

    /**
     * Starts the JVM and waits until it takes orders.
     *
     * @throws CompareException when it does not within the limit
     */
    public static JavaServer start(ChildProcesses children, Duration limit) {
        return new JavaServer(ChildJvm.start(children, "the Java server", JavaServerMain.class, limit));
    }

    /** Has it listen for the client of a run; it is warmed up by then. */
    void listen(RunOrder run, Deadline deadline) {
        child.order(JavaServerMain.SERVE + run.encode());
        child.expect(JavaServerMain.LISTENING, deadline);
    }

    /** Has it listen for the client of a run over plain TCP. */
    void listen(TcpRun run, Deadline deadline) {
        child.order(JavaServerMain.SERVE_TCP + run.encode());
        child.expect(JavaServerMain.LISTENING, deadline);
    }

    /**
     * Waits until the run is over on its side.
     *
     * @return CPU time that its process has used since the order, of {@link CpuTime}
     */
    long finish(Deadline deadline) {
        String answer = child.expect(JavaServerMain.DONE, deadline);
        return Long.parseLong(answer.substring(JavaServerMain.DONE.length()).strip());
    }

    /** What it says of a run that failed on the client's side; an empty text when it says nothing within a second. */
    String complaint() {
        return child.complaint();
    }

    /** Entrusts a process to it, to be killed if this JVM is. */
    @Override
    public void guard(long pid) {
        child.order(JavaServerMain.GUARD + pid);
    }

    /** The process has ended. */
    @Override
    public void release(long pid) {
        child.order(JavaServerMain.RELEASE + pid);
    }

    @Override
    public void close() {
        child.close();
    }
}
