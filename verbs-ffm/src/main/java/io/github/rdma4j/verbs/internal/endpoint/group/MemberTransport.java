// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsWire;

/** The wire of an endpoint in a group: its completions arrive through the queues of the group. */
public final class MemberTransport extends VerbsWire {
    private final SharedQueues queues;
    private final Member member;

    public MemberTransport(VerbsLink link, SharedQueues queues, Member member, int inlineSize) {
        super(link, member, member.share().sendBuffers(member), inlineSize, member.tag());
        this.queues = queues;
        this.member = member;
    }

    @Override
    public int poll(WireEvents protocol) {
        queues.poll();
        return takeIn(protocol);
    }

    @Override
    public int takeIn(WireEvents protocol) {
        return member.takeIn(protocol, this);
    }

    @Override
    public void prepareToSleep() {}

    /** Only sets what to arm for: the sleeping thread arms the group's queues for all endpoints. */
    @Override
    public void arm(boolean ends) {
        queues.awaitEnds(member, ends);
    }

    @Override
    public boolean missesEnds() {
        return !member.awaitsEnds();
    }

    @Override
    public void sleep(long nanos) {
        queues.sleepers().sleep(member.sleeper(), nanos);
    }

    @Override
    public boolean awake() {
        return takeLinkNews();
    }

    @Override
    public boolean hasNews() {
        return member.hasNews();
    }

    @Override
    public boolean takeLinkNews() {
        return member.takeLinkNews();
    }

    /** The group receives the events. */
    @Override
    public void eventCame() {}

    SharedQueues queues() {
        return queues;
    }

    @Override
    public Events events() {
        return new Events(null, null);
    }

    @Override
    public void watch(Runnable arrival) {
        member.watcher(arrival);
    }

    @Override
    public void wakeUp() {
        queues.sleepers().wake(member.sleeper());
    }

    @Override
    public void close() {
        link().close();
    }

    @Override
    public void free() {
        link().free();
    }
}
