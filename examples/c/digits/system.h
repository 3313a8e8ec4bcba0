/* system.h - what main.c wants of a system */
#include <stdint.h>

void say(const char *text);

/* 0: they are not counted. */
uint32_t instructions_so_far(void);
