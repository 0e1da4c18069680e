// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.util.List;

/**
 * The limits of an adapter's SRD queue pairs for a test.
 *
 * @param device the name of the adapter
 * @param longest the longest message of the tool, in bytes
 * @param maxInlineData of a send or an inline write, in bytes
 * @param inlineWrites whether writes can be inline
 */
record SrdLimits(String device, long longest, int maxInlineData, boolean inlineWrites) {
    /** The C tools' default for the latency tools on EFA. */
    private static final int INLINE = 32;

    /**
     * Refuses parameters that the adapter does not support, before the peer is contacted.
     *
     * @throws IllegalParameterException when the device is no EFA, or a parameter exceeds its limits
     */
    static SrdLimits of(DeviceContext context, PortAttributes port, RunParameters parameters) {
        String device = context.device().name();
        EfaDeviceAttributes efa;
        try {
            efa = context.queryEfa();
        } catch (UnsupportedVerbException failure) {
            throw new IllegalParameterException("-c/--connection: SRD is not allowed; " + device
                    + " is no Elastic Fabric Adapter (" + failure.getMessage() + ")");
        }
        Verb verb = parameters.tool().verb();
        String type =
                "-c/--connection: SRD is not allowed for " + parameters.tool().command();
        if (verb == Verb.READ) {
            require(EfaCapability.RDMA_READ, efa, device, type);
        } else if (verb == Verb.WRITE) {
            require(EfaCapability.RDMA_WRITE, efa, device, type);
        }
        if (parameters.workload().unsolicited()) {
            require(EfaCapability.UNSOLICITED_WRITE_RECEIVE, efa, device, "--unsolicited_write is not allowed");
        }
        limit("-t/--tx-depth", parameters.transmitDepth(), efa.maxSendWorkRequests(), device);
        limit("-r/--rx-depth", parameters.receiveDepth(), efa.maxReceiveWorkRequests(), device);
        return new SrdLimits(
                device,
                verb == Verb.SEND ? port.maxMessageSize() : efa.maxRdmaSize(),
                efa.maxInlineData(),
                efa.capabilities().contains(EfaCapability.INLINE_WRITE));
    }

    private static void require(EfaCapability wanted, EfaDeviceAttributes efa, String device, String refusal) {
        if (!efa.capabilities().contains(wanted)) {
            throw new IllegalParameterException(refusal + "; " + device + " does not report " + wanted
                    + ", which needs an adapter and a driver that have it, and rdma-core " + wanted.rdmaCoreVersion()
                    + " or later");
        }
    }

    private static void limit(String option, int value, int most, String device) {
        if (value > most) {
            throw new IllegalParameterException(
                    option + ": " + value + " is too large for SRD on " + device + "; at most " + most);
        }
    }

    /** Returns the largest size in bytes of a message that is sent inline. */
    int inlineSize(RunParameters parameters, boolean fromGpu, List<String> adjustments) {
        int wanted = parameters.queues().inlineSize();
        Verb verb = parameters.tool().verb();
        if (verb == Verb.READ || verb == Verb.WRITE && !inlineWrites) {
            if (wanted > 0) {
                adjustments.add("-I/--inline_size: " + wanted + " becomes 0: "
                        + (verb == Verb.READ ? "reads are not inline" : "inline writes over SRD need rdma-core 63"));
            }
            return 0;
        }
        if (wanted < 0) {
            return parameters.tool().isLatency() && !fromGpu ? Math.min(INLINE, maxInlineData) : 0;
        }
        limit("-I/--inline_size", wanted, maxInlineData, device);
        return wanted;
    }
}
