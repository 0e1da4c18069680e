// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java that pages show compiles. A block is a piece of a file that the build compiles, which a comment before it
 * names ({@code <!-- from FILE -->}, {@code <!-- all of FILE -->}); or a piece of a program, compiled here in a class
 * with the members that the page declares ({@code <!-- given: ... -->}).
 */
class JavaBlocksTest {
    /** Exported packages, and what their signatures are full of. */
    private static final String IMPORTS = """
            import static io.github.rdma4j.verbs.AccessFlag.*;
            import static io.github.rdma4j.verbs.SendFlags.*;
            import static java.lang.foreign.ValueLayout.*;

            import io.github.rdma4j.gpudirect.*;
            import io.github.rdma4j.verbs.*;
            import io.github.rdma4j.verbs.cm.*;
            import io.github.rdma4j.verbs.device.*;
            import io.github.rdma4j.verbs.endpoint.*;
            import io.github.rdma4j.verbs.flow.*;
            import io.github.rdma4j.verbs.pool.*;
            import java.lang.foreign.*;
            import java.lang.invoke.*;
            import java.net.*;
            import java.nio.*;
            import java.time.*;
            import java.util.*;
            """;

    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\\n");
    private static final Pattern MEMBER =
            Pattern.compile("(private|static|void|@\\w+|record|class) .*", Pattern.DOTALL);

    private static Stream<CodeBlock> pieces() {
        return CodeBlock.in("java")
                .filter(block -> block.source() == null)
                .filter(block -> !block.text().startsWith("module "));
    }

    @Test
    void piecesOfFilesAreThere() {
        assertThat(CodeBlock.in("java").filter(block -> block.source() != null))
                .isNotEmpty()
                .allSatisfy(block -> {
                    String file = code(Pages.text(block.source()));
                    if (block.whole()) {
                        assertThat(code(block.text())).isEqualTo(file);
                    } else {
                        assertThat(file)
                                .contains(code(IMPORT.matcher(block.text()).replaceAll("")));
                        assertThat(IMPORT.matcher(block.text()).results().map(found -> code(found.group())))
                                .allMatch(line -> file.contains(line) || line.startsWith(ownPackage(file)));
                    }
                    // Examples, and tests: nothing else that the build compiles is written for readers.
                    assertThat(Pages.root().relativize(block.source()).toString())
                            .matches("(docs/examples|.*/src/test/java)/.*\\.java");
                });
    }

    /** The beginning of an import that only readers of the page need. */
    private static String ownPackage(String file) {
        return file.replaceFirst("(?s).*?package([\\w.]+);.*", "import$1.");
    }

    /** The formatter and the pages break lines in different places. */
    private static String code(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void otherPiecesCompile(@TempDir Path classes) throws Exception {
        List<JavaFileObject> sources = new ArrayList<>();
        pieces().forEach(block -> sources.add(source("Piece" + sources.size(), piece(block, sources.size()))));
        assertThat(sources).isNotEmpty();
        assertThat(complaints(sources, List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"))))
                .isEmpty();
    }

    private static String piece(CodeBlock block, int number) {
        String imports = IMPORT.matcher(block.text())
                .results()
                .map(result -> result.group().strip())
                .collect(Collectors.joining(" "));
        String code = IMPORT.matcher(block.text()).replaceAll("").stripLeading();
        return "// " + block + "\n" + IMPORTS + imports + "\nabstract class Piece" + number + " {\n" + block.given()
                + "\n"
                + (MEMBER.matcher(code).matches() ? code : "void piece() throws Exception {\n" + code + "}\n")
                + "}\n";
    }

    @Test
    void moduleDescriptorsCompile(@TempDir Path classes) throws Exception {
        List<CodeBlock> modules = CodeBlock.in("java")
                .filter(block -> block.text().startsWith("module "))
                .toList();
        assertThat(modules).isNotEmpty();
        String ours = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Stream.of("base", "verbs", "cuda", "gpudirect")
                        .anyMatch(module -> ModuleFinder.of(Path.of(entry))
                                .find("io.github.rdma4j." + module)
                                .isPresent()))
                .collect(Collectors.joining(File.pathSeparator));
        for (CodeBlock module : modules) {
            assertThat(complaints(
                            List.of(source("module-info", "// " + module + "\n" + module.text())),
                            List.of("-d", Files.createDirectories(classes).toString(), "-p", ours)))
                    .isEmpty();
        }
    }

    /** The errors in the sources, with the lines that it is about. */
    private static List<String> complaints(List<JavaFileObject> sources, List<String> options) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, StandardCharsets.UTF_8)) {
            compiler.getTask(null, files, found, options, null, sources).call();
        }
        List<String> complaints = new ArrayList<>();
        for (var diagnostic : found.getDiagnostics()) {
            if (diagnostic.getKind() != Diagnostic.Kind.ERROR) {
                continue;
            }
            String[] lines =
                    diagnostic.getSource().getCharContent(true).toString().split("\n");
            complaints.add(lines[0] + ": " + diagnostic.getMessage(null) + ": "
                    + lines[Math.toIntExact(diagnostic.getLineNumber()) - 1]);
        }
        return complaints;
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("memory:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
