// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.ImportCalls;

/** A protection domain that another process has created and destroys. */
final class ImportedProtectionDomain extends ProtectionDomain {
    ImportedProtectionDomain(DeviceContext context, int kernelHandle) {
        super(
                context,
                ImportCalls.importPd(
                        "ibv_import_pd(%s, handle=%d)"
                                .formatted(context.device().name(), kernelHandle),
                        context.segment(),
                        kernelHandle),
                context);
    }

    @Override
    void release() {
        ExportedVerb.UNIMPORT_PD.call(segment());
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "imported protection domain of " + context().device().name();
    }
}
