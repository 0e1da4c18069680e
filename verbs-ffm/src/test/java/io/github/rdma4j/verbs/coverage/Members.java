// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.coverage;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Looks up a {@code Class.method} of the pages. The class has its name after {@code io.github.rdma4j.verbs}. */
final class Members {
    private static final String BASE = "io.github.rdma4j.verbs.";
    private static final Set<String> TEST_ANNOTATIONS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

    private Members() {}

    /** Whether a public class of the API has a public method, constructor ({@code new}) or constant of that name. */
    static boolean isApi(String reference) {
        return type(reference)
                .filter(type -> Modifier.isPublic(type.getModifiers()))
                .filter(type -> Stream.of(type.getMethods())
                                .anyMatch(method -> method.getName().equals(member(reference)))
                        || Stream.of(type.getFields())
                                .anyMatch(field -> field.getName().equals(member(reference))))
                .isPresent();
    }

    /** Whether a class of the tests has a test of that name. */
    static boolean isTest(String reference) {
        return type(reference).stream()
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> method.getName().equals(member(reference)))
                .anyMatch(Members::isTest);
    }

    private static boolean isTest(Method method) {
        return Arrays.stream(method.getAnnotations())
                .map(Annotation::annotationType)
                .map(Class::getSimpleName)
                .anyMatch(TEST_ANNOTATIONS::contains);
    }

    private static String member(String reference) {
        return reference.substring(reference.lastIndexOf('.') + 1);
    }

    private static Optional<Class<?>> type(String reference) {
        int dot = reference.lastIndexOf('.');
        if (dot < 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    Class.forName(BASE + reference.substring(0, dot), false, Members.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }
}
