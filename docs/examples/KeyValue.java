// A key-value store whose values are read without its processor: clients fetch entries with one-sided READs.
//
//   java -cp verbs-ffm/target/classes:verbs-ffm/base/target/classes docs/examples/KeyValue.java server 10.0.0.1 7471
//   clients: put 10.0.0.1 7471 KEY VALUE, get 10.0.0.1 7471 KEY
//            hammer 10.0.0.1 7471 COUNT     (reads while another connection writes)
//
// Puts are messages. The table is exposed memory: the key says which entry to read. An adapter may read an entry while
// the server writes it, so each has a version, odd during a write, and a checksum over version, key and value: what
// does not fit is read again.

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32;

static final int ENTRIES = 4096;
static final int ENTRY_SIZE = 256; // version (8), checksum (4), length of the key (2), of the value (2), key, value
static final int VERSION = 0;
static final int CHECKSUM = 8;
static final int KEY_LENGTH = 12;
static final int VALUE_LENGTH = 14;
static final int DATA = 16;
static final int MAX_DATA = ENTRY_SIZE - DATA;
static final Duration TIMEOUT = Duration.ofMinutes(2);

void main(String... args) throws Exception {
    if (args.length < 3) {
        throw new IllegalArgumentException("usage: KeyValue server|put|get|hammer ADDRESS PORT [KEY [VALUE] | COUNT]");
    }
    var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    switch (args[0]) {
        case "server" -> serve(address);
        case "put" -> {
            try (var client = new Client(address)) {
                client.put(args[3], args[4]);
            }
        }
        case "get" -> {
            try (var client = new Client(address)) {
                IO.println(client.get(args[3]).orElse("(no such key)"));
            }
        }
        case "hammer" -> hammer(address, Integer.parseInt(args[3]));
        default -> throw new IllegalArgumentException("unknown command " + args[0]);
    }
}

/** Stores the puts of all clients in one table, which the clients read directly. */
void serve(InetSocketAddress address) {
    try (var server = EndpointServer.bind(address);
            var table = server.expose((long) ENTRIES * ENTRY_SIZE, REMOTE_READ);
            var clients = Executors.newVirtualThreadPerTaskExecutor()) {
        IO.println("serving at " + server.address());
        while (true) {
            server.accept(TIMEOUT)
                    .ifPresent(client -> clients.submit(() -> serve(client, table.segment(), table.handle())));
        }
    }
}

void serve(Endpoint client, MemorySegment table, MemoryHandle handle) {
    try (client) {
        client.send(handle.toBytes(), TIMEOUT);
        while (true) {
            // A put is the key's length, the key, and the value.
            client.receive(message -> store(table, message.segment()), Duration.ofDays(365));
            client.send(new byte[] {1}, TIMEOUT);
        }
    } catch (ClosedByPeerException e) {
        IO.println("a client has gone");
    } catch (ConnectionLostException e) {
        IO.println("a client was lost: " + e.reason());
    }
}

synchronized void store(MemorySegment table, MemorySegment put) {
    int keyLength = put.get(JAVA_BYTE, 0);
    byte[] key = put.asSlice(1, keyLength).toArray(JAVA_BYTE);
    MemorySegment value = put.asSlice(1 + keyLength);
    for (int probe = 0; probe < ENTRIES; probe++) {
        MemorySegment entry = table.asSlice(offset(key, probe), ENTRY_SIZE);
        long version = entry.get(JAVA_LONG, VERSION);
        if (version == 0 || Arrays.equals(key(entry), key)) {
            entry.set(JAVA_LONG, VERSION, version + 1);
            VarHandle.fullFence(); // from here on, readers know
            entry.set(JAVA_SHORT, KEY_LENGTH, (short) keyLength);
            entry.set(JAVA_SHORT, VALUE_LENGTH, (short) value.byteSize());
            MemorySegment.copy(put, 1, entry, DATA, put.byteSize() - 1);
            entry.set(JAVA_INT, CHECKSUM, checksum(entry, version + 2));
            VarHandle.fullFence();
            entry.set(JAVA_LONG, VERSION, version + 2);
            return;
        }
    }
    throw new IllegalStateException("the table is full");
}

static long offset(byte[] key, int probe) {
    return Math.floorMod(Arrays.hashCode(key) + probe, ENTRIES) * (long) ENTRY_SIZE;
}

static byte[] key(MemorySegment entry) {
    return entry.asSlice(DATA, Math.clamp(entry.get(JAVA_SHORT, KEY_LENGTH), 0, MAX_DATA)).toArray(JAVA_BYTE);
}

static int checksum(MemorySegment entry, long version) {
    var crc = new CRC32();
    int length = entry.get(JAVA_SHORT, KEY_LENGTH) + entry.get(JAVA_SHORT, VALUE_LENGTH);
    crc.update(entry.asSlice(KEY_LENGTH, 4 + Math.clamp(length, 0, MAX_DATA)).asByteBuffer());
    return (int) crc.getValue() ^ Long.hashCode(version);
}

static final class Client implements AutoCloseable {
    private final Endpoint endpoint;
    private final MemoryHandle table;
    private final MemoryRegion local;
    long readAgain;

    Client(InetSocketAddress address) {
        endpoint = Endpoint.connect(address, TIMEOUT);
        table = MemoryHandle.fromBytes(endpoint.receive(TIMEOUT).orElseThrow());
        local = endpoint.allocateMemory(ENTRY_SIZE);
    }

    void put(String key, String value) {
        byte[] keyBytes = key.getBytes(UTF_8);
        byte[] valueBytes = value.getBytes(UTF_8);
        if (keyBytes.length > 127 || keyBytes.length + valueBytes.length > MAX_DATA) {
            throw new IllegalArgumentException("a key has at most 127 bytes, key and value " + MAX_DATA);
        }
        var put = ByteBuffer.allocate(1 + keyBytes.length + valueBytes.length);
        put.put((byte) keyBytes.length).put(keyBytes).put(valueBytes);
        endpoint.send(put.array(), TIMEOUT);
        endpoint.receive(TIMEOUT).orElseThrow(() -> new IllegalStateException("the server does not answer"));
    }

    Optional<String> get(String key) {
        byte[] keyBytes = key.getBytes(UTF_8);
        MemorySegment entry = local.segment();
        for (int probe = 0; probe < ENTRIES; probe++) {
            long version;
            do { // until the entry is whole
                endpoint.transfers().read(local.slice(), table.slice(offset(keyBytes, probe), ENTRY_SIZE), TIMEOUT);
                version = entry.get(JAVA_LONG, VERSION);
                readAgain++;
            } while (version != 0 && (version % 2 != 0 || entry.get(JAVA_INT, CHECKSUM) != checksum(entry, version)));
            readAgain--;
            if (version == 0) {
                return Optional.empty();
            }
            if (Arrays.equals(key(entry), keyBytes)) {
                byte[] value = entry.asSlice(DATA + keyBytes.length, entry.get(JAVA_SHORT, VALUE_LENGTH))
                        .toArray(JAVA_BYTE);
                return Optional.of(new String(value, UTF_8));
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        endpoint.close();
    }
}

/** One thread puts values of one repeated letter, of many lengths; another must never see two letters in one. */
void hammer(InetSocketAddress address, int count) throws Exception {
    try (var writer = new Client(address);
            var reader = new Client(address);
            var executor = Executors.newSingleThreadExecutor()) {
        writer.put("hammer", "a");
        var writing = executor.submit(() -> {
            for (int i = 0; i < count; i++) {
                writer.put("hammer", String.valueOf((char) ('a' + i % 26)).repeat(1 + i * 7 % 200));
            }
        });
        long reads = 0;
        long wrong = 0;
        do {
            wrong += reader.get("hammer").orElseThrow().chars().distinct().count() == 1 ? 0 : 1;
            reads++;
        } while (!writing.isDone());
        writing.get();
        IO.println("%d reads during %d puts, %d read again, %d wrong".formatted(reads, count, reader.readAgain, wrong));
    }
}
