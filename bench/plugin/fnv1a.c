/* An example of a plugin: FNV-1a with 64 bits, a byte at a time.
 *
 *     cc -O3 -shared -fPIC -o fnv1a.so fnv1a.c
 *     hashlane bench speed --plugin fnv1a=fnv1a.so
 */
#include "hashlane_plugin.h"

#include <stdint.h>

static volatile uint64_t digest;

HASHLANE_PLUGIN(fnv1a) {
    uint64_t state = 0xcbf29ce484222325u;
    for (int at = 0; at < size; at++) state = (state ^ (unsigned char)buf[at]) * 0x100000001b3u;
    digest = state;
}
