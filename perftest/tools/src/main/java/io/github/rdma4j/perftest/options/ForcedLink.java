// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.verbs.device.LinkLayer;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads --force-link as the C tools do: by the first letters, large or small. */
final class ForcedLink implements ITypeConverter<LinkLayer> {
    @Override
    public LinkLayer convert(String text) {
        String word = text.toLowerCase(Locale.ROOT);
        if (word.startsWith("ib")) {
            return LinkLayer.INFINIBAND;
        }
        if (word.startsWith("ethernet")) {
            return LinkLayer.ETHERNET;
        }
        throw new TypeConversionException("'" + text + "' is no link layer; allowed is IB or Ethernet");
    }
}
