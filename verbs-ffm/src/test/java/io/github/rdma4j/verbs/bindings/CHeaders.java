// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads sizes, offsets and constants of the installed C headers from the assembly code of one compiled program. The
 * program need not run, so a cross compiler also works. A machine without compiler or headers fails the test, because
 * an unchecked layout must not ship.
 */
final class CHeaders {

    private static final String REMEDY =
            "install the Debian packages: apt-get install gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
                    + " libibverbs-dev librdmacm-dev";
    private static final String ANSWER = "#rdma4j ";

    private final Map<String, TypeFacts> types = new HashMap<>();
    private final Map<String, Long> constants = new HashMap<>();

    private CHeaders() {}

    /**
     * Compiles the program and reads the answers.
     *
     * @param compiler the command, for instance {@code cc}; gcc, or a compiler that accepts its assembly statements
     * @param headers what to include
     * @param wanted the types to ask about; of their facts only the names are used
     * @param constantNames enum constants and macros to ask about
     */
    static CHeaders ask(String compiler, List<String> headers, List<TypeFacts> wanted, Iterable<String> constantNames) {
        try {
            Path folder = Files.createTempDirectory("rdma4j-layout");
            Path source = folder.resolve("layout.c");
            Path assembly = folder.resolve("layout.s");
            try {
                Files.writeString(source, program(headers, wanted, constantNames));
                run(List.of(compiler, "-std=gnu11", "-S", "-o", assembly.toString(), source.toString()));
                return parse(Files.readAllLines(assembly), wanted);
            } finally {
                Files.deleteIfExists(assembly);
                Files.deleteIfExists(source);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new AssertionError("cannot ask the C compiler for layouts", e);
        }
    }

    TypeFacts type(TypeFacts generated) {
        return types.get(generated.title());
    }

    /** The value, sign-extended to 64 bits. */
    long constant(String name) {
        return constants.get(name);
    }

    private static String program(List<String> headers, List<TypeFacts> types, Iterable<String> constantNames) {
        StringBuilder c = new StringBuilder("#include <stddef.h>\n");
        // A constant, printed as the machine's assembler wants it: with $ before it on x86.
        c.append("#define TELL(text, a, b) __asm__ volatile(\"\\n%s\" text \" %%0 %%1\" : : \"i\"(a), \"i\"(b))\n"
                .formatted(ANSWER));
        headers.forEach(header -> c.append("#include <").append(header).append(">\n"));
        c.append("int main(void) {\n");
        for (int i = 0; i < types.size(); i++) {
            // A typedef of our own, because offsetof wants a type without commas and sizeof one without a value.
            c.append("{ typedef %s T;\n".formatted(types.get(i).cType()));
            c.append("TELL(\"type %d\", sizeof(T), _Alignof(T));\n".formatted(i));
            for (String field : types.get(i).fields().keySet()) {
                c.append("TELL(\"field %d %2$s\", offsetof(T, %2$s), sizeof(((T *)0)->%2$s));\n".formatted(i, field));
            }
            c.append("}\n");
        }
        for (String name : constantNames) {
            c.append("TELL(\"constant %1$s\", (long long)(%1$s), 0);\n".formatted(name));
        }
        return c.append("return 0;\n}\n").toString();
    }

    private static CHeaders parse(List<String> lines, List<TypeFacts> wanted) {
        CHeaders headers = new CHeaders();
        for (String line : lines) {
            if (!line.startsWith(ANSWER)) {
                continue; // the rest of the assembly code
            }
            String[] word = line.substring(ANSWER.length()).replace("$", "").split(" ");
            switch (word[0]) {
                case "type" -> {
                    TypeFacts asked = wanted.get(Integer.parseInt(word[1]));
                    headers.types.put(
                            asked.title(),
                            new TypeFacts(
                                    asked.title(),
                                    asked.cType(),
                                    Long.parseLong(word[2]),
                                    Long.parseLong(word[3]),
                                    new TreeMap<>()));
                }
                case "field" -> {
                    SortedMap<String, TypeFacts.Extent> fields = headers.types
                            .get(wanted.get(Integer.parseInt(word[1])).title())
                            .fields();
                    fields.put(word[2], new TypeFacts.Extent(Long.parseLong(word[3]), Long.parseLong(word[4])));
                }
                case "constant" -> headers.constants.put(word[1], Long.parseLong(word[2]));
                default -> throw new AssertionError("the layout program has " + line);
            }
        }
        return headers;
    }

    private static void run(List<String> command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new AssertionError("there is no C compiler (" + command.getFirst() + "); " + REMEDY, e);
        }
        process.getOutputStream().close();
        List<String> lines = new ArrayList<>(process.inputReader().lines().toList());
        int status;
        try {
            status = process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + command.getFirst(), e);
        }
        if (status != 0) {
            String output = String.join("\n", lines);
            boolean headerMissing = output.contains("No such file or directory");
            throw new AssertionError("%s ended with status %d%s:%n%s"
                    .formatted(command.getFirst(), status, headerMissing ? "; " + REMEDY : "", output));
        }
    }
}
