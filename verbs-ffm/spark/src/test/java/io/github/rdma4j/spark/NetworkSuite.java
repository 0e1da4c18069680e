// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import org.apache.spark.network.ChunkFetchIntegrationSuite;
import org.apache.spark.network.RequestTimeoutIntegrationSuite;
import org.apache.spark.network.RpcIntegrationSuite;
import org.apache.spark.network.SslChunkFetchIntegrationSuite;
import org.apache.spark.network.StreamSuite;
import org.apache.spark.network.client.SslTransportClientFactorySuite;
import org.apache.spark.network.client.TransportClientFactorySuite;
import org.apache.spark.network.crypto.AuthIntegrationSuite;
import org.apache.spark.network.sasl.SaslIntegrationSuite;
import org.apache.spark.network.sasl.SparkSaslSuite;
import org.apache.spark.network.shuffle.AppIsolationSuite;
import org.apache.spark.network.shuffle.ExternalShuffleIntegrationSuite;
import org.apache.spark.network.shuffle.ExternalShuffleSecuritySuite;
import org.apache.spark.network.shuffle.SslExternalShuffleIntegrationSuite;
import org.apache.spark.network.shuffle.SslExternalShuffleSecuritySuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Spark's own tests of its network modules that open connections, unchanged, in the mode RDMA. */
@Tag("full")
abstract class NetworkSuite {
    static void useAddress(String address) {
        ChangedSpark.load();
        System.setProperty(ChangedSpark.ADDRESS, address);
    }

    @AfterAll
    static void useNoAddress() {
        System.clearProperty(ChangedSpark.ADDRESS);
    }

    @Nested
    class ChunkFetch extends ChunkFetchIntegrationSuite {}

    @Nested
    class RequestTimeout extends RequestTimeoutIntegrationSuite {}

    @Nested
    class Rpc extends RpcIntegrationSuite {}

    @Nested
    class Streams extends StreamSuite {}

    @Nested
    class Clients extends TransportClientFactorySuite {}

    @Nested
    class Authentication extends AuthIntegrationSuite {}

    @Nested
    class Sasl extends SaslIntegrationSuite {}

    @Nested
    class Applications extends AppIsolationSuite {}

    @Nested
    class ShuffleService extends ExternalShuffleIntegrationSuite {}

    @Nested
    class SecureShuffleService extends ExternalShuffleSecuritySuite {}

    @Nested
    class SaslMessages extends SparkSaslSuite {}

    @Nested
    class TlsChunkFetch extends SslChunkFetchIntegrationSuite {}

    @Nested
    class TlsClients extends SslTransportClientFactorySuite {}

    @Nested
    class TlsShuffleService extends SslExternalShuffleIntegrationSuite {}

    @Nested
    class TlsSecureShuffleService extends SslExternalShuffleSecuritySuite {}
}
