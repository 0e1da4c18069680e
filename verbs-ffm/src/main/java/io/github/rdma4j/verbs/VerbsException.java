// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.Remedies;
import io.github.rdma4j.verbs.internal.ErrnoName;
import io.github.rdma4j.verbs.internal.ErrnoRemedy;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A failed verb, with its arguments, the cause (errno by name) and the remedy.
 *
 * <p>It is the base class of all exceptions that this library throws for a condition outside the program: a missing
 * device, an exhausted limit, a refusal by the adapter. Mistakes of the caller throw the JDK's
 * {@link IllegalArgumentException}, {@link IndexOutOfBoundsException} and {@link IllegalStateException} (use after
 * close). Posting and polling never throw for a full or an empty queue: they return a value.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** The end of a sentence, before another one. */
    private static final Pattern SENTENCE = Pattern.compile("\\. (?=\\p{Lu}[\\p{Ll} ])");

    private final String operation;
    private final int errno;
    private final String remedy;

    /**
     * Creates an exception for a failed operation.
     *
     * @param operation the verb with its arguments, such as {@code ibv_reg_mr(length=4096, access=[LOCAL_WRITE])}
     * @param errno the positive errno value, or 0 if the failure has none
     * @param explanation the cause, or an empty string. It may be another failure's message with its remedy, which then
     *     comes before this one
     * @param remedy what to do; an empty string for the other failure's remedy, or for the general remedy of the errno
     */
    public VerbsException(String operation, int errno, String explanation, String remedy) {
        Matcher second = SENTENCE.matcher(explanation);
        boolean nested = second.find();
        String cause = nested ? explanation.substring(0, second.start()) : explanation;
        String first = nested ? uncapitalized(explanation.substring(second.end())) : "";
        boolean none = first.isEmpty() && remedy.isEmpty() && errno != 0;
        String all = none ? ErrnoRemedy.of(errno) : joined(first, remedy);
        super(message(operation, errno, cause, all));
        this.operation = operation;
        this.errno = errno;
        this.remedy = all;
    }

    private static String uncapitalized(String sentence) {
        return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
    }

    private static String joined(String first, String second) {
        if (first.isEmpty() || first.equals(second)) {
            return second;
        }
        return Remedies.append(first, second);
    }

    private static String message(String operation, int errno, String explanation, String remedy) {
        StringBuilder text = new StringBuilder(operation).append(" failed");
        if (errno != 0) {
            text.append(": ")
                    .append(ErrnoName.of(errno))
                    .append(" (")
                    .append(ErrnoName.text(errno))
                    .append(')');
        }
        if (!explanation.isEmpty()) {
            text.append(": ").append(explanation);
        }
        return Remedies.append(text.toString(), remedy);
    }

    /** {@return the verb that failed, with its arguments} */
    public String operation() {
        return operation;
    }

    /** {@return the positive errno value, or 0 if the failure has none} */
    public int errno() {
        return errno;
    }

    /** {@return the errno by name, such as {@code ENOMEM}; an empty string if the failure has none} */
    public String errnoName() {
        return errno == 0 ? "" : ErrnoName.of(errno);
    }

    /**
     * Returns the name and the text of an errno value.
     *
     * @param errno a positive errno value
     * @return the name and text, such as {@code ENOMEM (Cannot allocate memory)}
     */
    public static String describe(int errno) {
        return ErrnoName.of(errno) + " (" + ErrnoName.text(errno) + ")";
    }

    /** {@return the message without the remedy: what failed, and why} */
    public String problem() {
        return Remedies.without(getMessage(), remedy);
    }

    /** {@return what to do about the failure} */
    public String remedy() {
        return remedy;
    }
}
