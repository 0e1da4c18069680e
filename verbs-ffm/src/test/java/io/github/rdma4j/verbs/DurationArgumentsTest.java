// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.endpoint.Reconnector;
import io.github.rdma4j.verbs.endpoint.TransferHandler;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every public method with a time argument accepts any time: it works, or throws an {@link IllegalArgumentException}
 * that names the time. The methods are found by reflection.
 */
class DurationArgumentsTest {
    private static final Duration MIN = Duration.ofSeconds(Long.MIN_VALUE);
    private static final Duration MAX = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final String ROOT = "io.github.rdma4j.verbs";

    /** Their objects need a device. They get their nanoseconds from one place, which its own test covers. */
    private static final Set<String> OF_DEVICES = Set.of(
            "DeviceContext",
            "CompletionChannel",
            "CompletionQueue",
            "ExtendedCompletionQueue",
            "SynchronousId",
            "ConnectionId",
            "EventChannel",
            "CmAddress");

    private static EndpointServer server;
    private static Endpoint client;
    private static Endpoint atServer;
    private static MemoryRegion local;
    private static final Map<Class<?>, Object> OBJECTS = new HashMap<>();
    private static final Map<Class<?>, Object> ARGUMENTS = new HashMap<>();

    @BeforeAll
    static void connect() {
        Consumer<EndpointConfig> tcp = config -> config.transport(Transport.TCP);
        server = EndpointServer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tcp);
        CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                () -> server.accept(Duration.ofMinutes(1)).orElseThrow());
        client = Endpoint.connect(server.address(), tcp, Duration.ofMinutes(1));
        atServer = accepted.join();
        local = client.allocateMemory(8);
        OBJECTS.put(EndpointServer.class, server);
        OBJECTS.put(Endpoint.class, client);
        OBJECTS.put(client.transfers().getClass(), client.transfers());
        OBJECTS.put(EndpointSelector.class, EndpointSelector.open());
        OBJECTS.put(EventPoller.class, EventPoller.open());
        OBJECTS.put(
                Reconnector.class,
                Reconnector.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), tcp, retry -> {}));
        MemoryHandle there = atServer.expose(
                        8, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .handle();
        ARGUMENTS.put(byte[].class, new byte[1]);
        ARGUMENTS.put(MemorySegment.class, MemorySegment.ofArray(new byte[1]));
        ARGUMENTS.put(ByteBuffer.class, ByteBuffer.allocate(1));
        ARGUMENTS.put(List.class, List.of(MemorySegment.ofArray(new byte[1])));
        ARGUMENTS.put(MessageHandler.class, (MessageHandler) message -> {});
        ARGUMENTS.put(TransferHandler.class, (TransferHandler) (id, original, failure) -> {});
        ARGUMENTS.put(MemorySlice.class, local.slice());
        ARGUMENTS.put(MemoryHandle.class, there);
        ARGUMENTS.put(AccessFlag[].class, new AccessFlag[] {AccessFlag.REMOTE_READ});
        ARGUMENTS.put(InetSocketAddress.class, server.address());
        ARGUMENTS.put(Consumer.class, (Consumer<Object>) object -> {});
        ARGUMENTS.put(long.class, 0L);
        ARGUMENTS.put(int.class, 0);
    }

    @AfterAll
    static void close() throws Exception {
        for (Object object : OBJECTS.values()) {
            if (object instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
        atServer.close();
        local.close();
    }

    /** The public methods of public types outside the internal packages. */
    private static List<Method> methods() throws IOException {
        Path classes = Path.of("target/classes");
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("internal") && !file.contains("-info"))
                    .map(file -> file.substring(0, file.length() - 6).replace('/', '.'))
                    .filter(name -> name.startsWith(ROOT))
                    .map(DurationArgumentsTest::load)
                    .filter(type -> Modifier.isPublic(type.getModifiers()) && !type.isRecord())
                    .flatMap(type -> Arrays.stream(type.getMethods()))
                    .filter(method -> Arrays.asList(method.getParameterTypes()).contains(Duration.class))
                    .filter(method -> !method.isBridge())
                    .distinct()
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, DurationArgumentsTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isSetter(Method method) {
        return method.getDeclaringClass().getSimpleName().endsWith("Config");
    }

    @TestFactory
    Stream<DynamicTest> everyTimeIsTakenOrRefusedWithItsValue() throws IOException {
        return methods().stream()
                .filter(method ->
                        !OF_DEVICES.contains(method.getDeclaringClass().getSimpleName()))
                // The others need what it closes.
                .sorted(Comparator.comparing(method -> method.getName().equals("close")))
                .map(method -> dynamicTest(
                        method.getDeclaringClass().getSimpleName() + "." + method.getName()
                                + Arrays.toString(method.getParameterTypes()),
                        () -> {
                            List<Duration> times = isSetter(method)
                                    ? List.of(MIN, Duration.ofNanos(-1), Duration.ZERO, MAX)
                                    : List.of(MIN, Duration.ofNanos(-1));
                            for (Duration time : times) {
                                check(method, time);
                            }
                            assertThat(failure(method, null)).as("null").isInstanceOf(NullPointerException.class);
                        }));
    }

    private static void check(Method method, Duration time) throws ReflectiveOperationException {
        Throwable failure = failure(method, time);
        if (failure instanceof IllegalArgumentException) {
            assertThat(failure).hasMessageContaining(TimeText.of(time));
        } else if (failure != null) {
            assertThat(failure).as(TimeText.of(time)).isInstanceOf(VerbsException.class);
        }
        if (isSetter(method) && time.isNegative() && !method.getName().equals("closeTimeout")) {
            assertThat(failure).as(TimeText.of(time)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Throwable failure(Method method, Duration time) throws ReflectiveOperationException {
        Object target = Modifier.isStatic(method.getModifiers()) ? null : target(method.getDeclaringClass());
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == Duration.class ? time : argument(method, type))
                .toArray();
        Throwable thrown = catchThrowable(() -> {
            Object result = method.invoke(target, arguments);
            // Closing a channel would close its endpoint.
            if (result instanceof AutoCloseable closeable && !(result instanceof Channel)) {
                closeable.close();
            }
        });
        return thrown instanceof InvocationTargetException e ? e.getCause() : thrown;
    }

    private static Object argument(Method method, Class<?> type) {
        assertThat(ARGUMENTS).as("arguments of " + method).containsKey(type);
        boolean size = type == long.class && method.getName().equals("grant");
        return size ? (Long) 8L : ARGUMENTS.get(type);
    }

    private static Object target(Class<?> type) throws ReflectiveOperationException {
        for (Map.Entry<Class<?>, Object> object : OBJECTS.entrySet()) {
            if (type.isInstance(object.getValue())) {
                return object.getValue();
            }
        }
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    @Test
    void methodsAreFound() throws IOException {
        assertThat(methods().stream().map(method -> method.getDeclaringClass().getSimpleName()))
                .contains("EndpointConfig", "ReconnectConfig", "PoolConfig", "Endpoint", "Transfers", "EventPoller")
                .containsAll(OF_DEVICES);
    }
}
