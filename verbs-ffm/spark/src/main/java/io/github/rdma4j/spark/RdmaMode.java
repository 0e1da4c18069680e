// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * The mode {@code RDMA} of Spark's network module. Spark has no extension point for its transport: the enum {@code
 * IOMode} names the modes, and {@code NettyUtils} has the classes of Netty for each. The enum gets one more constant,
 * and three methods of {@code NettyUtils} get a branch for it in front.
 *
 * <p>Classes of the same names earlier on the class path would do the same, but they would copy all of {@code
 * NettyUtils}, belong to one version of Spark, and depend on the order of the class path.
 */
final class RdmaMode {
    private static final String PACKAGE = "org/apache/spark/network/util/";
    private static final String MODES = PACKAGE + "IOMode";
    private static final String UTILITIES = PACKAGE + "NettyUtils";

    private static final ClassDesc MODE = ClassDesc.ofInternalName(MODES);
    private static final ClassDesc NETTY_UTILS = ClassDesc.ofInternalName(UTILITIES);
    private static final ClassDesc LOOPS = ClassDesc.of("io.netty.channel.EventLoopGroup");
    private static final ClassDesc FACTORY =
            ThreadFactory.class.describeConstable().orElseThrow();
    private static final ClassDesc OURS = ClassDesc.of("io.github.rdma4j.spark.ShuffleEventLoops");

    /** What each method of {@code NettyUtils} does for the mode RDMA, by name and descriptor. */
    private static final Map<String, Consumer<CodeBuilder>> METHODS = Map.of(
            "createEventLoop"
                    + MethodTypeDesc.of(LOOPS, MODE, ConstantDescs.CD_int, ConstantDescs.CD_String)
                            .descriptorString(),
            code -> code.new_(OURS)
                    .dup()
                    .iload(1)
                    .aload(2)
                    .invokestatic(
                            NETTY_UTILS, "createThreadFactory", MethodTypeDesc.of(FACTORY, ConstantDescs.CD_String))
                    .invokespecial(
                            OURS,
                            ConstantDescs.INIT_NAME,
                            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int, FACTORY))
                    .areturn(),
            "getClientChannelClass"
                    + MethodTypeDesc.of(ConstantDescs.CD_Class, MODE).descriptorString(),
            code -> code.loadConstant(ClassDesc.of("io.github.rdma4j.netty.RdmaSocketChannel"))
                    .areturn(),
            "getServerChannelClass"
                    + MethodTypeDesc.of(ConstantDescs.CD_Class, MODE).descriptorString(),
            code -> code.loadConstant(ClassDesc.of("io.github.rdma4j.netty.RdmaServerSocketChannel"))
                    .areturn());

    private RdmaMode() {}

    /**
     * Returns a class with the mode RDMA.
     *
     * @param name the internal name of the class
     * @param loader finds the classes that the class refers to; null for the boot loader
     * @return the new class; empty if the mode does not concern it
     * @throws IllegalStateException if this version of Spark has another form of the class
     */
    static Optional<byte[]> addTo(String name, byte[] bytes, ClassLoader loader) {
        if (MODES.equals(name)) {
            return Optional.of(withConstant(bytes));
        }
        return UTILITIES.equals(name) ? Optional.of(withBranches(bytes, loader)) : Optional.empty();
    }

    /** Appends {@code RDMA = new IOMode("RDMA", $VALUES.length)} to the initialiser, and RDMA to $VALUES. */
    private static byte[] withConstant(byte[] bytes) {
        ClassFile files = ClassFile.of();
        ClassModel modes = files.parse(bytes);
        ClassDesc array = MODE.arrayType();
        if (modes.fields().stream().noneMatch(field -> field.fieldName().equalsString("$VALUES"))) {
            throw unknown("IOMode has no $VALUES");
        }
        CodeTransform atEnd = (code, element) -> {
            if (element instanceof ReturnInstruction) {
                code.new_(MODE)
                        .dup()
                        .loadConstant("RDMA")
                        .getstatic(MODE, "$VALUES", array)
                        .arraylength()
                        .invokespecial(
                                MODE,
                                ConstantDescs.INIT_NAME,
                                MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String, ConstantDescs.CD_int))
                        .putstatic(MODE, "RDMA", MODE)
                        .getstatic(MODE, "$VALUES", array)
                        .getstatic(MODE, "$VALUES", array)
                        .arraylength()
                        .iconst_1()
                        .iadd()
                        .invokestatic(
                                ClassDesc.of("java.util.Arrays"),
                                "copyOf",
                                MethodTypeDesc.of(
                                        ConstantDescs.CD_Object.arrayType(),
                                        ConstantDescs.CD_Object.arrayType(),
                                        ConstantDescs.CD_int))
                        .checkcast(array)
                        .dup()
                        .putstatic(MODE, "$VALUES", array)
                        .getstatic(MODE, "RDMA", MODE)
                        .invokevirtual(MODE, "ordinal", MethodTypeDesc.of(ConstantDescs.CD_int))
                        .getstatic(MODE, "RDMA", MODE)
                        .aastore();
            }
            code.with(element);
        };
        int flags = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC | ClassFile.ACC_FINAL | ClassFile.ACC_ENUM;
        ClassTransform change = ClassTransform.transformingMethodBodies(
                        method -> method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME), atEnd)
                .andThen(ClassTransform.endHandler(type -> type.withField("RDMA", MODE, flags)));
        return files.transformClass(modes, change);
    }

    private static byte[] withBranches(byte[] bytes, ClassLoader loader) {
        ClassLoader classes = loader == null ? ClassLoader.getSystemClassLoader() : loader;
        if (classes.getResource("io/netty/channel/IoHandler.class") == null) {
            throw unknown("it has a Netty older than 4.2");
        }
        ClassFile files = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.defaultResolver().orElse(ClassHierarchyResolver.ofResourceParsing(classes))));
        Map<String, Consumer<CodeBuilder>> missing = new HashMap<>(METHODS);
        byte[] changed = files.transformClass(files.parse(bytes), (type, element) -> {
            Consumer<CodeBuilder> branch = element instanceof MethodModel method
                    ? missing.remove(method.methodName().stringValue()
                            + method.methodType().stringValue())
                    : null;
            if (branch == null) {
                type.with(element);
            } else {
                type.transformMethod((MethodModel) element, (builder, part) -> {
                    if (part instanceof CodeModel code) {
                        builder.transformCode(code, new BranchInFront(branch));
                    } else {
                        builder.with(part);
                    }
                });
            }
        });
        if (!missing.isEmpty()) {
            throw unknown("NettyUtils has no " + String.join(" and no ", missing.keySet()));
        }
        return changed;
    }

    private static IllegalStateException unknown(String what) {
        return new IllegalStateException(what + ". Use Spark 4.2, or remove spark.shuffle.io.mode=RDMA.");
    }

    /** Puts {@code if (mode == IOMode.RDMA) …} in front of a method whose first parameter is the mode. */
    private record BranchInFront(Consumer<CodeBuilder> branch) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            Label otherModes = code.newLabel();
            code.aload(0).getstatic(MODE, "RDMA", MODE).if_acmpne(otherModes);
            branch.accept(code);
            code.labelBinding(otherModes);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
