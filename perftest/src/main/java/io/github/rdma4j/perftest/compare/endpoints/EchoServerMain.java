// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.compare.runner.ChildOrders;
import io.github.rdma4j.perftest.compare.runner.QuietCompilers;
import io.github.rdma4j.perftest.echo.EchoServer;
import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.environment.ProcessTime;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.util.ArrayList;
import java.util.List;

/** The server's JVM: a separate process, so that its CPU time can be measured. It ends with its {@link ChildOrders}. */
final class EchoServerMain {
    /** Order, with an {@link EchoSetting}: listen. */
    static final String SERVE = "serve ";

    /** Answer, with the port: clients can connect. */
    static final String LISTENING = "listening ";

    /** Order, and answer with user and system time of this process in nanoseconds. */
    static final String TIME = "time";

    /** Order, and answer: the compilers are idle, or the wait for them has timed out. */
    static final String QUIET = "quiet";

    /** Order, and answer: all servers and their connections are closed. */
    static final String STOP = "stop";

    private final ChildOrders orders = new ChildOrders();
    private final List<EchoServer> servers = new ArrayList<>();

    private EchoServerMain() {}

    /** Reads orders until the end of its input, and ends the JVM. */
    public static void main(String[] arguments) {
        EchoServerMain main = new EchoServerMain();
        main.orders.obeyAll(main::obey, () -> {});
    }

    private void obey(String order) {
        try {
            if (order.startsWith(SERVE)) {
                EchoServer server = EchoServer.start(EchoSetting.decode(order.substring(SERVE.length())), this::failed);
                servers.add(server);
                orders.answer(LISTENING + server.port());
            } else {
                obeyWord(order);
            }
        } catch (RuntimeException failure) {
            failed(failure);
        }
    }

    private void obeyWord(String order) {
        switch (order) {
            case TIME -> {
                ProcessTime time = ProcessTime.ofThisProcess();
                orders.answer(TIME + " " + time.user() + " " + time.system());
            }
            case QUIET -> {
                QuietCompilers.await();
                orders.answer(QUIET);
            }
            case STOP -> {
                servers.forEach(EchoServer::close);
                servers.clear();
                orders.answer(STOP);
            }
            default -> throw new IllegalArgumentException("'" + order + "' is no order");
        }
    }

    private void failed(RuntimeException failure) {
        orders.answerFailure(
                failure.getMessage() == null ? failure.toString() : failure.getMessage(),
                failure instanceof PerftestException known ? known.remedy() : "");
    }
}
