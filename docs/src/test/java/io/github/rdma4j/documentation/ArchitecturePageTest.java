// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The paths that docs/architecture.md lists, compared with the classes. */
class ArchitecturePageTest {
    private static final Pattern PATH = Pattern.compile("`\\w+`(?: → `\\w+`)+");
    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final int PATHS = 8;

    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.github.rdma4j.verbs", "io.github.rdma4j.gpudirect");

    static List<String> paths() {
        List<String> paths = PATH.matcher(Pages.text(Pages.root().resolve("docs/architecture.md")))
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(paths).hasSize(PATHS);
        return paths;
    }

    @ParameterizedTest
    @MethodSource("paths")
    void eachClassUsesTheNextOne(String path) {
        List<JavaClass> classes =
                NAME.matcher(path).results().map(name -> only(name.group())).toList();
        for (int i = 1; i < classes.size(); i++) {
            JavaClass next = classes.get(i);
            JavaClass user = classes.get(i - 1);
            boolean used = Stream.concat(Stream.of(user), user.getAllRawSuperclasses().stream())
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .anyMatch(dependency -> dependency.getTargetClass().equals(next));
            assertThat(used || next.isAssignableTo(user.getName()))
                    .as("%s uses %s, or is extended by it", user.getSimpleName(), next.getSimpleName())
                    .isTrue();
        }
    }

    private static JavaClass only(String simpleName) {
        List<JavaClass> found = CODE.stream()
                .filter(type -> type.getSimpleName().equals(simpleName))
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getPackageName().endsWith(".bindings"))
                .toList();
        assertThat(found).as("classes named %s", simpleName).hasSize(1);
        return found.getFirst();
    }
}
