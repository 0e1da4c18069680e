// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.util.Set;

/**
 * Loads the library, and the tests beside it, once more: each method of the library asks {@link Faults} at its entry
 * and before each allocation. The library itself has no code for that.
 */
public final class FaultyClasses extends ClassLoader {
    private static final String OURS = "io.github.rdma4j.";
    private static final MethodTypeDesc NOTHING = ConstantDescs.MTD_void;
    private static final ClassDesc FAULTS = ClassDesc.of(Faults.class.getName());
    /**
     * They lie no deeper than what was called just before, such as the lock or the guard that they leave, the native
     * call whose result they check, or the lock that they take again, and so overflow no stack.
     */
    private static final Set<String> SHALLOW = Set.of(
            "Engine.exit",
            "Engine.exitVisit",
            "Engine.give",
            "ReadinessWaiter.leave",
            "UseGuard.exit",
            "UseGuard.exitAsOwner",
            "ExclusiveGuard.exit",
            "BiasedLock.lock",
            "BiasedLock.takeTurn",
            "BiasedLock.unlock",
            "CompletionQueue.exit",
            "ReceiveQueue.exit",
            "QueuePair.exitSend",
            "Failures.check",
            "ConnectionId.ended");

    private final String program;
    private final ClassFile classFile;

    /**
     * A class loader of the library and its tests.
     *
     * @param program plays the program that uses the library, and so meets no faults of its own
     */
    public FaultyClasses(Class<?> program) {
        super("faulty", FaultyClasses.class.getClassLoader());
        this.program = program.getName();
        classFile = ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(getParent())
                        .orElse(ClassHierarchyResolver.defaultResolver())));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(Faults.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        URL url = getParent().getResource(file);
        if (url == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] bytes;
        try (InputStream in = url.openStream()) {
            bytes = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // A jar of packed tests has the classes of both.
        boolean ofTest = name.startsWith(program) || url.getPath().contains("test-classes");
        byte[] defined = ofTest ? bytes : faulty(bytes);
        return defineClass(name, defined, 0, defined.length);
    }

    private byte[] faulty(byte[] bytes) {
        ClassModel model = classFile.parse(bytes);
        String name = model.thisClass().asInternalName();
        String simple = name.substring(name.lastIndexOf('/') + 1);
        return classFile.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method
                    && method.code().isPresent()
                    && !method.methodName().equalsString("<clinit>")) {
                String place =
                        SHALLOW.contains(simple + "." + method.methodName().stringValue()) ? "exit" : "entry";
                builder.transformMethod(method, (methodBuilder, part) -> {
                    if (part instanceof CodeModel code) {
                        methodBuilder.transformCode(code, asking(place));
                    } else {
                        methodBuilder.with(part);
                    }
                });
            } else {
                builder.with(element);
            }
        });
    }

    private static CodeTransform asking(String place) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder builder) {
                builder.invokestatic(FAULTS, place, NOTHING);
            }

            @Override
            public void accept(CodeBuilder builder, CodeElement element) {
                switch (element) {
                    case NewObjectInstruction _,
                            NewPrimitiveArrayInstruction _,
                            NewReferenceArrayInstruction _,
                            NewMultiArrayInstruction _,
                            InvokeDynamicInstruction _ -> builder.invokestatic(FAULTS, "allocation", NOTHING);
                    default -> {}
                }
                builder.with(element);
            }
        };
    }
}
