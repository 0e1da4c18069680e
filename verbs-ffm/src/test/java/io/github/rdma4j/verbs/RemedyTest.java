// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/troubleshooting.md: every exception of this library names the remedy. */
class RemedyTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final int LAST_ERRNO = 133;

    static Stream<Integer> errnos() {
        return Stream.concat(
                Stream.iterate(1, errno -> errno <= LAST_ERRNO, errno -> errno + 1), Stream.of(Errno.ENOTSUPP));
    }

    @ParameterizedTest
    @MethodSource("errnos")
    void failureWithAnErrnoAlwaysHasARemedy(int errno) {
        for (VerbsException failure : new VerbsException[] {
            new VerbsException("ibv_something()", errno, "", ""),
            Failures.of("ibv_something()", errno),
            Failures.of("ibv_something()", errno, "a cause", "")
        }) {
            assertThat(failure.remedy()).isNotEmpty();
            assertThat(failure.getMessage()).endsWithIgnoringCase(". " + failure.remedy());
        }
        assertThat(Failures.of("ibv_something()", errno, "", "a better one").remedy())
                .isEqualTo("a better one");
    }

    @Test
    void failureWithoutAnErrnoIsNeverMadeWithoutARemedy() throws IOException {
        List<CompilationUnitTree> units = parse();
        Set<String> family = family(units);
        assertThat(family).hasSizeGreaterThan(12).contains("EndpointException", "ConnectionRejectedException");
        List<String> found = new ArrayList<>();
        int[] seen = {0};
        for (CompilationUnitTree unit : units) {
            String file = unit.getSourceFile().getName();
            new TreeScanner<Void, String>() {
                @Override
                public Void visitClass(ClassTree type, String enclosing) {
                    return super.visitClass(type, type.getSimpleName().toString());
                }

                @Override
                public Void visitNewClass(NewClassTree made, String enclosing) {
                    if (family.contains(made.getIdentifier().toString())) {
                        judge(made, made.getArguments());
                    }
                    return super.visitNewClass(made, enclosing);
                }

                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, String enclosing) {
                    if (family.contains(enclosing)
                            && call.getMethodSelect().toString().equals("super")) {
                        judge(call, call.getArguments());
                    }
                    return super.visitMethodInvocation(call, enclosing);
                }

                private void judge(Tree tree, List<? extends ExpressionTree> arguments) {
                    seen[0]++;
                    // The operation is never 0, and those with an errno are judged by the other test.
                    boolean withoutErrno =
                            arguments.stream().anyMatch(argument -> isLiteral(argument, 0)) || arguments.size() == 3;
                    if (withoutErrno && hasEmptyText(arguments.getLast())) {
                        found.add(file + ": " + tree);
                    }
                }
            }.scan(unit, "");
        }
        assertThat(seen[0]).isGreaterThan(30);
        assertThat(found).isEmpty();
    }

    private static boolean isLiteral(Tree tree, Object value) {
        return tree instanceof LiteralTree literal && value.equals(literal.getValue());
    }

    private static boolean hasEmptyText(Tree tree) {
        boolean[] found = {false};
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitLiteral(LiteralTree literal, Void nothing) {
                found[0] |= isLiteral(literal, "");
                return null;
            }
        }.scan(tree, null);
        return found[0];
    }

    /** VerbsException and all classes below it. */
    private static Set<String> family(List<CompilationUnitTree> units) {
        Set<String> family = new HashSet<>(Set.of("VerbsException"));
        boolean grown = true;
        while (grown) {
            grown = false;
            for (CompilationUnitTree unit : units) {
                for (Tree tree : unit.getTypeDecls()) {
                    if (tree instanceof ClassTree type
                            && type.getExtendsClause() != null
                            && family.contains(type.getExtendsClause().toString())) {
                        grown |= family.add(type.getSimpleName().toString());
                    }
                }
            }
        }
        return family;
    }

    private static List<CompilationUnitTree> parse() throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (Stream<Path> walk = Files.walk(SOURCES);
                StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<Path> sources =
                    walk.filter(file -> file.toString().endsWith(".java")).toList();
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, null, null, files.getJavaFileObjectsFromPaths(sources));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            return units;
        }
    }
}
