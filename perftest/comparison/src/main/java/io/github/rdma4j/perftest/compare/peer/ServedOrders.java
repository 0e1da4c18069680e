// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.runner.ServerProgram;
import io.github.rdma4j.perftest.compare.runner.Serving;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.verbs.VerbsException;
import java.time.Duration;
import java.util.Arrays;

/** Carries out the other machine's orders, one server at a time. Closing this stops the server. */
final class ServedOrders implements AutoCloseable {
    private static final String ADDRESS = "[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,32})?";

    private final ServedMachine machine;
    private final Duration grace;
    private Serving serving;
    private Deadline deadline;
    private Duration running = Duration.ZERO;
    private long childrenBefore;
    private int served;

    /**
     * @param grace how long the other end may be silent between two runs
     */
    ServedOrders(ServedMachine machine, Duration grace) {
        this.machine = machine;
        this.grace = grace;
    }

    /** Returns how long the other end may be silent now. */
    Duration patience() {
        return running.plus(grace);
    }

    /** Returns the number of complete runs. */
    int served() {
        return served;
    }

    /**
     * Carries out an order.
     *
     * @return the answer, which may be a failure
     * @throws BadMessageException if it is not an order, or not permitted now
     */
    Fields carryOut(Fields fields) {
        Order order = Order.of(fields.text(PeerFields.ORDER));
        try {
            return switch (order) {
                case PORT ->
                    new Fields().with(PeerFields.PORT, machine.servers().freePort());
                case BUSY ->
                    new Fields().with(PeerFields.BUSY, machine.servers().busy());
                case SERVE -> serve(fields);
                case FINISH -> finish();
                case STOP -> stop();
                case MEASURE -> measure(fields);
                case COUNTERS -> counters();
            };
        } catch (BadMessageException failure) {
            throw failure;
        } catch (PerftestException failure) {
            return failed(failure.getMessage(), failure.remedy());
        } catch (VerbsException | IllegalParameterException failure) {
            // The device cannot carry out the run that the other end has chosen.
            return failed(failure.getMessage(), "");
        }
    }

    private static Fields failed(String message, String remedy) {
        return new Fields().with(PeerFields.FAILURE, message).with(PeerFields.REMEDY, remedy);
    }

    private Fields serve(Fields fields) {
        if (serving != null) {
            throw new BadMessageException("the other end asks for another server before the last one has ended");
        }
        String name = fields.text(PeerFields.PROGRAM);
        ServerProgram program = Arrays.stream(ServerProgram.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException("the other end asks to run " + name));
        RunOrder order = machine.here(run(fields));
        deadline = order.deadline();
        childrenBefore = CpuTime.ofEndedChildren();
        serving = machine.servers().serve(program, order, deadline);
        running = Duration.ofSeconds(order.timeoutSeconds());
        return new Fields();
    }

    private static RunOrder run(Fields fields) {
        try {
            return RunOrder.decode(fields.text(PeerFields.RUN)).checked();
        } catch (IllegalArgumentException failure) {
            throw new BadMessageException("the other end asks for an invalid run: " + failure.getMessage());
        }
    }

    private Serving active() {
        if (serving == null) {
            throw new BadMessageException("the other end refers to a server, but none runs");
        }
        return serving;
    }

    private Fields finish() {
        try (Serving one = active()) {
            long used = one.finish(deadline);
            served++;
            return new Fields()
                    .with(
                            PeerFields.CPU,
                            CpuTime.sum(CpuTime.between(childrenBefore, CpuTime.ofEndedChildren()), used));
        } finally {
            forget();
        }
    }

    private Fields stop() {
        try (Serving one = active()) {
            return new Fields().with(PeerFields.COMPLAINT, one.complaint());
        } finally {
            forget();
        }
    }

    private Fields measure(Fields fields) {
        String host = fields.text(PeerFields.HOST);
        // Anything else could be an option of the tool.
        if (!host.matches(ADDRESS)) {
            throw new BadMessageException("the other end asks for a run with an invalid address");
        }
        Fields answer = new Fields();
        machine.measure(machine.here(run(fields)), host)
                .forEach((metric, value) -> answer.with(PeerFields.FIGURE + metric.ordinal(), value.toString()));
        return answer;
    }

    private Fields counters() {
        Fields answer = new Fields();
        machine.counters().entrySet().stream()
                .limit(PeerFields.MOST_COUNTERS)
                .forEach(counter -> answer.with(
                        PeerFields.COUNTER + answer.all().size(), counter.getValue() + " " + counter.getKey()));
        return answer;
    }

    private void forget() {
        serving = null;
        running = Duration.ZERO;
    }

    @Override
    public void close() {
        if (serving != null) {
            serving.close();
        }
    }
}
