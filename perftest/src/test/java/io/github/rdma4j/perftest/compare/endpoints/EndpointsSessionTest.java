// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.echo.EchoServer;
import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.environment.ProcessTime;
import io.github.rdma4j.perftest.exit.RunFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of the measurements, over TCP alone: no device is needed. */
@Timeout(600)
class EndpointsSessionTest {
    private final List<String> heard = new ArrayList<>();
    private final Server server = new Server();

    /** In this process. */
    private static final class Server implements ServerSide {
        private final List<EchoServer> servers = new ArrayList<>();
        private int stops;

        @Override
        public EchoSetting serve(EchoSetting setting) {
            EchoServer started = EchoServer.start(setting, failure -> {
                throw failure;
            });
            servers.add(started);
            return setting.withPort(started.port());
        }

        @Override
        public ProcessTime time() {
            return ProcessTime.ofThisProcess();
        }

        @Override
        public void awaitQuiet() {}

        @Override
        public void stop() {
            servers.forEach(EchoServer::close);
            servers.clear();
            stops++;
        }
    }

    private final EndpointsListener listener = new EndpointsListener() {
        @Override
        public void opened(int size, int connections, Map<Transport, Double> perSecond) {
            heard.add("opened " + size + " " + connections + " " + perSecond.keySet());
        }

        @Override
        public void measured(EchoCase test, int round, Map<Transport, EchoMeasurement> measurements) {
            heard.add("measured " + test.size() + " " + test.connections() + " at " + Math.round(test.rate()) + ", "
                    + round);
        }
    };

    @AfterEach
    void stop() {
        server.stop();
    }

    private EndpointsSession session(List<Double> rates, int port) {
        EndpointsPlan plan = new EndpointsPlan(
                List.of(Transport.TCP), List.of(64), List.of(1, 4), rates, 1, 2, null, null, port, 20, false);
        return new EndpointsSession(server, "127.0.0.1", plan, listener);
    }

    @Test
    void everyCaseIsMeasuredInEachRound() {
        EndpointsSession session = session(List.of(200.0), 0);

        session.run();

        assertThat(heard)
                .containsExactly(
                        "opened 64 1 []",
                        "measured 64 1 at 200, 1",
                        "measured 64 1 at 200, 2",
                        "opened 64 4 []",
                        "measured 64 4 at 200, 1",
                        "measured 64 4 at 200, 2");
        assertThat(session.results()).hasSize(2).allSatisfy(result -> {
            assertThat(result.rounds()).hasSize(2);
            assertThat(result.latency(Transport.TCP).samples()).isEqualTo(400);
            EchoMeasurement one = result.of(Transport.TCP).getFirst();
            assertThat(one.perSecond()).isPositive();
            assertThat(one.cost().serverUser() + one.cost().serverSystem()).isPositive();
        });
        assertThat(server.stops).isEqualTo(2);
    }

    @Test
    void whatIsMeasuredBeforeAFailureIsKept() {
        EndpointsSession session = session(List.of(100.0), 0);
        EndpointsListener ends = new EndpointsListener() {
            @Override
            public void opened(int size, int connections, Map<Transport, Double> perSecond) {}

            @Override
            public void measured(EchoCase test, int round, Map<Transport, EchoMeasurement> measurements) {
                server.stop();
            }
        };
        EndpointsPlan plan = new EndpointsPlan(
                List.of(Transport.TCP), List.of(64), List.of(1), List.of(100.0), 1, 2, null, null, 0, 20, false);
        session = new EndpointsSession(server, "127.0.0.1", plan, ends);

        assertThatThrownBy(session::run).isInstanceOf(RunFailedException.class);
        assertThat(session.results()).hasSize(1);
        assertThat(session.results().getFirst().rounds()).hasSize(1);
    }
}
