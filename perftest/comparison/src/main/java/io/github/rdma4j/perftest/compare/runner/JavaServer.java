// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import java.time.Duration;

/**
 * The parent's view of {@link JavaServerMain}: one JVM for all rounds, so that no round includes its start and warm-up.
 */
public final class JavaServer implements AutoCloseable, ProcessGuard {
    private final ChildJvm child;

    private JavaServer(ChildJvm child) {
        this.child = child;
    }

    /**
     * Starts the JVM and waits until it accepts orders.
     *
     * @throws CompareException when it times out
     */
    public static JavaServer start(ChildProcesses children, Duration limit) {
        return new JavaServer(ChildJvm.start(children, "the Java server", JavaServerMain.class, limit));
    }

    /** Makes it listen for the client of a run, after its warm-up. */
    void listen(RunOrder run, Deadline deadline) {
        child.order(JavaServerMain.SERVE + run.encode());
        child.expect(JavaServerMain.LISTENING, deadline);
    }

    /** Makes it listen for the client of a run over plain TCP. */
    void listen(TcpParameters run, Deadline deadline) {
        child.order(JavaServerMain.SERVE_TCP + run.encode());
        child.expect(JavaServerMain.LISTENING, deadline);
    }

    /**
     * Waits until the run is over on its side.
     *
     * @return the CPU time that its process has used since the order, from {@link CpuTime}
     */
    long finish(Deadline deadline) {
        String answer = child.expect(JavaServerMain.DONE, deadline);
        return Long.parseLong(answer.substring(JavaServerMain.DONE.length()).strip());
    }

    /**
     * Returns the server's complaint about a run that failed on the client's side; an empty text if there is none
     * within a second.
     */
    String complaint() {
        return child.complaint();
    }

    /** Registers a process to be killed if this JVM is killed. */
    @Override
    public void guard(long pid) {
        child.order(JavaServerMain.GUARD + pid);
    }

    /** Records that the process has ended. */
    @Override
    public void release(long pid) {
        child.order(JavaServerMain.RELEASE + pid);
    }

    @Override
    public void close() {
        child.close();
    }
}
