// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

import io.github.rdma4j.perftest.netlink.NetlinkException;
import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import io.github.rdma4j.perftest.netlink.NetlinkSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Queries the kernel for the queue pairs of all processes, as rdma(8) does. Needs no privileges. */
public final class Resources {
    // RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_…) of rdma/rdma_netlink.h
    private static final int DEVICES = (5 << 10) + 1;
    private static final int QUEUE_PAIRS = (5 << 10) + 10;

    // RDMA_NLDEV_ATTR_…
    private static final int DEVICE_INDEX = 1;
    private static final int DEVICE_NAME = 2;
    private static final int TABLE = 19;
    private static final int STATE = 27;
    /** Called PID there: the thread that has created it. */
    private static final int THREAD = 28;

    private static final int KERNEL_NAME = 29;

    /** The states from IBV_QPS_SQE on: the next one is IBV_QPS_ERR. */
    private static final int FAILED = 5;

    private static final Path PROCESSES = Path.of("/proc");

    /** In a name, these characters would move the cursor of the terminal. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}]");

    private static final Pattern PROCESS = Pattern.compile("(?m)^Tgid:\\s*(\\d+)$");

    private Resources() {}

    /**
     * A process.
     *
     * @param pid its number
     * @param name its name; empty if the process has ended
     */
    record Owner(long pid, String name) {}

    /**
     * Queries the kernel.
     *
     * @param only the only device to query; empty for all
     */
    public static Reading read(Optional<String> only) {
        List<QueuePairs> found = new ArrayList<>();
        // Read from /proc once, not for each of a process's many queue pairs.
        Map<Long, Owner> owners = new HashMap<>();
        try (NetlinkSocket socket = NetlinkSocket.toRdma()) {
            int sequence = 1;
            for (List<Attribute> device : dump(socket, DEVICES, sequence, 0, 0)) {
                String name = of(device, DEVICE_NAME).map(Attribute::text).orElse("");
                Optional<Attribute> index = of(device, DEVICE_INDEX);
                if (index.isEmpty() || only.isPresent() && !only.get().equals(name)) {
                    continue;
                }
                sequence++;
                dump(socket, QUEUE_PAIRS, sequence, DEVICE_INDEX, index.get().number())
                        .forEach(message -> add(
                                name, message, thread -> owners.computeIfAbsent(thread, Resources::processOf), found));
            }
            return new Reading(sorted(found), "");
        } catch (NetlinkException failure) {
            return new Reading(sorted(found), failure.getMessage());
        }
    }

    private static List<List<Attribute>> dump(NetlinkSocket socket, int kind, int sequence, int attribute, int number)
            throws NetlinkException {
        socket.send(NetlinkMessages.dump(kind, sequence, attribute, number));
        List<List<Attribute>> messages = new ArrayList<>();
        boolean done = false;
        while (!done) {
            // The attributes refer to the buffer that the next part overwrites, so copy it.
            done = NetlinkMessages.read(copy(socket.receive()), sequence, 0, messages);
        }
        return messages;
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    /** Adds the queue pairs of a message to the counts of their owners. */
    static void add(String device, List<Attribute> message, LongFunction<Owner> owners, List<QueuePairs> into) {
        for (Attribute table : message) {
            if (table.type() == TABLE) {
                table.nested().forEach(entry -> add(device, entry, owners, into));
            }
        }
    }

    private static void add(String device, Attribute entry, LongFunction<Owner> owners, List<QueuePairs> into) {
        List<Attribute> attributes = entry.nested();
        Owner owner = of(attributes, KERNEL_NAME)
                .map(name -> new Owner(0, name.text()))
                .or(() -> of(attributes, THREAD).map(thread -> owners.apply(thread.number())))
                .orElse(new Owner(QueuePairs.UNKNOWN, ""));
        boolean failed = of(attributes, STATE).map(Attribute::smallNumber).orElse(0) >= FAILED;
        QueuePairs one = new QueuePairs(device, owner.pid(), owner.name(), 1, failed ? 1 : 0);
        for (int i = 0; i < into.size(); i++) {
            QueuePairs known = into.get(i);
            if (known.isOf(one)) {
                into.set(
                        i,
                        new QueuePairs(
                                device, one.pid(), one.owner(), known.count() + 1, known.inError() + one.inError()));
                return;
            }
        }
        into.add(one);
    }

    private static Optional<Attribute> of(List<Attribute> attributes, int type) {
        return attributes.stream().filter(one -> one.type() == type).findFirst();
    }

    private static List<QueuePairs> sorted(List<QueuePairs> found) {
        return found.stream()
                .sorted(Comparator.comparing(QueuePairs::device)
                        .thenComparing(Comparator.comparing(QueuePairs::count).reversed())
                        .thenComparing(QueuePairs::pid))
                .toList();
    }

    private static Owner processOf(long thread) {
        return processOf(PROCESSES, thread);
    }

    /** The process of a thread, by the files below a folder as /proc. */
    static Owner processOf(Path processes, long thread) {
        try {
            Matcher process = PROCESS.matcher(text(processes, thread, "status"));
            long pid = process.find() ? Long.parseLong(process.group(1)) : thread;
            String name = text(processes, pid, "comm");
            return new Owner(pid, UNPRINTABLE.matcher(name.strip()).replaceAll("?"));
        } catch (IOException _) {
            return new Owner(thread, "");
        }
    }

    /** A process names itself, with any bytes; the kernel cuts a name after 15 of them, within a character. */
    private static String text(Path processes, long number, String file) throws IOException {
        return new String(
                Files.readAllBytes(processes.resolve(Long.toString(number)).resolve(file)), StandardCharsets.UTF_8);
    }
}
