// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.AttachedResource;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * An action of a {@link FlowRule} on packets, by {@link FlowSpec#handle}: encrypts or decrypts them with ESP of IPsec
 * ({@code struct ibv_flow_action}, ibv_create_flow_action_esp(3)).
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class FlowAction extends AttachedResource {
    private final DeviceContext context;

    private FlowAction(DeviceContext context, EspActionConfig config) {
        super(() -> createEsp(context, config), context);
        this.context = context;
    }

    /**
     * Creates an action for ESP of IPsec (ibv_create_flow_action_esp(3)).
     *
     * @param context the device context of the queue pairs whose rules use it
     * @param configuration sets direction, mode and key
     * @return the action, closed before or with the context
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public static FlowAction esp(DeviceContext context, Consumer<EspActionConfig> configuration) {
        EspActionConfig config = new EspActionConfig();
        configuration.accept(config);
        return createOn(context, () -> new FlowAction(context, config));
    }

    private static NativeObject createEsp(DeviceContext context, EspActionConfig config) {
        MemorySegment device = MemorySegment.ofAddress(context.handle());
        String name = context.device().name();
        try (Arena arena = Arena.ofConfined();
                EspActionAttributes attributes = new EspActionAttributes(config, arena)) {
            MemorySegment action = ExtendedVerb.CREATE_FLOW_ACTION_ESP.create(
                    "ibv_create_flow_action_esp(%s, %s)".formatted(name, config), device, device, attributes.segment());
            return new NativeObject(
                    action,
                    "ibv_destroy_flow_action(%s)".formatted(name),
                    () -> ExtendedVerb.DESTROY_FLOW_ACTION.call(device, action));
        }
    }

    /**
     * Changes the action, for all rules that use it (ibv_modify_flow_action_esp(3)). Values that are not set do not
     * change. If this fails, the action is unchanged.
     *
     * @param configuration sets what changes
     * @throws IllegalArgumentException if the values contradict each other
     * @throws VerbsException if the device refuses
     */
    public void modify(Consumer<EspActionConfig> configuration) {
        EspActionConfig config = new EspActionConfig();
        configuration.accept(config);
        whileOpen(() -> {
            try (Arena arena = Arena.ofConfined();
                    EspActionAttributes attributes = new EspActionAttributes(config, arena)) {
                Failures.check(
                        "ibv_modify_flow_action_esp(%s)".formatted(config),
                        ExtendedVerb.MODIFY_FLOW_ACTION_ESP.call(
                                MemorySegment.ofAddress(context.handle()), segment(), attributes.segment()));
            }
        });
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "flow action of " + context.device().name();
    }
}
