/* SHA-256 of a file, written plainly after FIPS 180-4, for comparing compilers and their options:
 *
 *   hashlane bench variant ./sha256-O2 ./sha256-O3 --name O2 --name O3 \
 *       --setup 'cc -O2 -o sha256-O2 bench/variants/sha256.c' --setup 'cc -O3 -o sha256-O3 bench/variants/sha256.c'
 *
 * It is not made to be fast, and no other part of the project uses it. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, BUFFER = 64 * 1024 };

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void take_block(uint32_t state[8], const unsigned char *bytes) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++, bytes += 4)
        w[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    for (int i = 16; i < 64; i++) {
        uint32_t low = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25);
        uint32_t first = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + ROUND[i] + w[i];
        uint32_t a = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
        uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

int main(int argc, char **argv) {
    static unsigned char buffer[BUFFER];
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint64_t total = 0;
    size_t length = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: sha256 FILE\n");
        return 64;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return 16;
    }
    /* fread gives less than was asked for at the end only. */
    do {
        length = fread(buffer, 1, BUFFER, file);
        total += length;
        for (size_t at = 0; at + BLOCK <= length; at += BLOCK) take_block(state, buffer + at);
    } while (length == BUFFER);
    if (ferror(file)) {
        fprintf(stderr, "%s: cannot be read\n", argv[1]);
        return 16;
    }
    unsigned char last[2 * BLOCK] = {0};
    size_t rest = length % BLOCK, end = rest < 56 ? BLOCK : 2 * BLOCK;
    memcpy(last, buffer + length - rest, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[end - 1 - i] = (unsigned char)(total * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += BLOCK) take_block(state, last + at);
    for (int i = 0; i < 8; i++) printf("%08x", state[i]);
    printf("  %s\n", argv[1]);
    return fclose(file) == 0 && fflush(stdout) == 0 ? 0 : 16;
}
