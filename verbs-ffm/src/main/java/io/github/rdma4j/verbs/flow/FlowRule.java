// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.AttachedResource;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.Resource;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.DeviceCapability;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A flow steering rule ({@code struct ibv_flow}, ibv_create_flow(3)): packets of a port that match go to a queue pair
 * of type UD or raw packet, or are dropped, marked or counted. Closing it removes the rule.
 *
 * <p>Requires a device with {@link DeviceCapability#MANAGED_FLOW_STEERING}, and the right CAP_NET_RAW.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class FlowRule extends AttachedResource {
    private static final int ENXIO = 6;

    private final DeviceContext context;
    private final String description;

    private FlowRule(QueuePair queuePair, FlowRuleConfig config) {
        super(() -> steer(queuePair, config), parents(queuePair, config));
        this.context = queuePair.protectionDomain().context();
        this.description = config.toString();
    }

    /**
     * Creates a rule that directs packets to a queue pair (ibv_create_flow(3)).
     *
     * @param queuePair of type UD or raw packet
     * @param configuration sets which packets match, and what happens to them
     * @return the rule, effective at once; closed before or with the queue pair
     * @throws IllegalArgumentException if the values contradict each other, or the device has no such port
     * @throws UnsupportedVerbException if the device, such as SoftRoCE, does not steer flows
     * @throws VerbsException if the device refuses the rule; the message has the likely cause
     */
    public static FlowRule create(QueuePair queuePair, Consumer<FlowRuleConfig> configuration) {
        FlowRuleConfig config = new FlowRuleConfig();
        configuration.accept(config);
        config.check();
        for (Resource resource : config.resources()) {
            if (!areOfOneDeviceContext(resource, queuePair)) {
                throw new IllegalArgumentException(resource + " is not of the same device context as " + queuePair);
            }
        }
        queuePair.protectionDomain().context().port(config.port());
        return createOn(queuePair, () -> new FlowRule(queuePair, config));
    }

    private static NativeObject steer(QueuePair queuePair, FlowRuleConfig config) {
        MemorySegment context =
                MemorySegment.ofAddress(queuePair.protectionDomain().context().handle());
        String operation = "ibv_create_flow(%s, %s)".formatted(queuePair, config);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flow = ExtendedVerb.CREATE_FLOW.create(
                    operation, context, MemorySegment.ofAddress(queuePair.handle()), config.write(arena));
            return new NativeObject(
                    flow,
                    "ibv_destroy_flow(%s)".formatted(config),
                    () -> ExtendedVerb.DESTROY_FLOW.call(context, flow));
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
                Failures.of(operation, ENXIO, "the device does not steer flows now", "check its driver's parameters");
            default -> refusal;
        };
    }

    DeviceContext context() {
        return context;
    }

    /** {@return type, priority and port} */
    @Override
    public String toString() {
        return "flow rule (" + description + ")";
    }
}
