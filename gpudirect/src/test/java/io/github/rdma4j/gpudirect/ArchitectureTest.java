// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.rdma4j.gpudirect.internal.NativeAccess;
import io.github.rdma4j.gpudirect.internal.UdevDatabase;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.internal.Uses;
import org.junit.jupiter.api.Test;

/**
 * gpudirect depends on the interfaces of the two libraries only, and not on their internals, as docs/architecture.md
 * shows.
 */
class ArchitectureTest {
    private static final String BASE = "io.github.rdma4j.base";
    private static final String GPUDIRECT = "io.github.rdma4j.gpudirect";
    private static final String STORAGE = GPUDIRECT + ".storage";
    private static final String NCCL = GPUDIRECT + ".nccl";
    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(GPUDIRECT);

    @Test
    void onlyTheVerbsAndCuda() {
        classes()
                .that()
                .resideInAPackage(GPUDIRECT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        BASE,
                        GPUDIRECT,
                        GPUDIRECT + ".internal",
                        GPUDIRECT + ".topology",
                        "io.github.rdma4j.verbs",
                        "io.github.rdma4j.verbs.device",
                        "io.github.rdma4j.cuda")
                .check(CODE);
    }

    /** NVML, beside which CUDA is not needed. */
    @Test
    void nativeLayerDoesNotDependOnTheApi() {
        classes()
                .that()
                .resideInAPackage(GPUDIRECT + ".internal")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", BASE, GPUDIRECT + ".internal")
                .check(CODE);
    }

    /** Files need no adapter: the package can be had alone some day. */
    @Test
    void storageDependsOnCudaOnly() {
        classes()
                .that()
                .resideInAPackage(STORAGE)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                BASE,
                                STORAGE,
                                STORAGE + ".internal",
                                STORAGE + ".bindings",
                                "io.github.rdma4j.cuda")
                        .or(equivalentTo(UdevDatabase.class))
                        .or(equivalentTo(NativeAccess.class))
                        .or(equivalentTo(Undo.class))
                        .or(equivalentTo(Uses.class)))
                .check(CODE);
    }

    @Test
    void nativeLayerOfStorageDependsOnlyOnExceptionsOfTheApi() {
        classes()
                .that()
                .resideInAPackage(STORAGE + ".internal")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..", BASE, STORAGE + ".internal", STORAGE + ".bindings")
                        .or(equivalentTo(NativeAccess.class))
                        .or(describe(
                                "its exceptions",
                                type -> type.getFullName().startsWith(STORAGE + ".CuFileUnavailableException"))))
                .check(CODE);
    }

    /** NCCL has networks of its own: adapters are not ours to choose, and ids go by endpoints. */
    @Test
    void ncclDependsOnCudaAndEndpointsOnly() {
        classes()
                .that()
                .resideInAPackage(NCCL)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                BASE,
                                NCCL,
                                NCCL + ".internal",
                                NCCL + ".bindings",
                                "io.github.rdma4j.cuda",
                                "io.github.rdma4j.verbs.endpoint")
                        .or(equivalentTo(Undo.class))
                        .or(equivalentTo(Uses.class)))
                .check(CODE);
    }

    @Test
    void nativeLayerOfNcclDependsOnlyOnExceptionsOfTheApi() {
        classes()
                .that()
                .resideInAPackage(NCCL + ".internal")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", BASE, NCCL + ".internal", NCCL + ".bindings")
                        .or(equivalentTo(NativeAccess.class))
                        .or(describe(
                                "its exceptions",
                                type -> type.getFullName().startsWith(NCCL + ".NcclUnavailableException"))))
                .check(CODE);
    }

    /** Else polling on an mlx5 adapter would write what is small to device memory, with the processor. */
    @Test
    void noQueuePairMayScatterToCompletions() {
        classes()
                .that(callMethod("prepareQueuePair").or(callMethod("createQueuePair")))
                .should(have(callMethod("scatterToCompletion")))
                .check(CODE);
    }

    private static DescribedPredicate<JavaClass> callMethod(String name) {
        return describe(
                "call " + name,
                type -> type.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTarget().getName().equals(name)));
    }

    @Test
    void placementIsKnownFromSysfsAlone() {
        classes()
                .that()
                .resideInAPackage(GPUDIRECT + ".topology")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", GPUDIRECT + ".topology")
                .check(CODE);
    }
}
