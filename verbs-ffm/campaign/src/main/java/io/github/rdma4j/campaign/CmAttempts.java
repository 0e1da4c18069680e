// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.RejectReason;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The client's side of consecutive connections by rdma_cm, without endpoints: resolve, connect, exchange a word,
 * disconnect, close. Each attempt has a number, and the server answers as {@link CmAnswer} requests for that number.
 * Each attempt must end as expected, or with an exception, within its timeouts.
 */
final class CmAttempts {
    static final Duration RESOLVE = Duration.ofSeconds(3);
    static final Duration CONNECT = Duration.ofSeconds(3);
    static final Duration WORD = Duration.ofSeconds(2);
    static final Duration DISCONNECT = Duration.ofSeconds(2);
    /** How long the wire is cut at a step: longer than each step may take. */
    private static final long CUT_MILLIS = 3_500;
    /** Until machine 2 has cut it. */
    private static final long CUT_AFTER_MILLIS = 100;

    /** A step of an attempt, before which the wire can be cut. */
    enum Phase {
        RESOLVE,
        CONNECT,
        WORD,
        DISCONNECT
    }

    private final InetSocketAddress server;
    private final Peer.Orders orders;
    private final Remote remote;
    private final SplittableRandom random;
    private final Attempts attempts = new Attempts();
    private long refusals;
    private Phase cutBefore;
    private boolean cutThere;

    CmAttempts(InetSocketAddress server, Peer.Orders orders, Remote remote) {
        this.server = server;
        this.orders = orders;
        this.remote = remote;
        this.random = new SplittableRandom(orders.seed());
    }

    /** {@return what was seen: attempts as sent, connections that did all as received, refusals as transfers} */
    EndReport run() throws InterruptedException {
        if (orders.load() == Load.CM_STEPS) {
            for (Phase phase : Phase.values()) {
                for (boolean there : new boolean[] {false, true}) {
                    cutBefore = phase;
                    cutThere = there;
                    attempt(CmAnswer.WORD);
                    cutBefore = null;
                    restore();
                    again(CmAnswer.WORD);
                }
            }
        }
        while (attempts.isGood() && attempts.elapsed() < orders.lengthMillis()) {
            attempt(CmAnswer.values()[random.nextInt(CmAnswer.values().length - 1)]);
        }
        boolean done = again(CmAnswer.LAST);
        return attempts.report(refusals, done);
    }

    /** Repeats an attempt until it ends as expected, because the wire has been restored. */
    private boolean again(CmAnswer answer) throws InterruptedException {
        long until = attempts.elapsed() + Attempts.RECOVERY_MILLIS;
        while (attempts.isGood()) {
            if (attempt(answer)) {
                return true;
            }
            if (attempts.elapsed() > until) {
                attempts.wrong = "no connection on a good wire for " + Attempts.RECOVERY_MILLIS + " ms, at last: "
                        + attempts.failure();
            }
        }
        return false;
    }

    private void cut(Phase phase) {
        if (cutBefore != phase) {
            return;
        }
        try {
            List<Step> steps = Fault.cut("", Step.Place.HERE, CUT_MILLIS).steps();
            if (cutThere) {
                remote.schedule(steps, CUT_AFTER_MILLIS);
                Thread.sleep(3 * CUT_AFTER_MILLIS);
            } else {
                Shell.run(steps.getFirst().command(), 0);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void restore() throws InterruptedException {
        if (cutThere) {
            Thread.sleep(CUT_MILLIS); // it ends by a timer
        } else {
            Shell.run(Fault.RESTORE, 0);
        }
    }

    /** {@return whether it went as foreseen} */
    private boolean attempt(CmAnswer answer) {
        long number = ++attempts.made;
        byte[] asked = answer.ask(number);
        try (SynchronousId id = SynchronousId.create(PortSpace.TCP)) {
            cut(Phase.RESOLVE);
            timed("resolve", RESOLVE, () -> id.resolve(server, RESOLVE));
            try (CmTalk talk = new CmTalk(id)) {
                cut(Phase.CONNECT);
                byte[][] answered = new byte[1][];
                timed(
                        "connect",
                        CONNECT,
                        () -> answered[0] = id.connect(config -> config.privateData(asked), CONNECT)
                                .privateData());
                if (!CmAnswer.is(answered[0], asked)) {
                    attempts.wrong = "other private data came back";
                }
                if (answer.isRefusal()) {
                    attempts.wrong = answer + " was to come, and the connection was made";
                }
                cut(Phase.WORD);
                timed("a word", WORD, () -> talk.send(number));
                timed("an answer", WORD, () -> talk.await(number, WORD));
                cut(Phase.DISCONNECT);
                timed("disconnect", DISCONNECT, () -> id.disconnect(DISCONNECT));
            }
            attempts.successes++;
            return attempts.isGood();
        } catch (ConnectionRejectedException e) {
            return refused(answer, asked, e);
        } catch (Wrong e) {
            attempts.wrong = e.getMessage();
        } catch (VerbsException e) {
            attempts.fail(e);
        }
        return false;
    }

    private boolean refused(CmAnswer answer, byte[] asked, ConnectionRejectedException e) {
        if (!answer.isRefusal()) {
            attempts.fail(e); // the server gave this one up meanwhile
            return false;
        }
        if (e.reason() != RejectReason.CONSUMER_DEFINED
                || answer == CmAnswer.REFUSE && !CmAnswer.is(e.privateData(), asked)) {
            attempts.wrong = "refused for " + e.reason() + " and not as foreseen by " + answer;
            return false;
        }
        refusals++;
        return true;
    }

    private void timed(String what, Duration limit, Runnable step) {
        long started = attempts.elapsed();
        try {
            step.run();
        } finally {
            attempts.within(what, attempts.elapsed() - started, limit);
        }
    }
}
