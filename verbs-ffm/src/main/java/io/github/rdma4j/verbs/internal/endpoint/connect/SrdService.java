// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdLink;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a server with an EFA has for its clients.
 *
 * @param domain returns the domain of the adapter, and counts one more user
 * @param probe returns the memory that a client tries the path with; null if the server accepts clients over SRD alone
 * @param failures receives the failures after which a client gets TCP; null as above
 */
public record SrdService(Supplier<SharedDomain> domain, Supplier<PathProbe> probe, Consumer<VerbsException> failures) {
    boolean isOnly() {
        return failures == null;
    }

    /** Creates an endpoint; if this fails, closes the link. */
    static Endpoint endpoint(SrdLink link, Memories memories, EndpointSettings config, Hello peer) {
        EndpointTransport transport = null;
        try {
            transport = link.transport();
            return EndpointAssembly.over(link, transport, memories, config, peer);
        } catch (Throwable e) {
            if (transport == null) {
                CloseAll.after(e, link::close, link::free);
            } else {
                CloseAll.after(e, transport::close, transport::free);
            }
            throw e;
        }
    }

    /** {@return why a client uses TCP although both sides were to try SRD} */
    static VerbsException notOffered(String operation) {
        return ACCESS.endpointException(
                operation,
                "the server has no EFA, or does not use it",
                "run it on an instance with an EFA, with Transport.RDMA_OR_TCP; EndpointServer.rdmaFailure has the reason");
    }
}
