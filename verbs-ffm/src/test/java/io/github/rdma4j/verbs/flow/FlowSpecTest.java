// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CProgram;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_encap;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_keymat_aes_gcm;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_replay_bmp;
import io.github.rdma4j.verbs.bindings.ibv_flow_action_esp_attr;
import io.github.rdma4j.verbs.bindings.ibv_flow_attr;
import io.github.rdma4j.verbs.bindings.ibv_flow_eth_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_ipv4_ext_filter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Flow specs, rules and ESP actions, byte for byte against what the C compiler lays out of the same values. */
class FlowSpecTest {
    private static final byte[] MAC = HexFormat.ofDelimiter(":").parseHex("66:11:22:33:44:55");
    private static final byte[] KEY = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f1011121314151617");

    /** Everything that the tests compare with, by name. */
    private static final Map<String, String> C = new HashMap<>();

    private final Arena arena = Arena.ofAuto();

    @BeforeAll
    static void askTheCompiler() {
        String source = """
            #include <arpa/inet.h>
            #include <infiniband/verbs.h>
            #include <stdio.h>
            #include <string.h>
            static void show(const char *name, const void *p, size_t n) {
                printf("%s ", name);
                for (size_t i = 0; i < n; i++) printf("%02x", ((const unsigned char *)p)[i]);
                printf("\\n");
            }
            // An initializer does not set the padding between and behind the fields.
            #define SHOW(x) (__builtin_clear_padding(&x), show(#x, &x, sizeof(x)))
            #define MAC {0x66, 0x11, 0x22, 0x33, 0x44, 0x55}
            #define ONES {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
            int main(void) {
                struct ibv_flow_spec_eth eth = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(eth),
                    .val = {.dst_mac = MAC, .src_mac = {0x01}, .ether_type = htons(0x0800), .vlan_tag = htons(0x123)},
                    .mask = {.dst_mac = ONES, .src_mac = {0x01}, .ether_type = 0xffff, .vlan_tag = htons(0xfff)}};
                SHOW(eth);
                struct ibv_flow_spec_ipv4 ipv4 = {.type = IBV_FLOW_SPEC_IPV4, .size = sizeof(ipv4),
                    .val = {.src_ip = inet_addr("10.1.2.3"), .dst_ip = inet_addr("192.168.0.0")},
                    .mask = {.src_ip = 0xffffffff, .dst_ip = inet_addr("255.255.128.0")}};
                SHOW(ipv4);
                struct ibv_flow_spec_ipv4_ext ipv4_ext = {.type = IBV_FLOW_SPEC_IPV4_EXT | IBV_FLOW_SPEC_INNER,
                    .size = sizeof(ipv4_ext),
                    .val = {.src_ip = inet_addr("10.1.2.3"), .proto = 17, .tos = 0x48, .ttl = 63, .flags = 2},
                    .mask = {.src_ip = 0xffffffff, .proto = 0xff, .tos = 0xfc, .ttl = 0xff, .flags = 2}};
                SHOW(ipv4_ext);
                struct ibv_flow_spec_ipv6 ipv6 = {.type = IBV_FLOW_SPEC_IPV6, .size = sizeof(ipv6),
                    .val = {.flow_label = htonl(0xabcde), .next_hdr = 6, .traffic_class = 7, .hop_limit = 8},
                    .mask = {.flow_label = htonl(0xfffff), .next_hdr = 0xff, .traffic_class = 0xff, .hop_limit = 0xff}};
                inet_pton(AF_INET6, "2001:db8::1", ipv6.val.src_ip);
                memset(ipv6.mask.src_ip, 0xff, 16);
                inet_pton(AF_INET6, "fe80::", ipv6.val.dst_ip);
                inet_pton(AF_INET6, "ffc0::", ipv6.mask.dst_ip);
                SHOW(ipv6);
                struct ibv_flow_spec_tcp_udp tcp = {.type = IBV_FLOW_SPEC_TCP, .size = sizeof(tcp),
                    .val = {.dst_port = htons(443), .src_port = htons(0x1200)},
                    .mask = {.dst_port = 0xffff, .src_port = htons(0xff00)}};
                SHOW(tcp);
                struct ibv_flow_spec_tcp_udp udp = {.type = IBV_FLOW_SPEC_UDP, .size = sizeof(udp),
                    .val = {.dst_port = htons(4791)}, .mask = {.dst_port = 0xffff}};
                SHOW(udp);
                struct ibv_flow_spec_tunnel vxlan = {.type = IBV_FLOW_SPEC_VXLAN_TUNNEL, .size = sizeof(vxlan),
                    .val = {htonl(0x123456)}, .mask = {htonl(0xffffff)}};
                SHOW(vxlan);
                struct ibv_flow_spec_gre gre = {.type = IBV_FLOW_SPEC_GRE, .size = sizeof(gre),
                    .val = {.c_ks_res0_ver = htons(0x2000), .protocol = htons(0x6558), .key = htonl(0xdeadbeef)},
                    .mask = {.c_ks_res0_ver = htons(0xb000), .protocol = 0xffff, .key = 0xffffffff}};
                SHOW(gre);
                struct ibv_flow_spec_mpls mpls = {.type = IBV_FLOW_SPEC_MPLS, .size = sizeof(mpls),
                    .val = {htonl(0xabcde << 12)}, .mask = {htonl(0xfffff000)}};
                SHOW(mpls);
                struct ibv_flow_spec_esp esp = {.type = IBV_FLOW_SPEC_ESP, .size = sizeof(esp),
                    .val = {.spi = htonl(0x01020304), .seq = htonl(5)}, .mask = {.spi = 0xffffffff, .seq = 0xffffffff}};
                SHOW(esp);
                struct ibv_flow_spec_action_tag tag = {.type = IBV_FLOW_SPEC_ACTION_TAG, .size = sizeof(tag), .tag_id = 0x123};
                SHOW(tag);
                struct ibv_flow_spec_action_drop drop = {.type = IBV_FLOW_SPEC_ACTION_DROP, .size = sizeof(drop)};
                SHOW(drop);
                struct ibv_flow_spec_action_handle handle = {.type = IBV_FLOW_SPEC_ACTION_HANDLE,
                    .size = sizeof(handle), .action = (void *)0x1122334455667788};
                SHOW(handle);
                struct ibv_flow_spec_counter_action count = {.type = IBV_FLOW_SPEC_ACTION_COUNT,
                    .size = sizeof(count), .counters = (void *)0x8877665544332211};
                SHOW(count);
                struct { struct ibv_flow_attr attr; struct ibv_flow_spec_eth eth; struct ibv_flow_spec_tcp_udp udp;
                    struct ibv_flow_spec_counter_action count; } __attribute__((packed)) rule = {
                    .attr = {.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule), .priority = 0x102, .num_of_specs = 3,
                        .port = 2, .flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS},
                    .eth = eth, .udp = udp, .count = count};
                SHOW(rule);
                struct ibv_flow_attr sniffer = {.type = IBV_FLOW_ATTR_SNIFFER, .size = sizeof(sniffer), .port = 1};
                SHOW(sniffer);
                struct ibv_flow_action_esp header = {.spi = 1, .seq = 2, .tfc_pad = 3, .hard_limit_pkts = 1ULL << 40,
                    .flags = IBV_FLOW_ACTION_ESP_FLAGS_ENCRYPT | IBV_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD |
                        IBV_FLOW_ACTION_ESP_FLAGS_TRANSPORT | IBV_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW};
                SHOW(header);
                struct ibv_flow_action_esp_keymat_aes_gcm keymat = {.iv = 0x99, .iv_algo = IBV_FLOW_ACTION_IV_ALGO_SEQ,
                    .salt = 0x55667788, .icv_len = 16, .key_len = 24};
                for (int i = 0; i < 24; i++) ((char *)keymat.aes_key)[i] = i;
                SHOW(keymat);
                struct ibv_flow_action_esp_replay_bmp replay = {.size = 64};
                SHOW(replay);
                struct ibv_flow_action_esp_attr attr = {.keymat_proto = IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM,
                    .keymat_len = sizeof(keymat), .replay_proto = IBV_FLOW_ACTION_ESP_REPLAY_BMP,
                    .replay_len = sizeof(replay), .comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN, .esn = 7};
                SHOW(attr);
                struct ibv_flow_action_esp_encap encap = {.len = sizeof(ipv4_ext.val), .type = IBV_FLOW_SPEC_IPV4_EXT};
                SHOW(encap);
                return 0;
            }
            """;
        for (String line : CProgram.run(source)) {
            String[] words = line.split(" ");
            C.put(words[0], words[1]);
        }
    }

    private static String hex(MemorySegment segment) {
        return HexFormat.of().formatHex(segment.toArray(ValueLayout.JAVA_BYTE));
    }

    private static Inet4Address ipv4(String address) throws Exception {
        return (Inet4Address) InetAddress.getByName(address);
    }

    private static Inet6Address ipv6(String address) throws Exception {
        return (Inet6Address) InetAddress.getByName(address);
    }

    private static EthernetFlowSpec ethernet() {
        byte[] multicastBit = {1, 0, 0, 0, 0, 0};
        return FlowSpec.ethernet()
                .destination(MAC)
                .source(multicastBit, multicastBit)
                .etherType(0x0800)
                .vlan(0x123);
    }

    @Test
    void headersAreWhatTheCompilerLaysOut() throws Exception {
        assertThat(hex(ethernet().bytes())).isEqualTo(C.get("eth"));
        assertThat(hex(FlowSpec.ipv6()
                        .source(ipv6("2001:db8::1"))
                        .destination(ipv6("fe80::1234"), 10)
                        .flowLabel(0xabcde)
                        .nextHeader(6)
                        .trafficClass(7)
                        .hopLimit(8)
                        .bytes()))
                .isEqualTo(C.get("ipv6"));
        assertThat(hex(FlowSpec.tcp()
                        .destinationPort(443)
                        .sourcePort(0x1200, 0xff00)
                        .bytes()))
                .isEqualTo(C.get("tcp"));
        assertThat(hex(FlowSpec.udp().destinationPort(4791).bytes())).isEqualTo(C.get("udp"));
        assertThat(hex(FlowSpec.vxlan().networkIdentifier(0x123456).bytes())).isEqualTo(C.get("vxlan"));
        assertThat(hex(FlowSpec.gre()
                        .flagsAndVersion(0x2000, 0xb000)
                        .protocol(0x6558)
                        .key(0xdeadbeefL)
                        .bytes()))
                .isEqualTo(C.get("gre"));
        assertThat(hex(FlowSpec.mpls().label(0xabcde).bytes())).isEqualTo(C.get("mpls"));
        assertThat(hex(FlowSpec.esp()
                        .securityParametersIndex(0x01020304)
                        .sequenceNumber(5)
                        .bytes()))
                .isEqualTo(C.get("esp"));
    }

    @Test
    void ipv4IsShortUnlessAFieldNeedsTheLongForm() throws Exception {
        Ipv4FlowSpec addresses = FlowSpec.ipv4().source(ipv4("10.1.2.3")).destination(ipv4("192.168.77.77"), 17);
        assertThat(hex(addresses.bytes())).isEqualTo(C.get("ipv4"));
        Ipv4FlowSpec more = FlowSpec.ipv4()
                .source(ipv4("10.1.2.3"))
                .protocol(17)
                .typeOfService(0x48, 0xfc)
                .timeToLive(63)
                .flags(2, 2)
                .inner();
        assertThat(hex(more.bytes())).isEqualTo(C.get("ipv4_ext"));
        assertThat(FlowSpec.ipv4().inner().bytes().get(ValueLayout.JAVA_INT, 0)).isEqualTo(0x130);
    }

    @Test
    void actionsAreWhatTheCompilerLaysOut() {
        assertThat(hex(FlowSpec.tag(0x123).bytes())).isEqualTo(C.get("tag"));
        assertThat(hex(FlowSpec.drop().bytes())).isEqualTo(C.get("drop"));
        assertThat(hex(FlowSpec.handle(0x1122334455667788L, null).bytes())).isEqualTo(C.get("handle"));
        assertThat(hex(FlowSpec.count(0x8877665544332211L, null).bytes())).isEqualTo(C.get("count"));
    }

    @Test
    void ruleIsItsAttributesAndItsSpecsWithoutGaps() {
        FlowRuleConfig rule = new FlowRuleConfig()
                .priority(0x102)
                .port(2)
                .doNotTrap()
                .egress()
                .specs(ethernet(), FlowSpec.udp().destinationPort(4791), FlowSpec.count(0x8877665544332211L, null));
        assertThat(hex(rule.write(arena))).isEqualTo(C.get("rule"));
        assertThat(hex(new FlowRuleConfig().type(FlowRuleType.SNIFFER).write(arena)))
                .isEqualTo(C.get("sniffer"));
        assertThat(ibv_flow_attr.sizeof()).isEqualTo(20);
    }

    @Test
    void espActionIsWhatTheCompilerLaysOut() throws Exception {
        EspActionConfig config = new EspActionConfig()
                .encrypt()
                .fullOffload()
                .transport()
                .newWindow()
                .header(1, 2)
                .trafficFlowPadding(3)
                .hardLimit(1L << 40)
                .aesGcm(KEY, 0x55667788, 0x99, 16)
                .replayWindow(64)
                .extendedSequenceNumber(7)
                .encapsulation(
                        FlowSpec.ethernet().destination(MAC),
                        FlowSpec.ipv4().source(ipv4("10.1.2.3")).protocol(17));
        assertThat(config.toString()).contains("192 bits").doesNotContain("0102");
        MemorySegment key;
        try (EspActionAttributes attributes = new EspActionAttributes(config, arena)) {
            MemorySegment attr = attributes.segment();
            assertThat(hex(ibv_flow_action_esp_attr.esp_attr(attr).reinterpret(ib_uverbs_flow_action_esp.sizeof())))
                    .isEqualTo(C.get("header"));
            key = ibv_flow_action_esp_attr
                    .keymat_ptr(attr)
                    .reinterpret(ib_uverbs_flow_action_esp_keymat_aes_gcm.sizeof());
            assertThat(hex(key)).isEqualTo(C.get("keymat"));
            assertThat(hex(ibv_flow_action_esp_attr
                            .replay_ptr(attr)
                            .reinterpret(ib_uverbs_flow_action_esp_replay_bmp.sizeof())))
                    .isEqualTo(C.get("replay"));
            checkEncapsulation(ibv_flow_action_esp_attr.esp_encap(attr));
            ibv_flow_action_esp_attr.esp_attr(attr, MemorySegment.NULL);
            ibv_flow_action_esp_attr.keymat_ptr(attr, MemorySegment.NULL);
            ibv_flow_action_esp_attr.replay_ptr(attr, MemorySegment.NULL);
            ibv_flow_action_esp_attr.esp_encap(attr, MemorySegment.NULL);
            assertThat(hex(attr)).isEqualTo(C.get("attr"));
        }
        assertThat(hex(key)).as("the key is wiped").matches("0+");
    }

    private static void checkEncapsulation(MemorySegment first) {
        long size = ib_uverbs_flow_action_esp_encap.sizeof();
        MemorySegment ethernet = first.reinterpret(size);
        assertThat(ib_uverbs_flow_action_esp_encap.type(ethernet)).isEqualTo((short) 0x20);
        assertThat(hex(ib_uverbs_flow_action_esp_encap.val_ptr(ethernet).reinterpret(ibv_flow_eth_filter.sizeof())))
                .startsWith("661122334455");
        MemorySegment ipv4 = ib_uverbs_flow_action_esp_encap.next_ptr(ethernet).reinterpret(size);
        assertThat(hex(ib_uverbs_flow_action_esp_encap.val_ptr(ipv4).reinterpret(ibv_flow_ipv4_ext_filter.sizeof())))
                .isEqualTo("0a0102030000000011000000");
        assertThat(ib_uverbs_flow_action_esp_encap.next_ptr(ipv4).address()).isZero();
        ib_uverbs_flow_action_esp_encap.val_ptr(ipv4, MemorySegment.NULL);
        assertThat(hex(ipv4)).isEqualTo(C.get("encap"));
    }

    @Test
    void emptyEspModificationHasNoText() {
        try (EspActionAttributes attributes = new EspActionAttributes(new EspActionConfig(), arena)) {
            assertThat(hex(attributes.segment())).matches("0+");
        }
    }

    @Test
    void valuesThatNoPacketCouldMatchAreRefused() throws Exception {
        assertThatThrownBy(() -> FlowSpec.tcp().destinationPort(65536))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destinationPort 0x10000: it has 16 bits");
        assertThatThrownBy(() -> FlowSpec.udp().sourcePort(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FlowSpec.udp().sourcePort(3, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bits outside its mask 0x1");
        assertThatThrownBy(() -> FlowSpec.udp().sourcePort(3, 0x10000)).hasMessageContaining("mask 0x10000");
        assertThatThrownBy(() -> FlowSpec.ipv6().flowLabel(1 << 20)).hasMessageContaining("it has 20 bits");
        assertThatThrownBy(() -> FlowSpec.vxlan().networkIdentifier(0, 1 << 24)).hasMessageContaining("has 24 bits");
        assertThatThrownBy(() -> FlowSpec.ethernet().destination(new byte[5]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("6 bytes, not 5");
        assertThatThrownBy(() -> FlowSpec.ethernet().source(MAC, new byte[6]))
                .hasMessageContaining("outside its mask in byte 0");
        assertThatThrownBy(() -> FlowSpec.ipv4().source(ipv4("1.2.3.4"), 33)).hasMessageContaining("0..32");
        assertThatThrownBy(() -> FlowSpec.mpls().label(1 << 20)).hasMessageContaining("0..1048575");
        assertThatThrownBy(() -> new FlowRuleConfig().priority(65536)).hasMessageContaining("0..65535");
        assertThatThrownBy(() -> new EspActionConfig().aesGcm(new byte[17], 0, 0, 16))
                .hasMessageContaining("17 bytes: it has 16, 24 or 32");
        assertThatThrownBy(() -> new EspActionConfig().replayWindow(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void devicesRefusalIsExplained() {
        VerbsException invalid = new VerbsException("x", 22, "", "");
        assertThat(FlowRule.explained("ibv_create_flow(...)", invalid))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("UD or RAW_PACKET");
        assertThat(FlowRule.explained("ibv_create_flow(...)", new VerbsException("x", 1, "", "")))
                .hasMessageContaining("CAP_NET_RAW");
        assertThat(FlowRule.explained("ibv_create_flow(...)", new VerbsException("x", 6, "", "")))
                .hasMessageContaining("ENXIO");
    }
}
