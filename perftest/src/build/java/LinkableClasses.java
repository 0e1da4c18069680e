// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * LinkableClasses JAR: rewrites the classes of a JAR that are older than Java 6's format (picocli's) into Java 8's, run
 * by the build.
 *
 * <p>The newer format has a table that lets the JVM verify a class in one pass. Without this table, verification is
 * slow at each start, and an AOT cache cannot hold the class. Methods, fields and annotations stay as they are.
 */
public final class LinkableClasses {
    private static final int FIRST_WITH_TABLE = ClassFile.JAVA_6_VERSION;

    private LinkableClasses() {}

    /** Rewrites the JAR in its place. */
    public static void main(String[] arguments) throws IOException {
        Path jar = Path.of(arguments[0]);
        Path rewritten = Files.createTempFile(jar.toAbsolutePath().getParent(), "rewritten", ".jar");
        try (ZipFile in = new ZipFile(jar.toFile());
                URLClassLoader types = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null);
                OutputStream file = Files.newOutputStream(rewritten);
                ZipOutputStream out = new ZipOutputStream(file)) {
            ClassFile format = ClassFile.of(
                    ClassFile.ConstantPoolSharingOption.NEW_POOL,
                    ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                    ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(types)
                            .orElse(ClassHierarchyResolver.defaultResolver())
                            .cached()));
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] bytes = in.getInputStream(entry).readAllBytes();
                ZipEntry same = new ZipEntry(entry);
                same.setCompressedSize(-1);
                if (entry.getName().endsWith(".class")
                        && format.parse(bytes).majorVersion() < FIRST_WITH_TABLE) {
                    bytes = rewritten(format, bytes);
                    same.setSize(bytes.length);
                    same.setCrc(crc(bytes));
                }
                out.putNextEntry(same);
                out.write(bytes);
                out.closeEntry();
            }
        }
        Files.setPosixFilePermissions(rewritten, Files.getPosixFilePermissions(jar));
        Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] rewritten(ClassFile format, byte[] bytes) {
        // Each instruction is copied: code that is taken over as a whole keeps what tables it has.
        ClassTransform code = ClassTransform.transformingMethodBodies((builder, element) -> builder.with(element));
        ClassTransform version = (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(ClassFile.JAVA_8_VERSION, 0);
            } else {
                builder.with(element);
            }
        };
        return format.transformClass(format.parse(bytes), code.andThen(version));
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }
}
