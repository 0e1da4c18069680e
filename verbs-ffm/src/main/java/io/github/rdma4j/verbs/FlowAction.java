// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * What a {@link FlowRule} does to packets by {@link FlowSpec#handle}: encrypting or decrypting them with ESP of IPsec
 * ({@code struct ibv_flow_action}, ibv_create_flow_action_esp(3)).
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class FlowAction extends Resource {
    private final DeviceContext context;
    private final MemorySegment action;

    FlowAction(DeviceContext context, EspActionConfig config) {
        super(context);
        this.context = context;
        String operation =
                "ibv_create_flow_action_esp(%s, %s)".formatted(context.device().name(), config);
        try (Arena arena = Arena.ofConfined();
                EspActionAttributes attributes = new EspActionAttributes(config, arena)) {
            this.action = ExtendedVerb.CREATE_FLOW_ACTION_ESP.create(
                    operation, context.segment(), context.segment(), attributes.segment());
        }
    }

    /**
     * Changes the action, for all rules that use it (ibv_modify_flow_action_esp(3)). What is not set stays as it is. If this
     * fails, the action is as before.
     *
     * @param configuration sets what changes
     * @throws IllegalArgumentException if the values do not go together
     * @throws VerbsException if the device refuses
     */
    public void modify(Consumer<EspActionConfig> configuration) {
        EspActionConfig config = new EspActionConfig();
        configuration.accept(config);
        locked(() -> {
            try (Arena arena = Arena.ofConfined();
                    EspActionAttributes attributes = new EspActionAttributes(config, arena)) {
                Failures.check(
                        "ibv_modify_flow_action_esp(%s)".formatted(config),
                        ExtendedVerb.MODIFY_FLOW_ACTION_ESP.call(context.segment(), action, attributes.segment()));
            }
            return null;
        });
    }

    @Override
    public long handle() {
        requireOpen();
        return action.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_destroy_flow_action(" + context.device().name() + ")",
                ExtendedVerb.DESTROY_FLOW_ACTION.call(context.segment(), action));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "flow action of " + context.device().name();
    }
}
