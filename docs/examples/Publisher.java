// Publishes numbers to any number of subscribers, with one thread. A slow subscriber misses some numbers, and
// sees which. The others do not wait for it.
//
//   java -cp verbs-ffm/target/classes:verbs-ffm/base/target/classes docs/examples/Publisher.java ARGUMENTS
//
//   publisher:    publish   10.0.0.1 7471 SUBSCRIBERS NUMBERS
//   subscribers:  subscribe 10.0.0.1 7471 SUBSCRIBERS
//
// The publisher begins when all SUBSCRIBERS are there. The other program opens as many connections, again with one
// thread. In both programs a selector finds the endpoints that have something to do, and the endpoints of a group share
// their queues and receive buffers.

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.lang.foreign.Arena;
import java.util.function.Consumer;

static final Duration TIMEOUT = Duration.ofMinutes(2);
static final Duration PAUSE = Duration.ofMillis(2);

/** A thousand subscribers pin a few megabytes; with the defaults it would be half a gigabyte. */
static final Consumer<EndpointConfig> SMALL =
        config -> config.receiveBuffers(16).sendDepth(16).maxMessageSize(8);

void main(String... args) {
    if (args.length < 4) {
        throw new IllegalArgumentException("usage: Publisher publish|subscribe ADDRESS PORT SUBSCRIBERS [NUMBERS]");
    }
    var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    int subscribers = Integer.parseInt(args[3]);
    switch (args[0]) {
        case "publish" -> publish(address, subscribers, Integer.parseInt(args[4]));
        case "subscribe" -> subscribe(address, subscribers);
        default -> throw new IllegalArgumentException("unknown command " + args[0]);
    }
}

static void publish(InetSocketAddress address, int subscribers, int numbers) {
    var subscribed = new ArrayList<Endpoint>();
    try (var group = EndpointGroup.open(subscribers);
            var server = EndpointServer.bind(address, config -> SMALL.accept(config.group(group)));
            var selector = EndpointSelector.open();
            var arena = Arena.ofConfined()) {
        IO.println("publishing at " + server.address());
        selector.add(server, s -> s.accept(Duration.ZERO).ifPresent(client -> {
            subscribed.add(client);
            selector.add(client, ready -> leaveIfOver(ready, subscribed));
        }));
        while (subscribed.size() < subscribers) {
            selector.select(TIMEOUT);
        }
        var number = arena.allocate(JAVA_LONG);
        int missed = 0;
        for (long i = 0; i < numbers; i++) {
            number.set(JAVA_LONG, 0, i);
            for (var subscriber : List.copyOf(subscribed)) {
                try {
                    missed += subscriber.trySend(number) == Endpoint.OK ? 0 : 1;
                } catch (ConnectionLostException e) {
                    leave(subscriber, subscribed);
                }
            }
            selector.select(PAUSE);
        }
        IO.println("%d numbers to %d subscribers, %d times one had no room".formatted(numbers, subscribers, missed));
        subscribed.forEach(Endpoint::close);
    }
}

/** A subscriber sends nothing, so there is nothing to read but its end. */
static void leaveIfOver(Endpoint subscriber, List<Endpoint> subscribed) {
    try {
        if (subscriber.poll(message -> {}) == Endpoint.CLOSED_BY_PEER) {
            leave(subscriber, subscribed);
        }
    } catch (ConnectionLostException e) {
        leave(subscriber, subscribed);
    }
}

static void leave(Endpoint subscriber, List<Endpoint> subscribed) {
    subscribed.remove(subscriber);
    subscriber.close();
}

/** What one subscriber has seen. */
static final class Seen {
    long next;
    long received;
    long missed;
}

static void subscribe(InetSocketAddress address, int subscribers) {
    try (var group = EndpointGroup.open(subscribers);
            var selector = EndpointSelector.open()) {
        var all = new ArrayList<Seen>();
        for (int i = 0; i < subscribers; i++) {
            var seen = new Seen();
            all.add(seen);
            var endpoint = Endpoint.connect(address, config -> SMALL.accept(config.group(group)), TIMEOUT);
            selector.add(endpoint, publisher -> take(publisher, seen));
        }
        while (selector.size() > 0) {
            selector.select(TIMEOUT);
        }
        IO.println("%d subscribers received %d numbers in order and missed %d"
                .formatted(
                        subscribers,
                        all.stream().mapToLong(seen -> seen.received).sum(),
                        all.stream().mapToLong(seen -> seen.missed).sum()));
    }
}

static void take(Endpoint publisher, Seen seen) {
    int got = publisher.poll(message -> {
        long number = message.segment().get(JAVA_LONG, 0);
        seen.missed += number - seen.next;
        seen.next = number + 1;
        seen.received++;
    });
    if (got == Endpoint.CLOSED_BY_PEER) {
        publisher.close();
    }
}
