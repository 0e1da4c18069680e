// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Addresses and paths, instead of IPoIB's interface and the subnet manager: the port with LID 1 has the address
// 10.77.0.1, the port with LID 258 has 10.77.1.2.
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "cm.h"

enum { NETWORK = 10 << 24 | 77 << 16, NETWORK_MASK = 0xffff0000, LOOPBACK = 127, EXACTLY = 2 << 6, REVERSIBLE = 1 << 7,
       RATE_100_GBPS = 16, LIFE_TIME = 18, PARTITION_NUMBER = 0x7fff };

// A path record of the subnet administrator, by InfiniBand's specification; numbers in network order.
struct record {
    uint64_t service;
    uint8_t to_gid[16], from_gid[16];
    uint16_t to, from;
    uint32_t flow_and_hops;
    uint8_t traffic_class, reversible_and_paths;
    uint16_t partition, class_and_level;
    uint8_t mtu, rate, life_time, preference, reserved[6];
} __attribute__((packed));

static const uint16_t partitions[] = {0xffff, 0x8005}; // as the script 'run' lists them

in_addr_t own_address(void) {
    return htonl(NETWORK | port_lid());
}

bool is_any_address(in_addr_t address) {
    return address == INADDR_ANY || ntohl(address) >> 24 == LOOPBACK;
}

bool is_here_address(in_addr_t address) {
    return is_any_address(address) || address == own_address();
}

bool is_in_fabric(in_addr_t address) {
    return is_any_address(address) || (ntohl(address) & NETWORK_MASK) == NETWORK;
}

uint16_t lid_of_address(in_addr_t address) {
    return is_any_address(address) ? port_lid() : (uint16_t)ntohl(address);
}

void gid_of_lid(uint16_t lid, uint8_t gid[16]) {
    uint64_t halves[] = {htobe64(0xfe80ULL << 48), htobe64(0x020000fffe000000ULL | lid)};
    memcpy(gid, halves, sizeof halves);
}

uint16_t interface_partition(void) {
    return (uint16_t)setting(SETTING("INTERFACE_PKEY"), partitions[0]);
}

int index_of_partition(uint16_t partition) {
    for (unsigned i = 0; i < sizeof partitions / sizeof *partitions; i++) {
        if ((partitions[i] & PARTITION_NUMBER) == (partition & PARTITION_NUMBER)) {
            return (int)i;
        }
    }
    return -1;
}

bool is_subnet_managed(void) {
    return is_port_active() && setting(SETTING("SUBNET_MANAGER"), 1);
}

int find_path(uint16_t to, uint16_t partition, struct path *path) {
    if (index_of_partition(partition) < 0 || setting(SETTING("NO_PATH_TO"), 0) == to) {
        return EINVAL;
    }
    *path = (struct path){
        .from = port_lid(),
        .to = to,
        .partition = partition,
        .service_level = (uint8_t)setting(SETTING("SERVICE_LEVEL"), 0),
        .mtu = (uint8_t)setting(SETTING("PATH_MTU"), 5),
        .rate = RATE_100_GBPS,
        .life_time = LIFE_TIME,
        // Not 0 where a router is on the way.
        .hop_limit = (uint8_t)setting(SETTING("HOP_LIMIT"), 0),
    };
    gid_of_lid(path->from, path->from_gid);
    gid_of_lid(path->to, path->to_gid);
    return 0;
}

void pack_path(const struct path *path, uint8_t bytes[64]) {
    struct record record = {
        .to = htobe16(path->to),
        .from = htobe16(path->from),
        .flow_and_hops = htobe32(path->hop_limit),
        .reversible_and_paths = REVERSIBLE | 1,
        .partition = htobe16(path->partition),
        .class_and_level = htobe16(path->service_level),
        .mtu = EXACTLY | path->mtu,
        .rate = EXACTLY | path->rate,
        .life_time = EXACTLY | path->life_time,
    };
    memcpy(record.to_gid, path->to_gid, sizeof path->to_gid);
    memcpy(record.from_gid, path->from_gid, sizeof path->from_gid);
    memcpy(bytes, &record, sizeof record);
}

void unpack_path(const uint8_t bytes[64], struct path *path) {
    struct record record;
    memcpy(&record, bytes, sizeof record);
    *path = (struct path){
        .from = be16toh(record.from),
        .to = be16toh(record.to),
        .partition = be16toh(record.partition),
        .service_level = be16toh(record.class_and_level) & 0xf,
        .mtu = record.mtu & 0x3f,
        .rate = record.rate & 0x3f,
        .life_time = record.life_time & 0x3f,
        .hop_limit = (uint8_t)be32toh(record.flow_and_hops),
    };
    memcpy(path->to_gid, record.to_gid, sizeof path->to_gid);
    memcpy(path->from_gid, record.from_gid, sizeof path->from_gid);
}
