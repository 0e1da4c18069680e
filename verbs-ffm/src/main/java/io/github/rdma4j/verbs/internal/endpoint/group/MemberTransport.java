// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsWire;

/** The wire of an endpoint in a group: its completions arrive through the queues of the group. */
public final class MemberTransport extends VerbsWire implements GroupWire {
    private final SharedQueues queues;
    private final Member member;

    public MemberTransport(VerbsLink link, SharedQueues queues, Member member, int inlineSize) {
        super(link, member, member.share().sendBuffers(member), inlineSize, member.tag());
        this.queues = queues;
        this.member = member;
    }

    @Override
    public SharedQueues queues() {
        return queues;
    }

    @Override
    public Member member() {
        return member;
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
    public void close() {
        link().close();
    }

    @Override
    public void free() {
        link().free();
    }
}
