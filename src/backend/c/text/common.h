/* --- functions that not every network calls ----------------------------------------------------
 */

#if defined __GNUC__
#define NN_USUAL static inline __attribute__((unused))
#else
#define NN_USUAL static inline
#endif
