// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.conditions.ArchConditions.onlyDependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.LibRdmaCm;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.CarrierTurn;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.DescriptorCalls;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.Flags;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.RegionAccess;
import io.github.rdma4j.verbs.internal.StackReserve;
import io.github.rdma4j.verbs.internal.StreamSocket;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The layers and their dependencies; docs/architecture.md draws them. */
class ArchitectureTest {
    private static final String API = "io.github.rdma4j.verbs";
    private static final String INTERNAL = API + ".internal";
    private static final String BINDINGS = API + ".bindings";
    private static final String CM = API + ".cm";
    private static final String POOL = API + ".pool";
    private static final String ENDPOINT = API + ".endpoint";
    private static final String PROMISE = INTERNAL + ".endpoint.promise";
    private static final String PROTOCOL = INTERNAL + ".endpoint.protocol";
    /** The implementation of endpoints, which programs cannot access. */
    private static final String ENDPOINT_INTERNALS = INTERNAL + ".endpoint..";

    private static final String FLOW = API + ".flow";
    private static final String DEVICE = API + ".device";
    private static final String ASKING_DEVICES = INTERNAL + ".device";
    private static final String EXPLAINING = INTERNAL + ".explain";
    private static final String EVENTS = INTERNAL + ".events";
    private static final String DATA_PATH = INTERNAL + ".datapath";

    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(API);

    /** The JDK, what all libraries share, and the events of its recorder: used by all layers. */
    private static final DescribedPredicate<JavaClass> JDK =
            resideInAnyPackage("java..", "io.github.rdma4j.base", EVENTS);
    /** Endpoints report where they were closed, as all resources do, without native calls. */
    private static final DescribedPredicate<JavaClass> CAUSE_AFTER_A_CLOSE = equivalentTo(ClosePlace.class);
    /** Endpoints share a carrier as all waits do. */
    private static final DescribedPredicate<JavaClass> CARRIERS =
            equivalentTo(CarrierTurn.class).or(equivalentTo(StackReserve.class));
    /** An endpoint has one lock, and a group's shared state another. */
    private static final DescribedPredicate<JavaClass> LOCKS = equivalentTo(BiasedLock.class);
    /** Threads of endpoints copy between regions and sockets, and grants end with their region. */
    private static final DescribedPredicate<JavaClass> REGIONS =
            equivalentTo(RegionAccess.class).or(equivalentTo(RegionAccess.Door.class));
    /**
     * Endpoints without an adapter run over these sockets, and need to ask whether the JVM allows native access.
     * Programs use neither class directly.
     */
    private static final DescribedPredicate<JavaClass> SOCKETS_OF_THE_KERNEL =
            equivalentTo(StreamSocket.class).or(equivalentTo(NativeLibraries.class));

    /** fcntl(2) and ioctl(2) are of no RDMA library. */
    private static final DescribedPredicate<JavaClass> CALLS_VARIADIC_FUNCTIONS_OF_THE_KERNEL =
            belongToAnyOf(DescriptorCalls.class, FileDescriptors.class);

    private static final DescribedPredicate<JavaClass> EXCEPTIONS_OF_THE_API =
            resideInAPackage(API).and(describe("exceptions", type -> type.isAssignableTo(VerbsException.class)));
    /** A device's capabilities name services and packet fields with types of the API. */
    private static final DescribedPredicate<JavaClass> KINDS_OF_THE_API =
            belongToAnyOf(QueuePairType.class, ReceiveHashField.class);

    @Test
    void recordedEventsDependOnTheJdk() {
        classes()
                .that()
                .resideInAPackage(EVENTS)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAPackage("jdk.jfr")))
                .check(CODE);
    }

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

    @Test
    void dataPathIsALayerBelowQueuesAndOnTheNativeLayer() {
        classes()
                .that()
                .resideInAPackage(DATA_PATH)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(DATA_PATH, INTERNAL, BINDINGS))
                        .or(EXCEPTIONS_OF_THE_API))
                .check(CODE);
    }

    @Test
    void apiDependsOnNothingButTheLayersBelow() {
        classes()
                .that()
                .resideInAPackage(API)
                .should()
                .onlyDependOnClassesThat(JDK.or(
                        resideInAnyPackage(API, DEVICE, INTERNAL, DATA_PATH, ASKING_DEVICES, EXPLAINING, BINDINGS)))
                .check(CODE);
    }

    @Test
    void deviceAnswersArePlainValues() {
        classes()
                .that()
                .resideInAPackage(DEVICE)
                .should()
                .onlyDependOnClassesThat(
                        JDK.or(resideInAPackage(DEVICE)).or(KINDS_OF_THE_API).or(type(Flags.class)))
                .check(CODE);
    }

    @Test
    void deviceQueriesDependOnlyOnAnswersAndExceptions() {
        classes()
                .that()
                .resideInAPackage(ASKING_DEVICES)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(ASKING_DEVICES, DEVICE, INTERNAL, BINDINGS))
                        .or(EXCEPTIONS_OF_THE_API)
                        .or(KINDS_OF_THE_API))
                .check(CODE);
    }

    @Test
    void explanationsDependOnValuesAndNoResource() {
        DescribedPredicate<JavaClass> values = resideInAPackage(API).and(describe("values", ArchitectureTest::isValue));
        classes()
                .that()
                .resideInAPackage(EXPLAINING)
                .should()
                .onlyDependOnClassesThat(
                        JDK.or(resideInAnyPackage(EXPLAINING, DEVICE, INTERNAL)).or(values))
                .check(CODE);
    }

    @Test
    void connectionManagementDependsOnTheVerbsAndNotTheOtherWayRound() {
        classes()
                .that()
                .resideInAPackage(CM)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(CM, API, DEVICE, INTERNAL, EXPLAINING, BINDINGS)))
                .check(CODE);
    }

    @Test
    void flowSteeringDependsOnTheVerbsAndNothingDependsOnIt() {
        classes()
                .that()
                .resideInAPackage(FLOW)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(FLOW, API, DEVICE, INTERNAL, BINDINGS)))
                .check(CODE);
        classes()
                .that()
                .resideOutsideOfPackage(FLOW)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.not(resideInAPackage(FLOW)))
                .check(CODE);
    }

    @Test
    void endpointsDependOnWhatEveryProgramCanUseAndNothingDependsOnThem() {
        classes()
                .that()
                .resideInAPackage(ENDPOINT)
                .should()
                .onlyDependOnClassesThat(
                        JDK.or(resideInAnyPackage(ENDPOINT, ENDPOINT_INTERNALS, POOL, CM, API, DEVICE, EXPLAINING))
                                .or(CAUSE_AFTER_A_CLOSE)
                                .or(CARRIERS)
                                .or(SOCKETS_OF_THE_KERNEL))
                .check(CODE);
        classes()
                .that()
                .resideOutsideOfPackages(ENDPOINT, ENDPOINT_INTERNALS)
                .should()
                .onlyDependOnClassesThat(not(resideInAnyPackage(ENDPOINT, ENDPOINT_INTERNALS)))
                .check(CODE);
    }

    @Test
    void endpointPackagesUseOnlyPackagesBelow() {
        checkPackage("engine", internals("engine"));
        checkPackage("rdma", internals("engine").or(resideInAPackage(DEVICE)));
        checkPackage("tcp", internals("engine").or(SOCKETS_OF_THE_KERNEL));
        checkPackage(
                "srd",
                internals("engine", "rdma", "tcp", "group")
                        .or(resideInAPackage(DEVICE))
                        .or(SOCKETS_OF_THE_KERNEL));
        checkPackage("group", internals("engine", "rdma").or(resideInAnyPackage(CM, DEVICE)));
        checkPackage("failover", internals("engine", "rdma", "tcp").or(resideInAnyPackage(CM, DEVICE)));
        checkPackage(
                "connect",
                internals("engine", "rdma", "tcp", "srd", "group", "failover")
                        .or(resideInAnyPackage(CM, DEVICE, EXPLAINING))
                        .or(SOCKETS_OF_THE_KERNEL));
    }

    /** Everything else is in the rooms behind it. */
    @Test
    void endpointPackageHasOnlyPublicTypesAndAccess() {
        classes()
                .that()
                .resideInAPackage(ENDPOINT)
                .and()
                .areTopLevelClasses()
                .and()
                .doNotHaveSimpleName("Access")
                .and()
                .doNotHaveSimpleName("package-info")
                .should()
                .bePublic()
                .check(CODE);
    }

    private static void checkPackage(String name, DescribedPredicate<JavaClass> below) {
        classes()
                .that()
                .resideInAPackage(INTERNAL + ".endpoint." + name)
                .should()
                .onlyDependOnClassesThat(JDK.or(internals(name, "protocol", "promise"))
                        .or(resideInAnyPackage(ENDPOINT, API))
                        .or(CAUSE_AFTER_A_CLOSE)
                        .or(CARRIERS)
                        .or(LOCKS)
                        .or(REGIONS)
                        .or(below))
                .check(CODE);
    }

    private static DescribedPredicate<JavaClass> internals(String... names) {
        return resideInAnyPackage(
                Arrays.stream(names).map(name -> INTERNAL + ".endpoint." + name).toArray(String[]::new));
    }

    @Test
    void futuresOfEndpointsDependOnTheJdk() {
        classes()
                .that()
                .resideInAPackage(PROMISE)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAPackage(PROMISE)).or(EXCEPTIONS_OF_THE_API))
                .check(CODE);
    }

    /** Two of these machines play against each other in a simulation, in any order of events. */
    @Test
    void protocolOfEndpointsHasNoThreadsNoLocksNoSocketsAndOfVerbsOnlyMemory() {
        classes()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .onlyDependOnClassesThat(JDK.or(resideInAnyPackage(PROTOCOL, PROMISE))
                        .or(belongToAnyOf(MemorySlice.class, RemoteMemory.class))
                        .or(EXCEPTIONS_OF_THE_API))
                .andShould(onlyDependOnClassesThat(
                        not(resideInAnyPackage("java.util.concurrent..", "java.net..", "java.io.."))
                                .and(not(resideInAPackage("java.nio.channels..")))
                                .and(not(equivalentTo(Thread.class)))))
                .check(CODE);
    }

    /** So the trace sees every call: NativeCalls wraps the handles, and TraceNames only asks the bindings for types. */
    @Test
    void everyCallOfALibraryGoesThroughHandlesOfOnePlace() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BINDINGS)
                .and()
                .doNotHaveSimpleName("TraceNames")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(LibIbVerbs.class, LibRdmaCm.class)
                .check(CODE);
        noClasses()
                .that()
                .resideOutsideOfPackage(BINDINGS)
                .and(not(belongToAnyOf(NativeCalls.class, NativeLibraries.class)))
                .and(not(CALLS_VARIADIC_FUNCTIONS_OF_THE_KERNEL))
                .should()
                .callMethod(Linker.class, "downcallHandle", FunctionDescriptor.class, Linker.Option[].class)
                .orShould()
                .callMethod(
                        Linker.class,
                        "downcallHandle",
                        MemorySegment.class,
                        FunctionDescriptor.class,
                        Linker.Option[].class)
                .check(CODE);
    }

    @Test
    void noPublicSignatureShowsHowTheNativeSideIsReached() {
        methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat(resideInAnyPackage(API, DEVICE, FLOW, CM, ENDPOINT)
                        .and(describe(
                                "public",
                                type -> type.getModifiers()
                                        .contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC))))
                .should(notMention(MemoryLayout.class, MethodHandle.class, VarHandle.class))
                .check(CODE);
    }

    private static boolean isValue(JavaClass type) {
        JavaClass one = type.getBaseComponentType();
        return one.isEnum() || one.isRecord() || one.isAssignableTo(VerbsException.class);
    }

    private static ArchCondition<JavaMethod> notMention(Class<?>... types) {
        Set<String> names = Arrays.stream(types).map(Class::getName).collect(Collectors.toSet());
        return new ArchCondition<>("not mention " + names + " or a type of the lower layers") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                Stream.concat(Stream.of(method.getRawReturnType()), method.getRawParameterTypes().stream())
                        .filter(type -> names.contains(type.getName())
                                || (type.getPackageName() + '.').startsWith(INTERNAL + '.')
                                || type.getPackageName().equals(BINDINGS))
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                method, method.getFullName() + " mentions " + type.getName())));
            }
        };
    }
}
