// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Checks the layers of the tools and their dependencies, which docs/architecture.md shows. */
class ArchitectureTest {
    private static final String PERFTEST = "io.github.rdma4j.perftest";

    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(PERFTEST);

    /** From the bottom to the top. */
    private static final List<Floor> FLOORS = List.of(
            floor("exit"),
            floor("environment"),
            floor("netlink"),
            floor("figures"),
            floor("wire", "exit"),
            floor("talk", "exit"),
            floor("placement", "exit"),
            floor("options", "exit", "wire", "placement"),
            floor("plan", "wire", "options"),
            floor("result", "environment", "figures", "wire", "options"),
            floor("memory", "exit", "options"),
            floor("gpu", "exit", "options", "memory"),
            floor("stream", "exit", "options", "gpu"),
            floor("resources", "exit", "wire", "options", "plan", "result", "memory", "gpu", "stream"),
            floor("loop", "figures", "wire", "plan", "result", "memory", "gpu", "stream", "resources"),
            floor(
                    "run",
                    "exit",
                    "environment",
                    "figures",
                    "wire",
                    "placement",
                    "options",
                    "plan",
                    "result",
                    "memory",
                    "gpu",
                    "stream",
                    "resources",
                    "loop"),
            floor("print", "figures", "wire", "options", "result"),
            floor("document", "environment", "figures", "wire", "options", "result"),
            floor("findings", "exit"),
            floor("gds", "exit", "environment", "figures", "result", "document", "findings"),
            floor("doctor.machine", "placement", "netlink"),
            floor("allreduce.choice"),
            floor("allreduce", "exit", "environment", "result", "document", "findings", "allreduce.choice"),
            floor("ordered", "exit", "environment", "wire", "result", "findings"),
            floor("doctor.nccl", "allreduce.choice", "doctor.machine"),
            floor("doctor.check", "placement", "doctor.machine"),
            floor("doctor.pair", "talk", "doctor.machine", "doctor.check"),
            floor("doctor.peer", "exit", "talk", "doctor.machine", "doctor.check", "doctor.pair"),
            floor(
                    "doctor",
                    "exit",
                    "environment",
                    "talk",
                    "findings",
                    "doctor.machine",
                    "doctor.check",
                    "doctor.pair",
                    "doctor.peer"),
            floor("predict.model"),
            floor("predict.machine", "exit", "placement", "doctor.machine", "predict.model"),
            floor("predict.share", "options", "result", "doctor.machine", "predict.model", "predict.machine"),
            floor("page", "exit", "environment", "figures", "result", "predict.machine", "predict.model"),
            floor("predict", "exit", "environment", "findings", "doctor.machine", "predict.model", "predict.machine"),
            floor("watch.sample", "doctor.machine", "doctor.check"),
            floor("watch.resource", "netlink"),
            floor("watch.metrics", "exit", "doctor.check", "watch.sample", "watch.resource"),
            floor("watch", "exit", "findings", "watch.sample", "watch.metrics", "watch.resource"),
            floor("tcp", "exit"),
            floor("compare.plan", "exit", "talk", "options", "tcp"),
            floor("compare.result", "exit", "environment", "figures", "options", "result", "compare.plan"),
            floor(
                    "compare.runner",
                    "exit",
                    "environment",
                    "figures",
                    "options",
                    "result",
                    "run",
                    "print",
                    "tcp",
                    "compare.plan",
                    "compare.result"),
            floor(
                    "compare.peer",
                    "exit",
                    "environment",
                    "talk",
                    "options",
                    "compare.plan",
                    "compare.result",
                    "compare.runner"),
            floor("compare.print", "environment", "figures", "options", "document", "compare.plan", "compare.result"),
            floor(
                    "compare",
                    "exit",
                    "environment",
                    "placement",
                    "options",
                    "result",
                    "compare.plan",
                    "compare.result",
                    "compare.runner",
                    "compare.peer",
                    "compare.print"),
            floor("command", "exit", "environment", "placement", "options", "result", "run", "print", "document"),
            floor(
                    "",
                    "exit",
                    "environment",
                    "options",
                    "command",
                    "page",
                    "gds",
                    "allreduce",
                    "ordered",
                    "doctor",
                    "doctor.nccl",
                    "predict",
                    "predict.share",
                    "watch",
                    "compare"));

    /**
     * A package.
     *
     * @param name below the module's
     * @param below what it leans on
     */
    private record Floor(String name, List<String> below) {
        @Override
        public String toString() {
            return name.isEmpty() ? "(the entry)" : name;
        }
    }

    private static Floor floor(String name, String... below) {
        return new Floor(name, List.of(below));
    }

    private static String inFull(String name) {
        return name.isEmpty() ? PERFTEST : PERFTEST + "." + name;
    }

    @ParameterizedTest
    @FieldSource("FLOORS")
    void packageLeansOnWhatItsFloorNames(Floor floor) {
        String[] allowed = Stream.concat(Stream.of(floor.name), floor.below.stream())
                .map(ArchitectureTest::inFull)
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(inFull(floor.name))
                .should()
                .onlyDependOnClassesThat(not(resideInAPackage(PERFTEST + "..")).or(resideInAnyPackage(allowed)))
                .check(CODE);
    }

    /** Types that are only passed on, and constants, which the compiler copies, need no arrows. */
    @ParameterizedTest
    @FieldSource("FLOORS")
    void floorNamesNothingElse(Floor floor) {
        Set<String> used = CODE.stream()
                .filter(resideInAPackage(inFull(floor.name)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType)
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
        assertThat(used)
                .containsAll(floor.below.stream().map(ArchitectureTest::inFull).toList());
    }

    @Test
    void floorLeansOnLowerOnesOnly() {
        List<String> lower = new ArrayList<>();
        for (Floor floor : FLOORS) {
            assertThat(lower).as("below %s", floor).containsAll(floor.below);
            lower.add(floor.name);
        }
    }

    @Test
    void eachPackageHasItsFloor() {
        Set<String> packages =
                CODE.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
        assertThat(FLOORS.stream().map(floor -> inFull(floor.name))).containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(PERFTEST + ".(**)").should().beFreeOfCycles().check(CODE);
    }

    /** They hand over records: what becomes text or JSON, and where it goes, is decided above them. */
    @Test
    void measuringCodePrintsNothing() {
        noClasses()
                .that()
                .resideInAnyPackage(Stream.of(
                                "wire",
                                "placement",
                                "plan",
                                "result",
                                "memory",
                                "gpu",
                                "stream",
                                "resources",
                                "loop",
                                "run")
                        .map(ArchitectureTest::inFull)
                        .toArray(String[]::new))
                .should()
                .dependOnClassesThat(type(PrintStream.class).or(resideInAnyPackage("com.fasterxml..", "picocli..")))
                .check(CODE);
    }

    /** It works without CUDA: the classes that call it run only where there is a GPU. */
    @Test
    void doctorCallsCudaInTwoPlaces() {
        noClasses()
                .that()
                .resideInAnyPackage(inFull("findings"), inFull("doctor") + "..", inFull("predict") + "..")
                .and()
                .doNotHaveSimpleName("CudaGpus")
                .and()
                .doNotHaveSimpleName("PathChoice")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.github.rdma4j.cuda..")
                .check(CODE);
    }

    /** CUDA is not loaded for a test of host memory. */
    @Test
    void fewKnowOfGpus() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        inFull("gpu"),
                        inFull("resources"),
                        inFull("gds"),
                        inFull("allreduce") + "..",
                        inFull("ordered"),
                        inFull("doctor") + "..",
                        inFull("predict") + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.github.rdma4j.cuda..", "io.github.rdma4j.gpudirect..")
                .check(CODE);
    }

    /** Else polling on an mlx5 adapter would write what is small to a GPU's memory, with the processor. */
    @Test
    void queuePairsOfTheToolsSayWhetherTheyMayScatterToCompletions() {
        classes()
                .that(resideInAPackage(inFull("resources"))
                        .and(callMethod("prepareQueuePair").or(callMethod("createQueuePair"))))
                .should(have(callMethod("scatterToCompletion")))
                .check(CODE);
    }

    private static DescribedPredicate<JavaClass> callMethod(String name) {
        return describe(
                "call " + name,
                type -> type.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTarget().getName().equals(name)));
    }
}
