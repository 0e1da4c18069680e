// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.List;

/**
 * Loads the library a second time, with one difference: lookups of native functions and symbols go to {@link
 * NativeSeam} instead of the linker. So no call can be missed, and the code is otherwise the shipped one. Classes that
 * use the library are loaded with it, unchanged.
 */
public final class FaultyLoader extends ClassLoader {
    private static final String LIBRARY = "io.github.rdma4j.verbs.";
    /** The seam itself and what judges are there once. The cases use the library, so they are loaded with it. */
    private static final String SEAM = FaultyLoader.class.getPackageName() + ".";

    private static final String CASES = SEAM + "cases.";

    private static final String LINKER = internalName(Linker.class);
    private static final String LOOKUP = internalName(SymbolLookup.class);
    private static final ClassDesc NATIVE_SEAM = ClassDesc.of(NativeSeam.class.getName());

    private static final ClassTransform THROUGH_THE_SEAM = ClassTransform.transformingMethodBodies((code, element) -> {
        if (isRedirected(element)) {
            InvokeInstruction call = (InvokeInstruction) element;
            code.invokestatic(
                    NATIVE_SEAM,
                    call.name().stringValue(),
                    call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol()));
        } else {
            code.with(element);
        }
    });

    private final List<String> builtOnIt;

    /**
     * A loader of the library.
     *
     * @param builtOnIt how the names of classes begin that use it
     */
    public FaultyLoader(String... builtOnIt) {
        super(FaultyLoader.class.getClassLoader());
        this.builtOnIt = List.of(builtOnIt);
    }

    private static String internalName(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    private static boolean isRedirected(CodeElement element) {
        if (!(element instanceof InvokeInstruction call)) {
            return false;
        }
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        return owner.equals(LINKER) && name.equals("downcallHandle")
                || owner.equals(LOOKUP) && (name.equals("find") || name.equals("findOrThrow"));
    }

    private static boolean isOfTheLibrary(String name) {
        return name.startsWith(LIBRARY) && (!name.startsWith(SEAM) || name.startsWith(CASES));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isOfTheLibrary(name) && builtOnIt.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        try (InputStream stream = getParent().getResourceAsStream(file)) {
            if (stream == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = stream.readAllBytes();
            if (isOfTheLibrary(name) && !name.startsWith(CASES)) {
                ClassFile classFile = ClassFile.of();
                ClassModel model = classFile.parse(bytes);
                bytes = classFile.transformClass(model, THROUGH_THE_SEAM);
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
