/* t.h - what every unit test needs: cmocka and the headers it wants before it */
#ifndef NNEFC_TESTS_SUPPORT_T_H
#define NNEFC_TESTS_SUPPORT_T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
