// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.runner.ChildJvm;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.environment.ProcessTime;
import io.github.rdma4j.perftest.exit.CompareException;
import java.time.Duration;

/** The parent's view of {@link EchoServerMain}. */
public final class ServerProcess implements ServerSide, AutoCloseable {
    private final ChildJvm child;
    private final Duration limit;

    private ServerProcess(ChildJvm child, Duration limit) {
        this.child = child;
        this.limit = limit;
    }

    /**
     * Starts the JVM and waits until it accepts orders.
     *
     * @param limit the timeout of the start, and of each order
     * @throws CompareException when it times out
     */
    public static ServerProcess start(ChildProcesses children, Duration limit) {
        return new ServerProcess(ChildJvm.start(children, "the server", EchoServerMain.class, limit), limit);
    }

    private String ask(String order, String answer) {
        child.order(order);
        return child.expect(answer, Deadline.in(limit))
                .substring(answer.length())
                .strip();
    }

    @Override
    public EchoSetting serve(EchoSetting setting) {
        return setting.withPort(
                Integer.parseInt(ask(EchoServerMain.SERVE + setting.encode(), EchoServerMain.LISTENING)));
    }

    @Override
    public ProcessTime time() {
        String[] times = ask(EchoServerMain.TIME, EchoServerMain.TIME).split(" ");
        return new ProcessTime(Long.parseLong(times[0]), Long.parseLong(times[1]));
    }

    @Override
    public void awaitQuiet() {
        ask(EchoServerMain.QUIET, EchoServerMain.QUIET);
    }

    @Override
    public void stop() {
        ask(EchoServerMain.STOP, EchoServerMain.STOP);
    }

    /**
     * Returns the server's complaint about a run that failed on the client's side; an empty text if there is none
     * within a second.
     */
    public String complaint() {
        return child.complaint();
    }

    @Override
    public void close() {
        child.close();
    }
}
