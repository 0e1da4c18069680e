import io.github.rdma4j.micrometer.RdmaMeters;
import io.github.rdma4j.verbs.endpoint.*;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

void main() throws Exception { // both ends in one program, over TCP: no adapter is needed
    var registry = new SimpleMeterRegistry(); // your program's own: Prometheus, OTLP, ...
    var timeout = Duration.ofSeconds(30);
    RdmaMeters.ofPorts().bindTo(registry); // of all RDMA devices, if there are any
    try (var server = EndpointServer.bind(new InetSocketAddress("127.0.0.1", 0), c -> c.transport(Transport.TCP));
            var ofServer = RdmaMeters.ofServer(server, "name", "example")) {
        ofServer.bindTo(registry);
        var accepted = CompletableFuture.supplyAsync(() -> server.accept(timeout).orElseThrow());
        try (var client = Endpoint.connect(server.address(), c -> c.transport(Transport.TCP), timeout);
                var peer = accepted.get();
                var ofClient = RdmaMeters.ofEndpoint(client, "peer", "example")) {
            ofClient.bindTo(registry);
            for (int i = 0; i < 3; i++) {
                client.send(new byte[100], timeout);
                peer.receive(timeout);
            }
            for (var counter : registry.get("rdma4j.endpoint.sent").functionCounters()) {
                IO.println(counter.getId().getTags() + ": " + counter.count() + " messages sent");
            }
            FunctionCounter clients =
                    registry.get("rdma4j.server").tag("outcome", "accepted").functionCounter();
            IO.println(clients.count() + " clients accepted");
        }
    }
}
