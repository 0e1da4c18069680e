// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Looks up every bound function in the installed library: a missing one would show only when first called. */
class LibraryFunctionsTest {

    @ParameterizedTest
    @CsvSource({"LibIbVerbs, libibverbs.so.1, ibv_open_device", "LibRdmaCm, librdmacm.so.1, rdma_create_id"})
    void everyBoundFunctionIsExported(String headerClass, String soname, String example)
            throws ReflectiveOperationException {
        // The header class is not initialized, because its initializer opens the library and would hide a missing one
        // behind an ExceptionInInitializerError.
        Class<?> type = Class.forName(
                getClass().getPackageName() + "." + headerClass,
                false,
                getClass().getClassLoader());
        List<String> functions = GeneratedTypes.functions(type);
        assertThat(functions).contains(example).hasSizeGreaterThan(30);

        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = SymbolLookup.libraryLookup(soname, arena);
            assertThat(functions).allMatch(name -> library.find(name).isPresent());
        } catch (IllegalArgumentException e) {
            throw new AssertionError(
                    soname + " cannot be opened; install the Debian packages: apt-get install libibverbs1 librdmacm1",
                    e);
        }
    }
}
