// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.github.rdma4j.base.TimeText;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every setter that takes a time takes any time, or refuses it with its value. They are found by reflection. */
class DurationArgumentsTest {
    private static final List<Duration> NEGATIVE =
            List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(-100), Duration.ofNanos(-1));
    private static final Duration MAX = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    private static List<Method> setters() throws IOException {
        Path classes = Path.of("target/classes");
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith("Config.class"))
                    .map(file -> load(file.substring(0, file.length() - 6).replace('/', '.')))
                    .flatMap(type -> Arrays.stream(type.getMethods()))
                    .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Duration.class}))
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

    private static Throwable failure(Method setter, Duration time) throws ReflectiveOperationException {
        Constructor<?> constructor = setter.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        Object config = constructor.newInstance();
        return catchThrowable(() -> setter.invoke(config, time)) instanceof InvocationTargetException e
                ? e.getCause()
                : null;
    }

    @TestFactory
    Stream<DynamicTest> everyTimeIsTakenOrRefusedWithItsValue() throws IOException {
        return setters().stream()
                .map(setter -> dynamicTest(setter.getDeclaringClass().getSimpleName() + "." + setter.getName(), () -> {
                    for (Duration time : NEGATIVE) {
                        assertThat(failure(setter, time))
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining(TimeText.of(time));
                    }
                    Throwable ofMax = failure(setter, MAX);
                    if (ofMax != null) {
                        assertThat(ofMax)
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining(TimeText.of(MAX));
                    }
                    assertThat(failure(setter, null)).isInstanceOf(NullPointerException.class);
                }));
    }

    @Test
    void settersAreFound() throws IOException {
        assertThat(setters().stream().map(setter -> setter.getDeclaringClass().getSimpleName()))
                .contains(
                        "StreamChannelConfig", "DevicePoolConfig", "StreamProxyConfig", "StorageConfig", "NcclConfig");
    }
}
