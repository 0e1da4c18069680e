// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import io.github.rdma4j.verbs.bindings.rdma_cm_event;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * The native objects that calls have created and not ended. A creating function is recognized by its name and returns a
 * pointer or a descriptor. An ending function is also recognized by its name and takes it first. This counts what the
 * kernel does not count (address handles, windows, lists), and sees a second release before it crashes.
 */
final class NativeObjects {
    private static final Pattern MAKES =
            Pattern.compile("(alloc|create|open|reg|import)_.*|get_device_list|get_devices");
    private static final Pattern ENDS =
            Pattern.compile("(dealloc|destroy|close|dereg|unimport|free)_.*|freeaddrinfo|ack_cm_event");
    private static final Pattern PREFIX = Pattern.compile("^(.*\\.)?_?(ibv_|rdma_|efadv_)?");
    private static final Set<String> LIBEFA_FREES = Set.of("ibv_destroy_cq", "ibv_destroy_qp");
    private static final int DUPLICATE_DESCRIPTOR = 1030;
    private static final int CONNECT_REQUEST = 4;

    /** The live objects, by address or descriptor, with the call that created each. */
    private static final Map<Object, String> LIVE = new ConcurrentHashMap<>();

    /**
     * The number of multicast groups that each id of rdma_cm has joined, which the kernel does not count by process.
     */
    private static final Map<Object, Integer> JOINED = new ConcurrentHashMap<>();

    /** A mapping may also be unmapped in parts. */
    private static final AtomicLong MAPPED_BYTES = new AtomicLong();

    private NativeObjects() {}

    private record Descriptor(int number) {}

    /** close(2) on Linux: the descriptor is free also when it reports a failure. So are libefa's queues. */
    static boolean endsEvenInFailure(String function) {
        return function.equals("close") || Holdings.STAND_IN && LIBEFA_FREES.contains(function);
    }

    private static boolean matches(Pattern pattern, String function) {
        return pattern.matcher(PREFIX.matcher(function).replaceFirst("")).matches();
    }

    static boolean ends(String function) {
        return matches(ENDS, function);
    }

    /** Returns the native object that a call is about to end, or null. */
    private static Object ended(String function, Object[] arguments) {
        if (function.equals("close")) {
            return new Descriptor((int) arguments[0]);
        }
        if (ends(function)) {
            return arguments[0] instanceof MemorySegment segment ? (Object) segment.address() : arguments[0];
        }
        return null;
    }

    /**
     * Takes down what a call is about to end, and refuses what would free twice. Before the call: behind it, another
     * thread may have made an object at the same address.
     *
     * @return what made the object, for {@link #after}; null if the call ends nothing
     */
    static String before(String function, Object[] arguments) {
        Object object = ended(function, arguments);
        if (object == null) {
            return null;
        }
        String maker = LIVE.remove(object);
        if (maker == null) {
            throw new AssertionError(
                    "%s of what is not there (%s): it was released before".formatted(function, object));
        }
        return maker;
    }

    /**
     * Notes what a call has made, and notes again what it should have ended and did not.
     *
     * @param maker what {@link #before} returned
     */
    static void after(String function, Object[] arguments, Object answer, String maker) {
        Object object = ended(function, arguments);
        if (object != null) {
            if (function.equals("rdma_destroy_id") && ((Number) answer).longValue() == 0) {
                JOINED.remove(object);
            }
            if (answer != null && ((Number) answer).longValue() != 0 && !endsEvenInFailure(function)) {
                LIVE.put(object, maker);
            }
            return;
        }
        switch (function) {
            case "open", "socket", "accept4", "eventfd", "epoll_create1", "syscall" ->
                descriptor(function, ((Number) answer).intValue());
            case "fcntl" -> {
                if ((int) arguments[1] == DUPLICATE_DESCRIPTOR) {
                    descriptor(function, (int) answer);
                }
            }
            case "mmap" -> MAPPED_BYTES.addAndGet((long) answer == -1 ? 0 : (long) arguments[1]);
            case "munmap" -> MAPPED_BYTES.addAndGet((int) answer == 0 ? -(long) arguments[1] : 0);
            case "rdma_join_multicast", "rdma_join_multicast_ex" -> joined(arguments[0], answer, 1);
            case "rdma_leave_multicast" -> joined(arguments[0], answer, -1);
            case "rdma_create_id" -> madeAt(function, arguments[1], answer);
            case "rdma_getaddrinfo" -> madeAt(function, arguments[3], answer);
            case "rdma_get_cm_event" -> event(function, arguments[1], answer);
            default -> {
                if (answer instanceof MemorySegment segment && matches(MAKES, function)) {
                    made(function, segment.address());
                    learn(function, segment.address());
                }
            }
        }
    }

    private static void learn(String function, long address) {
        if (address == 0) {
            return;
        }
        if (function.equals("ibv_open_device") || function.equals("ibv_import_device")) {
            Pointers.learnContext(address);
        } else if (function.endsWith("create_cq_ex") || function.equals("efadv_create_cq")) {
            Pointers.learnQueue(address);
        } else if (function.endsWith("create_qp_ex")) {
            Pointers.learnQueuePair(address);
        }
    }

    private static void descriptor(String function, int number) {
        if (number >= 0) {
            LIVE.put(new Descriptor(number), function);
        }
    }

    private static void joined(Object id, Object answer, int more) {
        if (((Number) answer).longValue() == 0) {
            JOINED.merge(id instanceof MemorySegment segment ? (Object) segment.address() : id, more, Integer::sum);
        }
    }

    private static void made(String function, long address) {
        if (address != 0) {
            LIVE.put(address, function);
        }
    }

    private static long madeAt(String function, Object place, Object answer) {
        if ((int) answer != 0) {
            return 0;
        }
        long address = ((MemorySegment) place).reinterpret(Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
        made(function, address);
        return address;
    }

    /** A request brings an id along. */
    private static void event(String function, Object place, Object answer) {
        long address = madeAt(function, place, answer);
        if (address != 0) {
            MemorySegment event = MemorySegment.ofAddress(address).reinterpret(rdma_cm_event.sizeof());
            if (rdma_cm_event.event(event) == CONNECT_REQUEST) {
                made("a request", rdma_cm_event.id(event).address());
            }
        }
    }

    /** Returns the number of live objects, by the call that created them. */
    static Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        counts.put("bytes mapped", MAPPED_BYTES.intValue());
        counts.put(
                "multicast groups joined",
                JOINED.values().stream().mapToInt(Integer::intValue).sum());
        LIVE.values().forEach(function -> counts.merge(function, 1, Integer::sum));
        return counts;
    }
}
