// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;

/**
 * A flow steering rule ({@code struct ibv_flow}, ibv_create_flow(3)): packets of a port that match go to a queue pair of type UD or
 * raw packet, or are dropped, marked or counted. Closing it takes the rule away.
 *
 * <p>Needs a device with {@link DeviceCapability#MANAGED_FLOW_STEERING}, and the right CAP_NET_RAW.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class FlowRule extends Resource {
    private static final int ENXIO = 6;

    private final DeviceContext context;
    private final String description;
    private final MemorySegment flow;

    FlowRule(QueuePair queuePair, FlowRuleConfig config) {
        super(parents(queuePair, config));
        config.resources().forEach(Resource::requireOpen);
        this.context = queuePair.domain().context();
        this.description = config.toString();
        String operation = "ibv_create_flow(%s, %s)".formatted(queuePair, config);
        try (Arena arena = Arena.ofConfined()) {
            this.flow = ExtendedVerb.CREATE_FLOW.create(
                    operation, context.segment(), queuePair.segment(), config.write(arena));
        } catch (UnsupportedVerbException e) {
            throw e;
        } catch (VerbsException e) {
            throw explained(operation, e);
        }
    }

    private static Resource[] parents(QueuePair queuePair, FlowRuleConfig config) {
        return Stream.concat(Stream.of(queuePair), config.resources().stream()).toArray(Resource[]::new);
    }

    static VerbsException explained(String operation, VerbsException refusal) {
        return switch (refusal.errno()) {
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        Errno.EINVAL,
                        "the device does not take these specs together, in this order or with these masks, or not on"
                                + " this queue pair",
                        "use a queue pair of type UD or RAW_PACKET, whole fields, and headers from the outside to the"
                                + " inside");
            case Errno.EPERM, Errno.EACCES ->
                Failures.of(operation, refusal.errno(), "", "give the program the right CAP_NET_RAW");
            case ENXIO ->
                Failures.of(
                        operation, ENXIO, "the device does not steer flows now", "look into its driver's parameters");
            default -> refusal;
        };
    }

    MemorySegment segment() {
        return flow;
    }

    DeviceContext context() {
        return context;
    }

    @Override
    public long handle() {
        requireOpen();
        return flow.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_destroy_flow(%s)".formatted(description), ExtendedVerb.DESTROY_FLOW.call(context.segment(), flow));
    }

    /** {@return type, priority and port} */
    @Override
    public String toString() {
        return "flow rule (" + description + ")";
    }
}
