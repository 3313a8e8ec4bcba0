/* cortex_m4.c - a Cortex-M4 without a system: how it starts, and talks through the debugger */
#include "system.h"

#include <string.h>

extern char stack_top[], data_from[], data_begin[], data_end[], bss_begin[], bss_end[];
int main(void);

static void ask_debugger(uint32_t what, const void *argument)
{
    register uint32_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void say(const char *text)
{
    ask_debugger(0x04, text); /* SYS_WRITE0 */
}

/* The system timer counts down at 25 MHz; with -icount shift=0 an instruction takes 1 ns. */
#define TIMER ((volatile uint32_t *)0xe000e010)

uint32_t instructions_so_far(void)
{
    return (0xffffff - TIMER[2]) * 40;
}

static void start(void)
{
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20; /* let the program use the FPU */
    __asm__ volatile("dsb; isb");
    memcpy(data_begin, data_from, (size_t)(data_end - data_begin));
    memset(bss_begin, 0, (size_t)(bss_end - bss_begin));
    TIMER[1] = 0xffffff;
    TIMER[2] = 0;
    TIMER[0] = 5;
    const uint32_t over[] = {0x20026, (uint32_t)main()};
    ask_debugger(0x20, over); /* SYS_EXIT_EXTENDED */
    for (;;)
        ;
}

static void fail(void)
{
    static const uint32_t over[] = {0x20026, 3};

    ask_debugger(0x20, over);
}

/* What the processor reads first: the stack, where to start, and where to go on faults. */
__attribute__((section(".vectors"), used)) static const struct {
    void *stack;
    void (*go[6])(void);
} vectors = {stack_top, {start, fail, fail, fail, fail, fail}};
