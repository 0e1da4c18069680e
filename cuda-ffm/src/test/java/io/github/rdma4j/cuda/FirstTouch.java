// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Uses each public class of a module first, in a JVM that denies native access. A program must not get an error of
 * class loading there, because such an error names no remedy. Static methods and constructors are called with
 * meaningless arguments, and may throw any other exception.
 */
public final class FirstTouch {
    private static final String TOUCHED = "touched ";

    private FirstTouch() {}

    /**
     * The errors of class loading.
     *
     * @param exported a class of each package that programs use
     * @return one a line
     */
    public static List<String> errors(Class<?>... exported) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>(run(
                FirstTouch.class, Arrays.stream(exported).map(Class::getName).toArray(String[]::new)));
        if (!lines.removeLast().startsWith(TOUCHED)) {
            throw new AssertionError(lines);
        }
        return lines;
    }

    /**
     * Runs a program with the class path of this JVM in one that denies native access.
     *
     * @param program with a {@code main} method
     * @param arguments of the program
     * @return the lines that it printed
     */
    public static List<String> run(Class<?> program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "--illegal-native-access=deny",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(output);
        }
        return output.lines().toList();
    }

    /** Arguments: a class of each package. */
    public static void main(String[] arguments) throws Exception {
        int touched = 0;
        for (String argument : arguments) {
            for (String name : publicClasses(Class.forName(argument, false, FirstTouch.class.getClassLoader()))) {
                // The access is denied to all loaders, and what has failed in one has not failed in the next.
                try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
                    touch(name, loader);
                }
                touched++;
            }
        }
        System.out.println(TOUCHED + touched + " classes");
    }

    private static List<String> publicClasses(Class<?> example) throws Exception {
        Path classes = Path.of(
                example.getProtectionDomain().getCodeSource().getLocation().toURI());
        String folder = example.getPackageName().replace('.', '/');
        try (var archive = Files.isDirectory(classes) ? null : FileSystems.newFileSystem(classes)) {
            Path root = archive == null ? classes.resolve(folder) : archive.getPath(folder);
            try (Stream<Path> files = Files.list(root)) {
                List<String> names = files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                        .map(file -> example.getPackageName() + "." + file.substring(0, file.length() - 6))
                        .sorted()
                        .toList();
                List<String> result = new ArrayList<>();
                for (String name : names) {
                    if (isPublic(Class.forName(name, false, FirstTouch.class.getClassLoader()))) {
                        result.add(name);
                    }
                }
                return result;
            }
        }
    }

    private static boolean isPublic(Class<?> type) {
        return type == null || Modifier.isPublic(type.getModifiers()) && isPublic(type.getEnclosingClass());
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private static void touch(String name, ClassLoader loader) throws ReflectiveOperationException {
        try {
            Class<?> type = Class.forName(name, true, loader);
            for (Executable each : type.getDeclaredConstructors()) {
                call(each, null);
            }
            for (Method each : type.getDeclaredMethods()) {
                if (Modifier.isStatic(each.getModifiers())) {
                    call(each, null);
                } else if (type.isEnum()) {
                    call(each, type.getEnumConstants()[0]);
                }
            }
        } catch (LinkageError e) {
            System.out.println(name + ": " + e);
        }
    }

    private static void call(Executable each, Object target) throws ReflectiveOperationException {
        boolean abstractType = Modifier.isAbstract(each.getDeclaringClass().getModifiers());
        if (!Modifier.isPublic(each.getModifiers())
                || Modifier.isAbstract(each.getModifiers())
                || each instanceof Constructor<?> && abstractType
                || each.getName().equals("main")) {
            return;
        }
        Object[] arguments =
                Arrays.stream(each.getParameterTypes()).map(FirstTouch::value).toArray();
        try {
            if (each instanceof Method method) {
                method.invoke(target, arguments);
            } else {
                ((Constructor<?>) each).newInstance(arguments);
            }
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof LinkageError error) {
                System.out.println(each + ": " + error);
            }
        }
    }

    /** Zero, nothing, the first constant; null where there is no such thing. */
    private static Object value(Class<?> type) {
        if (type.isPrimitive()) {
            return Array.get(Array.newInstance(type, 1), 0);
        }
        if (type.isArray()) {
            return Array.newInstance(type.componentType(), 0);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return type == String.class ? "" : null;
    }
}
