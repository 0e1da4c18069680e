// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.bindings;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A struct that jextract generated. The structs and constants are found in the compiled package, so there is no list to
 * maintain.
 *
 * @param kind {@code struct} or {@code union}
 * @param name its tag
 * @param size in bytes
 * @param alignment in bytes
 * @param fields where each field lies; a field of a nested struct has the struct's name and a dot before its own
 */
public record GeneratedStruct(String kind, String name, long size, long alignment, Map<String, Extent> fields) {
    /** One that is no union. */
    public GeneratedStruct(String name, long size, long alignment, Map<String, Extent> fields) {
        this("struct", name, size, alignment, fields);
    }

    /** A field's place, in bytes from the beginning of its struct. */
    public record Extent(long offset, long size) {}

    /** All of them. */
    public static List<GeneratedStruct> all() {
        return all(CudaHeaders.class);
    }

    /** All structs of another package, such as cuFile's. */
    public static List<GeneratedStruct> all(Class<?> headers) {
        return classes(headers)
                .map(GeneratedStruct::layoutOf)
                .flatMap(List::stream)
                .map(GeneratedStruct::of)
                .toList();
    }

    /** The names of the classes of function pointers, such as {@code PFN_cuInit_v2000}. */
    public static List<String> functionTypes() {
        return functionTypes(CudaHeaders.class);
    }

    /** The function types of another package. */
    public static List<String> functionTypes(Class<?> headers) {
        return classes(headers)
                .map(Class::getSimpleName)
                .filter(name -> name.startsWith("PFN_"))
                .toList();
    }

    /** Every constant's name and value. */
    public static SortedMap<String, Number> constants() {
        return constants(CudaHeaders.class);
    }

    /** The constants of another class. */
    public static SortedMap<String, Number> constants(Class<?> headers) {
        SortedMap<String, Number> found = new TreeMap<>();
        for (Method method : headers.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 0) {
                found.put(method.getName(), (Number) invoke(method));
            }
        }
        return found;
    }

    private static GeneratedStruct of(GroupLayout layout) {
        Map<String, Extent> fields = new TreeMap<>();
        addFields(layout, "", 0, fields);
        String kind = layout instanceof UnionLayout ? "union" : "struct";
        return new GeneratedStruct(
                kind, layout.name().orElseThrow(), layout.byteSize(), layout.byteAlignment(), fields);
    }

    private static void addFields(GroupLayout layout, String prefix, long base, Map<String, Extent> fields) {
        for (MemoryLayout member : layout.memberLayouts()) {
            // Padding has no name.
            member.name().ifPresent(name -> {
                long offset = base + layout.byteOffset(PathElement.groupElement(name));
                // An unnamed union has a name in the bindings only; in C its members belong to the struct around it.
                boolean unnamed = name.startsWith("$anon$");
                if (!unnamed) {
                    fields.put(prefix + name, new Extent(offset, member.byteSize()));
                }
                if (member instanceof GroupLayout group) {
                    addFields(group, unnamed ? prefix : prefix + name + ".", offset, fields);
                }
            });
        }
    }

    private static Stream<Class<?>> classes(Class<?> any) {
        try {
            Path root = Path.of(
                    any.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path folder = root.resolve(any.getPackageName().replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                return files
                        .map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.contains("$"))
                        .sorted()
                        .<Class<?>>map(name -> load(any, name.substring(0, name.length() - ".class".length())))
                        .toList()
                        .stream();
            }
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("the compiled bindings must be in a folder to be scanned", e);
        }
    }

    private static Class<?> load(Class<?> neighbour, String simpleName) {
        try {
            return Class.forName(neighbour.getPackageName() + "." + simpleName);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static List<GroupLayout> layoutOf(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals("layout") && method.getReturnType() == GroupLayout.class)
                .map(method -> (GroupLayout) invoke(method))
                .toList();
    }

    private static Object invoke(Method method) {
        try {
            return method.invoke(null);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(method + " cannot be called", e);
        }
    }
}
