// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public types and members of a library's exported packages, as text in a fixed order. */
final class PublicApi {
    private PublicApi() {}

    /** The source files of the exported packages of a module, package by package. */
    static List<Path> sources(String module) {
        return exportedPackages(module).stream()
                .map(name -> Pages.root().resolve(module + "/src/main/java").resolve(name.replace('.', '/')))
                .flatMap(folder -> Stream.of(folder.toFile().listFiles((_, name) -> name.endsWith(".java"))))
                .map(file -> file.toPath())
                .sorted()
                .toList();
    }

    /** The list of a module's public API, which is named as its artifact. */
    static Path list(String module) {
        return Pages.root().resolve("docs/api/rdma4j-" + shortName(module) + ".txt");
    }

    private static String shortName(String folder) {
        return folder.replaceFirst(".*/", "").replace("-ffm", "");
    }

    private static List<String> exportedPackages(String module) {
        String own = "io.github.rdma4j." + shortName(module);
        if (!Files.exists(Pages.root().resolve(module + "/src/main/java/module-info.java"))) {
            // Each package of an automatic module is exported, and ours has one.
            return List.of(own);
        }
        try (var descriptor = PublicApi.class
                .getClassLoader()
                .resources("module-info.class")
                .map(url -> {
                    try (var stream = url.openStream()) {
                        return ModuleDescriptor.read(stream);
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                })) {
            return descriptor
                    .filter(found -> found.name().equals(own))
                    .flatMap(found -> found.exports().stream())
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .sorted()
                    .toList();
        }
    }

    /** The public API of a module, a line for each type and member. */
    static String describe(String module) throws ClassNotFoundException {
        StringBuilder text = new StringBuilder();
        String before = "";
        for (Path source : sources(module)) {
            String name = Pages.root()
                    .resolve(module + "/src/main/java")
                    .relativize(source)
                    .toString()
                    .replace(".java", "")
                    .replace('/', '.');
            if (name.endsWith("package-info")) {
                continue;
            }
            Class<?> type = Class.forName(name, false, PublicApi.class.getClassLoader());
            if (Modifier.isPublic(type.getModifiers())) {
                if (!type.getPackageName().equals(before)) {
                    before = type.getPackageName();
                    text.append("\npackage ").append(before).append('\n');
                }
                describe(type, text);
            }
        }
        return text.toString().strip() + "\n";
    }

    private static void describe(Class<?> type, StringBuilder text) {
        text.append('\n').append(header(type)).append('\n');
        members(type)
                .filter(PublicApi::isVisible)
                .map(PublicApi::signature)
                .sorted()
                .forEach(line -> text.append("    ").append(line).append('\n'));
        Stream.of(type.getDeclaredClasses())
                .filter(nested -> isVisible(nested.getModifiers()))
                .sorted((one, other) -> one.getName().compareTo(other.getName()))
                .forEach(nested -> describe(nested, text));
    }

    private static Stream<AccessibleObject> members(Class<?> type) {
        Stream<AccessibleObject> members = Stream.of(type.getDeclaredConstructors());
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            members = Stream.of(members, Stream.of(owner.getDeclaredFields()), Stream.of(owner.getDeclaredMethods()))
                    .flatMap(part -> part);
            if (owner.getSuperclass() == null || isVisible(owner.getSuperclass().getModifiers())) {
                // Members of a visible superclass are listed with that class.
                break;
            }
        }
        return members;
    }

    private static String header(Class<?> type) {
        StringBuilder header = new StringBuilder(type.toGenericString());
        if (type.getGenericSuperclass() != null && type.getSuperclass() != Object.class) {
            header.append(" extends ").append(type.getGenericSuperclass().getTypeName());
        }
        header.append(list(" implements ", type.getGenericInterfaces()));
        if (type.isSealed()) {
            header.append(list(" permits ", type.getPermittedSubclasses()));
        }
        return shorten(header.toString());
    }

    private static String list(String before, Type[] types) {
        return types.length == 0
                ? ""
                : before + Stream.of(types).map(Type::getTypeName).collect(Collectors.joining(", "));
    }

    private static boolean isVisible(AccessibleObject object) {
        Member member = (Member) object;
        return isVisible(member.getModifiers()) && !member.isSynthetic();
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String signature(AccessibleObject object) {
        Member member = (Member) object;
        String signature = switch (member) {
            case Field field -> field.toGenericString();
            case Executable executable ->
                executable
                        .toGenericString()
                        .replaceFirst("\\(.*?\\)", Matcher.quoteReplacement(parameters(executable)));
            default -> throw new IllegalArgumentException(member.toString());
        };
        // The owner stands in the header.
        String owner = member.getDeclaringClass().getTypeName();
        return shorten(
                member instanceof Constructor<?>
                        ? signature.replace(
                                owner + "(", member.getDeclaringClass().getSimpleName() + "(")
                        : signature.replace(owner + "." + member.getName(), member.getName()));
    }

    /** With names, which the compiler keeps ({@code -parameters}). */
    private static String parameters(Executable executable) {
        return Stream.of(executable.getParameters())
                .map(parameter -> parameter.toString().replaceFirst("^(final)? ", ""))
                .collect(Collectors.joining(", ", "(", ")"));
    }

    /** Without the names of packages: types of the same name are rare, and lines short. */
    private static String shorten(String signature) {
        return signature
                .replaceAll("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])", "")
                .replace(",", ", ")
                .replaceAll(", +", ", ");
    }
}
