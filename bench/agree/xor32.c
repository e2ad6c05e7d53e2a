/* The XOR of the words of a file: 32 bits each, little-endian, the last one filled with zeros. Byte by byte, so that nothing
 * of how we do it is in it. What `hashlane bench io` finds is held against it. */
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  uint32_t xor = 0;
  unsigned at = 0;
  int byte;
  if (!file) {
    perror(argc == 2 ? argv[1] : "give one file");
    return 2;
  }
  while ((byte = getc_unlocked(file)) != EOF) xor ^= (uint32_t)byte << 8 * (at++ % 4);
  if (ferror(file)) {
    perror(argv[1]);
    return 2;
  }
  printf("%08x\n", (unsigned)xor);
  return 0;
}
