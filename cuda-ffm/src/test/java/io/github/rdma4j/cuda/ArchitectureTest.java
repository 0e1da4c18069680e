// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the three layers of cuda-ffm, and that it depends on no other module. docs/architecture.md shows the layers.
 */
class ArchitectureTest {
    private static final String API = "io.github.rdma4j.cuda";
    private static final String INTERNAL = API + ".internal";
    private static final String BINDINGS = API + ".bindings";
    private static final Set<String> OF_THE_NATIVE_SIDE =
            Set.of(MemoryLayout.class.getName(), MethodHandle.class.getName(), VarHandle.class.getName());

    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(API);

    private static final DescribedPredicate<JavaClass> JDK = resideInAnyPackage("java..", "io.github.rdma4j.base");
    private static final DescribedPredicate<JavaClass> EXCEPTIONS_OF_THE_API = resideInAPackage(API)
            .and(describe(
                    "exceptions",
                    type -> type.isAssignableTo(CudaException.class)
                            || type.isAssignableTo(CudaUnavailableException.class)
                            || type.isEquivalentTo(CudaUnavailableException.Reason.class)));

    @Test
    void bindingsDependOnNothing() {
        classes()
                .that()
                .resideInAPackage(BINDINGS)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAPackage(BINDINGS)))
                .check(CODE);
    }

    @Test
    void nativeLayerDependsOnlyOnExceptionsOfTheApi() {
        classes()
                .that()
                .resideInAPackage(INTERNAL)
                .should()
                .onlyDependOnClassesThat(
                        JDK.or(resideInAnyPackage(INTERNAL, BINDINGS)).or(EXCEPTIONS_OF_THE_API))
                .check(CODE);
    }

    /** Above all nothing of the verbs. */
    @Test
    void apiDependsOnNothingButTheLayersBelow() {
        classes()
                .that()
                .resideInAPackage(API)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(API, INTERNAL, BINDINGS)))
                .check(CODE);
    }

    @Test
    void noPublicSignatureShowsHowTheNativeSideIsReached() {
        methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat(resideInAPackage(API)
                        .and(describe("public", type -> type.getModifiers().contains(JavaModifier.PUBLIC))))
                .should(notMentionTheNativeSide())
                .check(CODE);
    }

    private static ArchCondition<JavaMethod> notMentionTheNativeSide() {
        return new ArchCondition<>("not mention " + OF_THE_NATIVE_SIDE + " or a type of the lower layers") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                Stream.concat(Stream.of(method.getRawReturnType()), method.getRawParameterTypes().stream())
                        .filter(type -> OF_THE_NATIVE_SIDE.contains(type.getName())
                                || type.getPackageName().equals(INTERNAL)
                                || type.getPackageName().equals(BINDINGS))
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                method, method.getFullName() + " mentions " + type.getName())));
            }
        };
    }
}
