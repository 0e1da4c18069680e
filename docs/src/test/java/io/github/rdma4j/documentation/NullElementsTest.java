// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A null element in an argument is refused by the call that receives it, and the message names the element. A null that
 * is kept would fail later, far from its cause. These tests cover the calls that need no device: static methods and
 * methods of configurations.
 */
class NullElementsTest {
    /** They begin with a library or a device that this machine need not have. */
    private static final Set<String> NEED_MORE = Set.of("NcclCommunicator.initAll");

    /** One of the smallest values of a type; null if none is known. */
    private static Object sample(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return switch (type.getName()) {
            case "boolean" -> false;
            case "byte" -> (byte) 1;
            case "int" -> 1;
            case "long" -> 1L;
            case "double" -> 1.0;
            case "java.lang.String" -> "1";
            case "java.nio.file.Path" -> Pages.root();
            case "java.util.List" -> List.of();
            case "java.util.Set" -> Set.of();
            case "java.util.Optional" -> Optional.empty();
            case "java.util.OptionalLong" -> OptionalLong.empty();
            case "java.time.Duration" -> Duration.ofMillis(1);
            case "java.net.InetSocketAddress" -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            case "[B" -> new byte[16];
            case "java.lang.foreign.MemorySegment" -> Arena.ofAuto().allocate(1024);
            default -> other(type);
        };
    }

    private static Object other(Class<?> type) {
        if (type.isRecord()) {
            return newRecord(type, -1);
        }
        if (type.isInterface() && !type.isSealed()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> null);
        }
        return Stream.concat(Stream.of(type.getMethods()), Stream.of(type.getFields()))
                .filter(member -> Modifier.isStatic(member.getModifiers()))
                .flatMap(member -> NullElementsTest.<Object>value(member, type).stream())
                .findFirst()
                .orElse(null);
    }

    private static Optional<Object> value(java.lang.reflect.Member member, Class<?> type) {
        try {
            return switch (member) {
                case java.lang.reflect.Field field when field.getType() == type -> Optional.of(field.get(null));
                case Method method
                when method.getReturnType() == type && method.getParameterCount() == 0 ->
                    Optional.of(method.invoke(null));
                default -> Optional.empty();
            };
        } catch (ReflectiveOperationException e) {
            return Optional.empty();
        }
    }

    private static Object newRecord(Class<?> type, int without) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] values = Arrays.stream(types).map(NullElementsTest::sample).toArray();
        if (without >= 0) {
            values[without] = null;
        }
        try {
            return type.getConstructor(types).newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Of an array or a collection of objects, one that has a null; null for other types. */
    private static Object withNull(Class<?> type) {
        if (type.isArray()) {
            Class<?> element = type.getComponentType();
            return element.isPrimitive() ? null : Array.newInstance(element, 1);
        }
        if (!Collection.class.isAssignableFrom(type)) {
            return null;
        }
        return type == Set.class ? Collections.singleton(null) : Collections.singletonList(null);
    }

    private static Optional<Object> configuration(Class<?> type) {
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            Object[] arguments = Arrays.stream(constructor.getParameterTypes())
                    .map(NullElementsTest::sample)
                    .toArray();
            if (Arrays.stream(arguments).allMatch(argument -> argument != null)) {
                try {
                    constructor.setAccessible(true);
                    return Optional.of(constructor.newInstance(arguments));
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(type.getName(), e);
                }
            }
        }
        return Optional.empty();
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, NullElementsTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Class<?>> types(String module) {
        return PublicApi.sources(module).stream()
                .map(file -> Pages.root()
                        .resolve(module + "/src/main/java")
                        .relativize(file)
                        .toString()
                        .replace(".java", "")
                        .replace('/', '.'))
                .filter(name -> !name.endsWith("package-info"))
                .<Class<?>>map(NullElementsTest::load)
                .filter(type -> Modifier.isPublic(type.getModifiers()));
    }

    /** Returns the mistake in the answer to a null, or an empty string. */
    private static String complaint(Executable call, Object target, int nullAt) {
        Object[] arguments = Arrays.stream(call.getParameterTypes())
                .map(NullElementsTest::sample)
                .toArray();
        arguments[nullAt] = withNull(call.getParameterTypes()[nullAt]);
        try {
            Object made = ((Method) call).invoke(target, arguments);
            return "accepted: " + made;
        } catch (InvocationTargetException e) {
            return isNamed(e.getCause()) ? "" : e.getCause().toString();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Not the JVM's own words of a place within the library. */
    private static boolean isNamed(Throwable failure) {
        return failure instanceof NullPointerException
                && failure.getMessage() != null
                && !failure.getMessage().startsWith("Cannot ");
    }

    private static int parameterWithElements(Method method) {
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (withNull(method.getParameterTypes()[i]) != null) {
                return i;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs-ffm", "gpudirect"})
    void nullElementIsRefusedAndNamed(String module) {
        Set<String> asked = new TreeSet<>();
        Set<String> complaints = new TreeSet<>();
        types(module).forEach(type -> {
            Optional<Object> target = type.getSimpleName().endsWith("Config") ? configuration(type) : Optional.empty();
            for (Method method : type.getMethods()) {
                boolean isStatic = Modifier.isStatic(method.getModifiers());
                String name = type.getSimpleName() + "." + method.getName();
                int place = method.getDeclaringClass() == type ? parameterWithElements(method) : -1;
                if (place >= 0 && (isStatic || target.isPresent()) && !NEED_MORE.contains(name)) {
                    asked.add(name);
                    String complaint = complaint(method, isStatic ? null : target.orElseThrow(), place);
                    if (!complaint.isEmpty()) {
                        complaints.add(name + ": " + complaint);
                    }
                }
            }
        });
        System.out.println(module + ": null elements were given to " + asked);
        assertThat(complaints).isEmpty();
        assertThat(asked).hasSizeGreaterThan(2);
    }

    /** An object that a static method created with a null would fail later, far from the cause. */
    @ParameterizedTest
    @ValueSource(strings = {"verbs-ffm", "cuda-ffm", "gpudirect"})
    void nothingIsMadeOfANull(String module) {
        Set<String> asked = new TreeSet<>();
        Set<String> made = new TreeSet<>();
        types(module).flatMap(type -> Arrays.stream(type.getMethods())).forEach(method -> {
            for (int i = 0; i < method.getParameterCount(); i++) {
                if (!Modifier.isStatic(method.getModifiers()) || method.getParameterTypes()[i].isPrimitive()) {
                    continue;
                }
                String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
                Object[] arguments = Arrays.stream(method.getParameterTypes())
                        .map(NullElementsTest::sample)
                        .toArray();
                arguments[i] = null;
                asked.add(name);
                try {
                    made.add(name + ", parameter " + (i + 1) + ": " + method.invoke(null, arguments));
                } catch (InvocationTargetException e) {
                    // The call refused the null, or a device or a library is missing.
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(name, e);
                }
            }
        });
        System.out.println(module + ": null was given to " + asked);
        assertThat(made).isEmpty();
        assertThat(asked).hasSizeGreaterThan(2);
    }

    /** A configuration keeps its values, so the setter is the last call that a null can be blamed on. */
    @ParameterizedTest
    @ValueSource(strings = {"verbs-ffm", "gpudirect"})
    void configurationKeepsNoNull(String module) {
        Set<String> asked = new TreeSet<>();
        Set<String> kept = new TreeSet<>();
        types(module).filter(type -> type.getSimpleName().endsWith("Config")).forEach(type -> {
            for (Method setter : type.getMethods()) {
                Optional<Object> target = configuration(type);
                boolean takesOne = setter.getParameterCount() == 1 && !setter.getParameterTypes()[0].isPrimitive();
                if (!takesOne || setter.getReturnType() != type || target.isEmpty()) {
                    continue;
                }
                String name = type.getSimpleName() + "." + setter.getName();
                asked.add(name);
                try {
                    setter.invoke(target.get(), (Object) null);
                    kept.add(name);
                } catch (InvocationTargetException e) {
                    assertThat(e).as(name).hasCauseInstanceOf(NullPointerException.class);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(name, e);
                }
            }
        });
        System.out.println(module + ": null was given to " + asked);
        assertThat(kept).isEmpty();
        assertThat(asked).hasSizeGreaterThan(4);
    }

    /** Values that programs make and give to the library; others are its answers. */
    @Test
    void valueThatProgramsMakeHasNoNull() {
        Set<String> complaints = new TreeSet<>();
        for (String name : List.of(
                "verbs.AddressHandleAttributes",
                "verbs.GlobalRoute",
                "verbs.EthernetAddress",
                "verbs.QueuePairEndpoint",
                "verbs.cm.DatagramParameters",
                "verbs.endpoint.MemoryHandle",
                "gpudirect.Bar1Memory")) {
            Class<?> type = load("io.github.rdma4j." + name);
            RecordComponent[] components = type.getRecordComponents();
            for (int i = 0; i < components.length; i++) {
                if (components[i].getType().isPrimitive()) {
                    continue;
                }
                try {
                    complaints.add(name + "." + components[i].getName() + ": accepted, " + newRecord(type, i));
                } catch (RuntimeException e) {
                    if (!isNamed(e)) {
                        complaints.add(name + "." + components[i].getName() + ": " + e);
                    }
                }
            }
        }
        assertThat(complaints).isEmpty();
    }
}
