// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {
    @TempDir
    private Path folder;

    @Test
    void isAllThatTheJvmLoadsFrom() throws Exception {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path patch = Files.createDirectories(folder.resolve("test classes"));
        Path modules = Files.createDirectories(folder.resolve("modules"));
        Path module = jar("modules/one.jar", null);
        Path exploded = Files.createDirectories(folder.resolve("exploded"));
        Files.createFile(exploded.resolve("module-info.class"));
        Path library = jar("a library.jar", null);
        Path launcher = jar(
                "launcher.jar",
                "a%20library.jar classes/ missing.jar " + folder.toUri() + "launcher.jar http://nowhere/x.jar");

        assertThat(ClassPath.of(
                        List.of("-Xmx1g", "--patch-module=my.module=" + patch),
                        modules + ":" + exploded,
                        launcher + "::" + folder.resolve("not there")))
                .containsExactly(patch, module, exploded, launcher, library, classes);
    }

    @Test
    void fileThatIsNoJarIsHandedOn() throws Exception {
        Path file = Files.writeString(folder.resolve("text"), "no jar");

        assertThat(ClassPath.of(List.of(), "", file.toString())).containsExactly(file);
    }

    @Test
    void jvmOptionsAreThoseThatMeanTheSameThere() {
        Properties properties = new Properties();
        properties.setProperty("java.version", "1");
        properties.setProperty("surefire.x", "1");
        properties.setProperty("my.setting", "a \"b\" \\c");

        assertions(false);
        assertThat(JvmOptions.of(
                        List.of(
                                "--add-opens=java.base/java.lang=my.module",
                                "--add-modules=my.module",
                                "-javaagent:x.jar",
                                "-Xmx99g",
                                "-ea",
                                "--enable-preview"),
                        properties))
                .containsExactly(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-ea",
                        "--enable-preview",
                        "-Dmy.setting=a \"b\" \\c");
        assertThat(JvmOptions.quote("-Da=a \"b\" \\c\n")).isEqualTo("\"-Da=a \\\"b\\\" \\\\c\\n\"");
    }

    /** Surefire enables assertions by the class loader and not by an option. */
    @Test
    void assertionsAreEnabledThereIfTheyAreHere() {
        assertions(true);
        assertThat(JvmOptions.of(List.of("-da:my.package..."), new Properties()))
                .containsExactly("-ea", "-da:my.package...");
        assertions(false);
        assertThat(JvmOptions.of(List.of(), new Properties())).isEmpty();
    }

    private static void assertions(boolean enabled) {
        JvmOptions.class.getClassLoader().setClassAssertionStatus(JvmOptions.class.getName(), enabled);
    }

    @Test
    void propertiesOfTheJvmArePassedIfTheCallerSetThem() {
        assertions(false);
        Properties properties = new Properties();
        for (String name :
                List.of("java.home", "jdk.debug", "user.home", "path.separator", "os.name", "basedir", "maven.home")) {
            properties.setProperty(name, "of this JVM");
        }
        properties.setProperty("user.timezone", "Asia/Kathmandu");
        properties.setProperty("user.language", "de");
        properties.setProperty("path.to.data", "/x");
        properties.setProperty("basedirectory", "y");

        assertThat(JvmOptions.of(
                        List.of(
                                "-Djava.net.preferIPv4Stack=true",
                                "-Djdk.virtualThreadScheduler.parallelism=1",
                                "-Dsun.nio.PageAlignDirectMemory",
                                "-Duser.language=de",
                                "-Djava.io.tmpdir=/y",
                                "-Djdk.module.main=my.module",
                                "-Drdma4j.softroce=container",
                                "-Dmaven.home=/z"),
                        properties))
                .containsExactly(
                        "-Djava.net.preferIPv4Stack=true",
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Dsun.nio.PageAlignDirectMemory",
                        "-Dbasedirectory=y",
                        "-Dpath.to.data=/x",
                        "-Duser.language=de",
                        "-Duser.timezone=Asia/Kathmandu");
    }

    @Test
    void variablesAreOursButNoneAboutGuestsOfThisMachine() {
        assertThat(RemoteClass.environment(Map.of(
                        "RDMA4J_MINE", "1",
                        "RDMA4J_CACHE", "/c",
                        "RDMA4J_GUEST", "/g",
                        "RDMA4J_KERNEL", "6.12",
                        "RDMA4J_SOFTROCE", "auto",
                        "PATH", "/p")))
                .containsExactly("RDMA4J_MINE=1");
    }

    @Test
    void projectIsTheWorkTreeAndNeverMore() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("work/module"));
        Path home = Path.of("/home/somebody");

        assertThat(Project.folder(deep, home)).contains(deep);
        Files.createFile(folder.resolve("work/.git"));
        assertThat(Project.folder(deep, home)).contains(folder.resolve("work"));
        assertThat(Project.folder(deep, folder.resolve("work"))).isEmpty();
        assertThat(Project.folder(Path.of("/"), home)).isEmpty();
    }

    private Path jar(String name, String classPath) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (classPath != null) {
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        }
        Path jar = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
        return jar;
    }
}
