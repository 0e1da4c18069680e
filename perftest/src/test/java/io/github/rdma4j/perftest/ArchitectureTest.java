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
    private static final List<Layer> LAYERS = List.of(
            layer("exit"),
            layer("environment"),
            layer("netlink"),
            layer("figures"),
            layer("wire", "exit"),
            layer("talk", "exit"),
            layer("placement", "exit"),
            layer("options", "exit", "wire", "placement"),
            layer("plan", "wire", "options"),
            layer("result", "environment", "figures", "wire", "options"),
            layer("memory", "exit", "options"),
            layer("gpu", "exit", "options", "memory"),
            layer("stream", "exit", "options", "gpu"),
            layer("resources", "exit", "wire", "options", "plan", "result", "memory", "gpu", "stream"),
            layer("loop", "figures", "wire", "plan", "result", "memory", "gpu", "stream", "resources"),
            layer(
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
            layer("print", "figures", "wire", "options", "result"),
            layer("document", "environment", "figures", "wire", "options", "result"),
            layer("findings", "exit"),
            layer("gds", "exit", "environment", "figures", "result", "document", "findings"),
            layer("doctor.machine", "placement", "netlink"),
            layer("allreduce.choice"),
            layer("allreduce", "exit", "environment", "result", "document", "findings", "allreduce.choice"),
            layer("ordered", "exit", "environment", "wire", "result", "findings"),
            layer("doctor.nccl", "allreduce.choice", "doctor.machine"),
            layer("doctor.check", "placement", "doctor.machine"),
            layer("doctor.pair", "talk", "doctor.machine", "doctor.check"),
            layer("doctor.peer", "exit", "talk", "doctor.machine", "doctor.check", "doctor.pair"),
            layer(
                    "doctor",
                    "exit",
                    "environment",
                    "talk",
                    "findings",
                    "doctor.machine",
                    "doctor.check",
                    "doctor.pair",
                    "doctor.peer"),
            layer("predict.model"),
            layer("predict.machine", "exit", "placement", "doctor.machine", "predict.model"),
            layer("predict.share", "options", "result", "doctor.machine", "predict.model", "predict.machine"),
            layer("page", "exit", "environment", "figures", "result", "predict.machine", "predict.model"),
            layer("predict", "exit", "environment", "findings", "doctor.machine", "predict.model", "predict.machine"),
            layer("watch.sample", "doctor.machine", "doctor.check"),
            layer("watch.resource", "netlink"),
            layer("watch.metrics", "exit", "doctor.check", "watch.sample", "watch.resource"),
            layer("watch", "exit", "findings", "watch.sample", "watch.metrics", "watch.resource"),
            layer("tcp", "exit"),
            layer("compare.plan", "exit", "talk", "options", "tcp"),
            layer("compare.result", "exit", "environment", "figures", "options", "result", "compare.plan"),
            layer(
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
            layer(
                    "compare.peer",
                    "exit",
                    "environment",
                    "talk",
                    "options",
                    "compare.plan",
                    "compare.result",
                    "compare.runner"),
            layer("compare.print", "environment", "figures", "options", "document", "compare.plan", "compare.result"),
            layer(
                    "compare",
                    "exit",
                    "environment",
                    "placement",
                    "options",
                    "result",
                    "findings",
                    "compare.plan",
                    "compare.result",
                    "compare.runner",
                    "compare.peer",
                    "compare.print"),
            layer(
                    "mesh",
                    "exit",
                    "environment",
                    "figures",
                    "talk",
                    "options",
                    "result",
                    "run",
                    "document",
                    "findings",
                    "doctor.machine",
                    "doctor.check",
                    "doctor.pair",
                    "doctor.peer",
                    "compare.plan",
                    "compare.result",
                    "compare.runner",
                    "compare.peer",
                    "compare.print"),
            layer("command", "exit", "environment", "placement", "options", "result", "run", "print", "document"),
            layer(
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
                    "compare",
                    "mesh"));

    /**
     * A package.
     *
     * @param name below the module's
     * @param below what it depends on
     */
    private record Layer(String name, List<String> below) {
        @Override
        public String toString() {
            return name.isEmpty() ? "(the entry)" : name;
        }
    }

    private static Layer layer(String name, String... below) {
        return new Layer(name, List.of(below));
    }

    private static String inFull(String name) {
        return name.isEmpty() ? PERFTEST : PERFTEST + "." + name;
    }

    @ParameterizedTest
    @FieldSource("LAYERS")
    void packageDependsOnWhatItsLayerNames(Layer layer) {
        String[] allowed = Stream.concat(Stream.of(layer.name), layer.below.stream())
                .map(ArchitectureTest::inFull)
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(inFull(layer.name))
                .should()
                .onlyDependOnClassesThat(not(resideInAPackage(PERFTEST + "..")).or(resideInAnyPackage(allowed)))
                .check(CODE);
    }

    /** Types that are only passed on, and constants, which the compiler copies, need no arrows. */
    @ParameterizedTest
    @FieldSource("LAYERS")
    void layerNamesNothingElse(Layer layer) {
        Set<String> used = CODE.stream()
                .filter(resideInAPackage(inFull(layer.name)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType)
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
        assertThat(used)
                .containsAll(layer.below.stream().map(ArchitectureTest::inFull).toList());
    }

    @Test
    void layerDependsOnLowerOnesOnly() {
        List<String> lower = new ArrayList<>();
        for (Layer layer : LAYERS) {
            assertThat(lower).as("below %s", layer).containsAll(layer.below);
            lower.add(layer.name);
        }
    }

    @Test
    void eachPackageHasItsLayer() {
        Set<String> packages =
                CODE.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
        assertThat(LAYERS.stream().map(layer -> inFull(layer.name))).containsExactlyInAnyOrderElementsOf(packages);
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
