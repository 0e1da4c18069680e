// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Finds the types that jextract has generated in the compiled package, so there is no list to maintain. */
final class GeneratedTypes {

    /**
     * The fields of a condition variable belong to the C library and differ in glibc 2.41, so only size and alignment
     * are compared.
     */
    private static final String CONDITION = "__pthread_cond_s";

    private GeneratedTypes() {}

    /** Every struct and union, nested ones right after the one they are in. */
    static List<TypeFacts> structs() {
        return structs(GeneratedTypes.class.getClassLoader());
    }

    /**
     * The same, as the library would lay them out on another machine.
     *
     * @param architecture as in {@code os.arch}
     */
    static List<TypeFacts> structsOn(String architecture) throws IOException {
        try (URLClassLoader apart = new OwnBindings()) {
            String here = System.setProperty("os.arch", architecture);
            try {
                Class.forName(pthread_mutex_t.class.getName(), true, apart);
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            } finally {
                System.setProperty("os.arch", here);
            }
            return structs(apart);
        }
    }

    /** Has the bindings a second time, because what they are is decided once, when they are initialised. */
    private static final class OwnBindings extends URLClassLoader {
        OwnBindings() {
            super(
                    new URL[] {
                        RdmaHeaders.class.getProtectionDomain().getCodeSource().getLocation()
                    },
                    GeneratedTypes.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(RdmaHeaders.class.getPackageName() + ".")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }

    private static List<TypeFacts> structs(ClassLoader loader) {
        List<TypeFacts> found = new ArrayList<>();
        for (Class<?> type : topLevelClasses(loader)) {
            if (isStruct(type)) {
                addWithNested(type, cNameOf(type), found);
            }
        }
        return found;
    }

    /** Every constant's name and value; int and long are all that verbs.h and rdma_cma.h have. */
    static SortedMap<String, Number> constants() {
        SortedMap<String, Number> found = new TreeMap<>();
        for (Method method : RdmaHeaders.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 0) {
                found.put(method.getName(), (Number) invoke(method));
            }
        }
        return found;
    }

    /** The names of the C functions that a header class binds. */
    static List<String> functions(Class<?> headerClass) {
        String suffix = "$address";
        return Arrays.stream(headerClass.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> name.endsWith(suffix))
                .map(name -> name.substring(0, name.length() - suffix.length()))
                .sorted()
                .toList();
    }

    private static List<Class<?>> topLevelClasses(ClassLoader loader) {
        Class<?> any = RdmaHeaders.class;
        try {
            Path root = Path.of(
                    any.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path folder = root.resolve(any.getPackageName().replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.contains("$"))
                        .sorted()
                        .<Class<?>>map(name -> load(loader, name.substring(0, name.length() - ".class".length())))
                        .toList();
            }
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("the compiled bindings must be in a folder to be scanned", e);
        }
    }

    private static Class<?> load(ClassLoader loader, String simpleName) {
        try {
            // Not initialised: LibIbVerbs would open its library.
            return Class.forName(RdmaHeaders.class.getPackageName() + "." + simpleName, false, loader);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static void addWithNested(Class<?> type, String cName, List<TypeFacts> found) {
        found.add(factsOf(type, cName));
        Arrays.stream(type.getDeclaredClasses())
                .filter(GeneratedTypes::isStruct)
                .sorted(Comparator.comparing(Class::getSimpleName))
                // A nested class stands for an unnamed C type and bears the name of its one field, the only way to it.
                .forEach(nested -> addWithNested(
                        nested, "__typeof__(((%s *)0)->%s)".formatted(cName, nested.getSimpleName()), found));
    }

    private static TypeFacts factsOf(Class<?> type, String cName) {
        GroupLayout layout = layoutOf(type);
        SortedMap<String, TypeFacts.Extent> fields = new TreeMap<>();
        for (Method method : type.getDeclaredMethods()) {
            String name = method.getName();
            // Later headers give reserved bytes names.
            if (name.endsWith("$offset")
                    && !name.equals("reserved$offset")
                    && !type.getSimpleName().equals(CONDITION)) {
                String field = name.substring(0, name.length() - "$offset".length());
                MemoryLayout fieldLayout = (MemoryLayout) invoke(method(type, field + "$layout"));
                fields.put(field, new TypeFacts.Extent((long) invoke(method), fieldLayout.byteSize()));
            }
        }
        String title =
                type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
        return new TypeFacts(title, cName, layout.byteSize(), layout.byteAlignment(), fields);
    }

    private static String cNameOf(Class<?> type) {
        GroupLayout layout = layoutOf(type);
        // jextract calls the layout of an unnamed C type $anon$LINE:COLUMN; at the top level it then has a typedef.
        String tag = layout.name().filter(name -> !name.startsWith("$anon$")).orElse(null);
        if (tag == null) {
            return type.getSimpleName();
        }
        return (layout instanceof UnionLayout ? "union " : "struct ") + tag;
    }

    private static boolean isStruct(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals("layout") && method.getReturnType() == GroupLayout.class);
    }

    private static GroupLayout layoutOf(Class<?> type) {
        return (GroupLayout) invoke(method(type, "layout"));
    }

    private static Method method(Class<?> type, String name) {
        try {
            return type.getDeclaredMethod(name);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static Object invoke(Method method) {
        try {
            return method.invoke(null);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(method + " cannot be called", e);
        }
    }
}
