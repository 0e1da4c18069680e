// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.engine.ArrivalSink;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupWire;
import io.github.rdma4j.verbs.internal.endpoint.group.Member;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;

/**
 * The wire of an endpoint that shares an SRD queue pair with the others of its group. A request
 * waits while the send queue has no free entry for it, like a request that waits for earlier ones.
 */
final class SrdMemberTransport extends SrdWire implements GroupWire, ArrivalSink {
    private final SharedQueues queues;
    private final Member member;

    SrdMemberTransport(
            SrdLink link,
            SendBuffers sends,
            LongMessages longs,
            EndpointSettings.Sizes sizes,
            int sendDepth,
            int fragment,
            SharedQueues queues,
            Member member) {
        super(link, sends, member, longs, sizes, sendDepth, fragment);
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
    boolean mayPost() {
        return member.mayPost();
    }

    @Override
    void notPosted() {
        member.entryIsFree();
    }

    @Override
    long idOf(int post) {
        return member.tag() | post;
    }

    /** {@inheritDoc} The queue pair must stay as it is, for the others. */
    @Override
    void endRequests() {
        link.closeHandle();
    }

    // ---- Arrivals ----

    @Override
    public int poll(WireEvents protocol) {
        queues.poll();
        return takeIn(protocol);
    }

    @Override
    public int takeIn(WireEvents protocol) {
        int total = super.poll(protocol) + member.takeAlarms(protocol);
        member.unfinished(false);
        if (total == 0 && ordering.isWaiting()) {
            // An entry of the send queue may be free.
            postWaiting();
        }
        return total;
    }

    /** {@inheritDoc} Until they are passed on, they keep the endpoint from sleeping. */
    @Override
    int takeAll() {
        if (!member.hasArrivals()) {
            return 0;
        }
        member.unfinished(true);
        return member.takeArrivals(null, this);
    }

    @Override
    int takeMore() {
        queues.poll();
        return takeAll();
    }

    @Override
    public void giveReceived(
            WireEvents protocol, int buffer, boolean sent, boolean hasImmediate, int immediate, long byteLength) {
        ordering.arrived(buffer, sent && hasImmediate, immediate, byteLength - SrdLink.NUMBER_BYTES);
    }

    @Override
    public void giveSent(WireEvents protocol, long id) {
        ordering.completed((int) id);
    }

    @Override
    public void giveFailed(
            WireEvents protocol, long id, WorkCompletionStatus status, int vendorError, String description) {
        fail(id, status, vendorError, description);
    }

    @Override
    public void close() {
        link.close();
    }
}
