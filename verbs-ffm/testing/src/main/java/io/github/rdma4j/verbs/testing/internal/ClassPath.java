// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * Where this JVM has its classes from, whether on the class path or the module path. In the guest all of it is class
 * path.
 */
final class ClassPath {
    private ClassPath() {}

    static List<Path> ofThisJvm() {
        return of(
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                System.getProperty("jdk.module.path", ""),
                System.getProperty("java.class.path", ""));
    }

    static List<Path> of(List<String> jvmArguments, String modulePath, String classPath) {
        Set<Path> entries = new LinkedHashSet<>();
        for (String argument : jvmArguments) {
            // The tests of a module: --patch-module=NAME=PATH.
            if (argument.startsWith("--patch-module=")) {
                add(argument.substring(argument.indexOf('=', argument.indexOf('=') + 1) + 1), entries);
            }
        }
        for (String entry : modulePath.split(File.pathSeparator)) {
            addModules(entry, entries);
        }
        add(classPath, entries);
        return List.copyOf(entries);
    }

    private static void add(String path, Set<Path> entries) {
        for (String entry : path.split(File.pathSeparator)) {
            if (!entry.isEmpty()) {
                add(Path.of(entry), entries);
            }
        }
    }

    private static void add(Path entry, Set<Path> entries) {
        Path absolute = entry.toAbsolutePath().normalize();
        // An entry that is not there is no error to the JVM either.
        if (Files.exists(absolute) && entries.add(absolute) && Files.isRegularFile(absolute)) {
            addFromManifest(absolute, entries);
        }
    }

    // A folder on the module path is a module, or has modules in it.
    private static void addModules(String entry, Set<Path> entries) {
        Path path = Path.of(entry);
        if (entry.isEmpty() || !Files.isDirectory(path) || Files.exists(path.resolve("module-info.class"))) {
            add(entry, entries);
            return;
        }
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(path)) {
            List<Path> sorted = new ArrayList<>();
            modules.forEach(sorted::add);
            sorted.stream().sorted().forEach(module -> add(module, entries));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Build tools and IDEs hide a long class path in the manifest of a jar.
    private static void addFromManifest(Path jar, Set<Path> entries) {
        String listed;
        try (JarFile file = new JarFile(jar.toFile(), false)) {
            Manifest manifest = file.getManifest();
            listed = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        } catch (IOException e) {
            return; // no jar; the JVM also ignores it
        }
        if (listed == null) {
            return;
        }
        for (String url : listed.split(" +")) {
            try {
                URI uri = jar.toUri().resolve(url);
                if (!url.isEmpty() && "file".equals(uri.getScheme())) {
                    add(Path.of(uri), entries);
                }
            } catch (IllegalArgumentException e) {
                // Not a file's name: ignored, as by the JVM.
            }
        }
    }
}
