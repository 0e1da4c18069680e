// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Remedies;

/**
 * A file that could not be opened, read or written, or memory that could not be registered: which call, with its
 * arguments, what the kernel or cuFile said by name, and the remedy where the cause is known.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String codeName;
    private final String remedy;
    private final long transferred;

    /**
     * A failure.
     *
     * @param call with its arguments, such as {@code pread(/data/a, offset=0, length=4096)}
     * @param code the errno, or the number of cuFile's status
     * @param codeName such as {@code ENOSPC}
     * @param explanation what it means, in words, or an empty string
     * @param remedy what can be done about it, or an empty string
     * @param transferred bytes from the beginning of the range that are certainly through
     */
    public StorageException(
            String call, int code, String codeName, String explanation, String remedy, long transferred) {
        super(Remedies.append(
                call + " failed: " + codeName
                        + (explanation.isEmpty() ? "" : " (" + explanation + ")")
                        + (transferred == 0 ? "" : ", after " + transferred + " bytes"),
                remedy));
        this.call = call;
        this.code = code;
        this.codeName = codeName;
        this.remedy = remedy;
        this.transferred = transferred;
    }

    /** {@return the call that failed, with its arguments} */
    public String call() {
        return call;
    }

    /**
     * {@return the errno below 5000, else the number of cuFile's status; 0 for a wait whose time was over, and if
     * cuFile does not report one}
     */
    public int code() {
        return code;
    }

    /** {@return the code by name, such as {@code ENOSPC} or {@code CU_FILE_IO_NOT_SUPPORTED}} */
    public String codeName() {
        return codeName;
    }

    /** {@return what can be done about it; an empty string where nothing is known} */
    public String remedy() {
        return remedy;
    }

    /** {@return how many bytes from the beginning of the range are certainly through} */
    public long transferred() {
        return transferred;
    }
}
