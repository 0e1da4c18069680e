// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.XrcDomain;

/** The queues that the queue pairs of one side share: the completion queues, and optionally a shared receive queue. */
public final class RunQueues implements AutoCloseable {
    private final CompletionChannel channel;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final XrcDomain xrcDomain;
    private final SharedReceiveQueue sharedReceiveQueue;

    RunQueues(RunDevice device, RunParameters parameters, Shape shape, ProtectionDomain domain) {
        DeviceContext context = device.context();
        boolean events = parameters.queues().events();
        channel = events ? context.createCompletionChannel() : null;
        sends = queue(context, parameters, domain, device.sendRequests(shape.transmitDepth()) * shape.streams());
        receives = shape.receiveDepth() > 0
                ? queue(context, parameters, domain, receiveEntries(context, parameters, shape))
                : sends;
        boolean xrc = shape.connection() == ConnectionType.XRC;
        xrcDomain = xrc ? context.openXrcDomain() : null;
        // The receiving half of XRC names one even where nothing is received.
        sharedReceiveQueue = xrc || parameters.sharesReceiveQueue() && shape.receiveDepth() > 0
                ? domain.createSharedReceiveQueue(config -> {
                    config.maxWorkRequests(Math.max(1, shape.receiveDepth()));
                    if (xrc) {
                        config.xrc(xrcDomain, receives);
                    }
                })
                : null;
    }

    /** No receives bound unsolicited writes, so there is space for all of them, as far as the adapter has it. */
    private static int receiveEntries(DeviceContext context, RunParameters parameters, Shape shape) {
        int receives = shape.receiveDepth() * shape.streams();
        if (!parameters.workload().unsolicited() || parameters.isTimed()) {
            return receives;
        }
        long messages = (long) parameters.iterations() * shape.streams();
        return (int) Math.max(receives, Math.min(messages, context.attributes().maxCompletionQueueEntries()));
    }

    private CompletionQueue queue(
            DeviceContext context, RunParameters parameters, ProtectionDomain domain, int entries) {
        int vector = parameters.queues().completionVector();
        if (parameters.queues().lockFree()) {
            return LockFree.queue(context, domain, entries, channel, vector);
        }
        return context.createCompletionQueue(entries, config -> {
            if (channel != null) {
                config.channel(channel).completionVector(vector);
            }
        });
    }

    /** Returns the completion queue of sends, writes and reads. */
    public CompletionQueue sends() {
        return sends;
    }

    /** Returns the completion queue of receives; the same as for sends if this side does not receive. */
    public CompletionQueue receives() {
        return receives;
    }

    /** Returns the channel of the completion queues' events; null if they are only polled. */
    public CompletionChannel channel() {
        return channel;
    }

    /** Returns the XRC domain; null for other connection types. */
    XrcDomain xrcDomain() {
        return xrcDomain;
    }

    /** Returns null if each queue pair has its own receives. */
    SharedReceiveQueue sharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    /** Called after the protection domain is closed, which closes the queue pairs and the shared queue. */
    @Override
    public void close() {
        if (xrcDomain != null) {
            xrcDomain.close();
        }
        if (receives != sends) {
            receives.close();
        }
        sends.close();
        if (channel != null) {
            channel.close();
        }
    }
}
