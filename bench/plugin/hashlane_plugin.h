/* A hash function that `hashlane bench speed --plugin NAME=FILE` can measure beside those of hashlane.
 *
 * The library has a function `test_NAME` for each name. It takes in one whole message, from its beginning to its end, and
 * throws the digest away; a compiler must not see that it does, so have it end in a variable that is volatile. This is the
 * signature that hashbench had, and its functions can be used as they are.
 *
 *     cc -O3 -shared -fPIC -o fnv1a.so fnv1a.c
 *     hashlane bench speed --plugin fnv1a=fnv1a.so
 *
 * - `buf` has `size` bytes and no more. It may be written to.
 * - The function is called from one thread, many times, with the same message and with others.
 * - The library is loaded, and the function called once for each size, in a process of its own first: one that crashes, hangs,
 *   prints or ends the program is refused with a reason.
 */
#ifndef HASHLANE_PLUGIN_H
#define HASHLANE_PLUGIN_H

#ifdef __cplusplus
#define HASHLANE_PLUGIN(name) extern "C" void test_##name(char *buf, int size)
#else
#define HASHLANE_PLUGIN(name) void test_##name(char *buf, int size)
#endif

#endif
