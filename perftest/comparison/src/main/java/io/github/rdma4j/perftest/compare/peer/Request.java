// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The client's request to the machine of the servers.
 *
 * @param tools the compared tools, each once
 * @param tcp how to run plain TCP
 */
public record Request(List<Tool> tools, TcpMode tcp) {
    /** Copies the list. */
    public Request {
        tools = List.copyOf(tools);
    }

    /** Returns the fields of a message. */
    Fields fields() {
        return new Fields()
                .with(PeerFields.TOOLS, tools.stream().map(Tool::command).collect(Collectors.joining(",")))
                .with(PeerFields.TCP, tcp.option());
    }

    /**
     * Reads a request from a message.
     *
     * @throws BadMessageException if it names no tool, or an unknown one
     */
    static Request of(Fields fields) {
        List<Tool> tools = new ArrayList<>();
        for (String name : fields.text(PeerFields.TOOLS).split(",", -1)) {
            Tool tool = Tool.ofCommand(name)
                    .orElseThrow(() -> new BadMessageException("the other end names the unknown tool " + name));
            if (tools.contains(tool)) {
                throw new BadMessageException("the other end names " + name + " twice");
            }
            tools.add(tool);
        }
        String tcp = fields.text(PeerFields.TCP);
        return new Request(
                tools,
                Arrays.stream(TcpMode.values())
                        .filter(mode -> mode.option().equals(tcp))
                        .findFirst()
                        .orElseThrow(() -> new BadMessageException("the other end asks for TCP to " + tcp)));
    }
}
